// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// group is a part of the list of commands.
type group struct {
	title    string
	commands []string
}

// groups are in the order in which they are shown. What is in none is in the last.
var groups = []group{
	{"Requests", []string{"apply", "update", "diff"}},
	{"Who owns what", []string{"owners", "extract", "doctor", "migrate", "undo"}},
	{"Objects", []string{"validate", "default", "immutable"}},
	{"Types", []string{"schema", "lint", "cel", "upgrade-check"}},
	{"Tests", []string{"serve"}},
	{"More", nil},
}

// setHelp makes root and what is below it show help of ours.
func setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), helpText(c)) })
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{helpName}); err == nil && help != root {
		help.Run, help.RunE = nil, helpOf
		help.Long = "Print what a command does, its flags, and examples."
		help.Example = "  dovetail help apply"
		help.DisableFlagsInUseLine = true
	}
}

// helpName is the name of the command that prints help.
const helpName = "help"

// helpOf prints the help of the command that args name, that of root if there are none.
func helpOf(help *cobra.Command, args []string) error {
	c, rest, err := help.Root().Find(args)
	if err != nil {
		return err
	}
	switch {
	case len(rest) == 0:
		c.InitDefaultHelpFlag() // which it gets when it is run, else
		return c.Help()
	case c.HasParent():
		return command.Usagef("no command %q: %s has none below it", strings.Join(args, " "), c.Name())
	}
	return noCommand(c, rest[0])
}

// helpText returns what is to be known of a command, no line wider than LineWidth.
func helpText(c *cobra.Command) string {
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s\n", title, strings.TrimRight(text, "\n"))
		}
	}
	b.WriteString(foldText(description(c)) + "\n")
	usage := c.UseLine()
	if c.HasAvailableSubCommands() {
		usage = c.CommandPath() + " [command]"
	}
	section("Usage", foldUsage("  "+usage))
	section("Examples", foldExamples(asCalled(c, c.Example)))
	for i, list := range commandLists(c) {
		section(groups[i].title, list)
	}
	section("Flags", c.LocalFlags().FlagUsagesWrapped(words.LineWidth))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\"%s help COMMAND\" tells more about a command, with examples.\n", c.CommandPath())
	}
	return b.String()
}

// description returns the description of a command, long if there is one.
func description(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

// commandLists lists the commands below c, a list for each group.
func commandLists(c *cobra.Command) []string {
	lists := make([]string, len(groups))
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() && sub.Name() != helpName {
			continue
		}
		at := slices.IndexFunc(groups, func(g group) bool { return slices.Contains(g.commands, sub.Name()) })
		if at < 0 {
			at = len(groups) - 1
		}
		lead := fmt.Sprintf("  %-13s ", sub.Name())
		lists[at] += fold(lead+sub.Short, strings.Repeat(" ", len(lead))) + "\n"
	}
	return lists
}

// fold breaks a line into lines of at most LineWidth; those behind the first begin with
// indent.
func fold(line, indent string) string {
	var lines []string
	for len(line) > words.LineWidth {
		at := strings.LastIndexByte(line[:words.LineWidth+1], ' ')
		if at <= len(indent) {
			break // one long word
		}
		lines = append(lines, strings.TrimRight(line[:at], " "))
		line = indent + strings.TrimLeft(line[at:], " ")
	}
	return strings.Join(append(lines, line), "\n")
}

// foldText fills paragraphs anew. What is indented stays as it is, if it is not too wide.
func foldText(text string) string {
	var out, lines []string
	flush := func() {
		if len(lines) == 0 {
			return
		}
		if strings.HasPrefix(lines[0], " ") {
			out = append(out, strings.Join(foldTable(lines), "\n"))
		} else {
			out = append(out, fold(strings.Join(lines, " "), ""))
		}
		lines = nil
	}
	for _, line := range strings.Split(text, "\n") {
		switch {
		case line == "":
			flush()
			out = append(out, "")
			continue
		case len(lines) > 0 && strings.HasPrefix(line, " ") != strings.HasPrefix(lines[0], " "):
			flush()
		}
		lines = append(lines, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// foldTable makes lines of columns fit: by space between the columns, or else by breaking
// what stands in the last one.
func foldTable(lines []string) []string {
	narrow := squeeze(lines)
	if !slices.ContainsFunc(narrow, func(l string) bool { return len(l) > words.LineWidth }) {
		return narrow
	}
	lines = slices.Clone(lines)
	for i, l := range lines {
		at := strings.LastIndex(strings.TrimRight(l, " "), "  ") + 2
		lines[i] = fold(l, strings.Repeat(" ", at))
	}
	return lines
}

// squeeze takes columns away that are blank in all lines, and have another such beside
// them, until no line is too wide.
func squeeze(lines []string) []string {
	lines = slices.Clone(lines)
	widest := func() (n int) {
		for _, l := range lines {
			n = max(n, len(l))
		}
		return n
	}
	blank := func(at int) bool {
		return !slices.ContainsFunc(lines, func(l string) bool { return at < len(l) && l[at] != ' ' })
	}
	for at := widest() - 2; at > 1 && widest() > words.LineWidth; at-- {
		for widest() > words.LineWidth && blank(at) && blank(at+1) {
			for i, l := range lines {
				if at < len(l) {
					lines[i] = l[:at] + l[at+1:]
				}
			}
		}
	}
	return lines
}

// foldUsage breaks a line of usage before a flag or an optional part.
func foldUsage(line string) string { return foldAt(line, options, "", "      ") }

// foldExamples breaks commands as a shell takes them, and comments anywhere.
func foldExamples(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[i] = fold(line, "  # ")
		} else {
			lines[i] = foldCommand(line)
		}
	}
	return strings.Join(lines, "\n")
}

var (
	pipes   = regexp.MustCompile(` \| `)
	options = regexp.MustCompile(` (\[-|-)`)
	flags   = regexp.MustCompile(` (-[-a-z]|> )`)
)

// foldCommand breaks a command behind a pipe, or else in front of a flag.
func foldCommand(line string) string {
	if at := pipes.FindStringIndex(line); len(line) > words.LineWidth && at != nil && at[1] <= words.LineWidth {
		return line[:at[1]-1] + "\n" + foldCommand("    "+line[at[1]:])
	}
	return foldAt(line, flags, " \\", "      ")
}

// foldAt breaks a line where a match begins, the last that fits, and puts end behind what
// is before, and indent in front of what is left.
func foldAt(line string, at *regexp.Regexp, end, indent string) string {
	if len(line) <= words.LineWidth {
		return line
	}
	best := 0
	for _, m := range at.FindAllStringIndex(line, -1) {
		if m[0]+len(end) <= words.LineWidth && strings.TrimSpace(line[:m[0]]) != "" {
			best = m[0]
		}
	}
	if best <= len(indent) {
		return line
	}
	return line[:best] + end + "\n" + foldAt(indent+strings.TrimLeft(line[best:], " "), at, end, indent)
}
