// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// setHelp gives root and its subcommands two help pages: --help shows a short page, and
// --help-all shows a long page with all flags.
func setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), shortHelp(c)) })
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.RunE == nil || c.Name() == helpName {
			continue
		}
		addHelpAll(c)
		if !hasLongHelp(c) {
			c.Flags().Lookup(helpAllFlag).Hidden = true // the short page already shows everything
		}
	}
	addHelpAll(root)
	if help, _, err := root.Find([]string{helpName}); err == nil && help != root {
		help.Run, help.RunE = nil, helpOf
		help.Short = "Show the help of a command, or explain terms"
		help.Long = "Show what a command does, with its flags and examples. The page " + conceptsName + "\nexplains the terms of server-side apply."
		help.Example = "  dovetail help apply\n\n  dovetail help " + conceptsName
		help.Flags().Bool(helpAllFlag, false, "show the full description and all flags")
		help.DisableFlagsInUseLine = true
	}
}

// helpName is the name of the command that prints help. helpAllFlag is the name of the flag
// that prints the long help.
const (
	helpName    = "help"
	helpAllFlag = "help-all"
)

// addHelpAll adds the flag --help-all to the command.
func addHelpAll(c *cobra.Command) {
	all := c.Flags().Bool(helpAllFlag, false, "show the full description and all flags")
	run, args := c.RunE, c.Args
	c.Args = func(c *cobra.Command, given []string) error {
		if *all || args == nil {
			return nil
		}
		return args(c, given)
	}
	c.RunE = func(c *cobra.Command, given []string) error {
		if *all {
			_, err := fmt.Fprint(c.OutOrStdout(), longHelp(c))
			return err
		}
		return run(c, given)
	}
}

// conceptsName is the name of the help page that explains the terms of the other pages. The
// names "conflict" and "conflicts" also select this page.
const conceptsName = "concepts"

// concepts explains the terms of server-side apply.
const concepts = `Server-side apply lets several programs and people change the same object.

Terms:
  field manager   the name of a program or person that writes an object, such as
                  helm. You choose it with --field-manager.
  config          the object that a manager applies. It has only the fields that
                  the manager wants to set.
  owner           a manager that set a field. A field can have several owners.
  managed fields  the list metadata.managedFields of an object, which the server
                  writes. It records the fields that each manager owns.
  apply           a request that merges a config into the live object, and makes
                  the manager the owner of the fields of the config. If a
                  manager no longer applies a field, the server removes the
                  field, unless another manager owns it.
  update          all other writes: create, replace and patch. The manager owns
                  the fields that it changes.
  conflict        An apply conflicts if it would change a field that another
                  manager owns. The server then rejects the apply.

Ways to resolve a conflict:
  force           overwrite the value and own the field (--force-conflicts)
  yield           leave the field out of your config; the other manager keeps
                  it (--yield)
  share           apply the live value; both managers own the field (--share)
`

// helpOf prints a help page. The page is about the command that args name, or about root if args is
// empty. With --help-all, it is the long page of the command. With --help-all and empty args, it is
// the long page of the command help.
func helpOf(help *cobra.Command, args []string) error {
	if len(args) == 1 && slices.Contains([]string{conceptsName, "conflict", "conflicts"}, args[0]) {
		_, err := io.WriteString(help.OutOrStdout(), concepts)
		return err
	}
	c, rest, err := help.Root().Find(args)
	if err != nil {
		return err
	}
	all, err := help.Flags().GetBool(helpAllFlag)
	if err != nil {
		return err
	}
	if all && len(args) == 0 {
		c = help
	}
	switch {
	case all && len(rest) == 0:
		c.InitDefaultHelpFlag()
		_, err := io.WriteString(help.OutOrStdout(), longHelp(c))
		return err
	case len(rest) == 0:
		c.InitDefaultHelpFlag() // otherwise, cobra adds the flag only when the command runs
		return c.Help()
	case c.HasParent():
		return command.Usagef("no command %q: %s has no commands", strings.Join(args, " "), c.Name())
	}
	return noCommand(c, rest[0])
}

// page builds the text of a help page.
type page struct{ strings.Builder }

func (p *page) section(title, text string) {
	if text != "" {
		fmt.Fprintf(p, "\n%s:\n%s\n", title, strings.TrimRight(text, "\n"))
	}
}

// hasLongHelp reports whether the command c has a long help page.
func hasLongHelp(c *cobra.Command) bool { return commonFlags[c.Name()] != nil }

// shortHelp returns the page for --help: one line about the command, its usage, a few
// examples, the legend of its output, its common flags and its exit status. If the command has
// no long help page, the short page shows the full description and all flags.
func shortHelp(c *cobra.Command) string {
	var p page
	if c.HasParent() && !hasLongHelp(c) {
		p.WriteString(foldText(description(c)) + "\n")
	} else {
		p.WriteString(fold(c.Short+".", "") + "\n")
	}
	p.section("Usage", foldUsage("  "+usage(c)))
	p.section("Examples", foldExamples(asCalled(c, shownExamples(c))))
	p.commands(c)
	switch {
	case !c.HasParent():
		p.section("Flags", flagTable(c, func(*pflag.Flag) bool { return true }))
		fmt.Fprintf(&p, "\nHelp for a command: %s COMMAND --help\n", c.CommandPath())
		fmt.Fprintf(&p, "Terms such as field manager and conflict: %s %s %s\n", c.CommandPath(), helpName, conceptsName)
	case hasLongHelp(c):
		p.section(command.LegendTitle, c.Annotations[command.LegendTitle])
		p.section("Common flags", shortFlags(c))
		if text := exitStatus(c); text != "" {
			p.WriteString("\n" + fold(text, "  ") + "\n")
		}
		fmt.Fprintf(&p, "\nAll flags: %s --%s\n", c.CommandPath(), helpAllFlag)
	default:
		p.section("Flags", flagTable(c, func(*pflag.Flag) bool { return true }))
	}
	return p.String()
}

// longHelp returns the page for --help-all: the full description, all examples, and all flags
// in groups.
func longHelp(c *cobra.Command) string {
	var p page
	p.WriteString(foldText(description(c)) + "\n")
	p.section("Usage", foldUsage("  "+usage(c)))
	p.section("Examples", foldExamples(asCalled(c, c.Example)))
	p.commands(c)
	for _, g := range flagGroups {
		p.section(g.title, flagTable(c, func(f *pflag.Flag) bool { return groupOf(c, f) == g.title }))
	}
	return p.String()
}

func usage(c *cobra.Command) string {
	switch {
	case c.HasAvailableSubCommands():
		return c.CommandPath() + " COMMAND [flags]"
	case hasLongHelp(c):
		before, after, found := strings.Cut(c.UseLine(), " [-- ")
		if found {
			return before + " [flags] [-- " + after
		}
		return before + " [flags]"
	}
	return c.UseLine()
}

// flagTable returns a table of the flags of the command for which wanted returns true, with their
// descriptions.
func flagTable(c *cobra.Command, wanted func(*pflag.Flag) bool) string {
	some := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if wanted(f) {
			some.AddFlag(f)
		}
	})
	return some.FlagUsagesWrapped(words.LineWidth)
}

// shortFlags returns a table of the common flags of the command. Each flag is on one line if
// possible.
func shortFlags(c *cobra.Command) string {
	var names, texts []string
	width := 0
	for _, name := range commonFlags[c.Name()] {
		f := c.Flags().Lookup(name)
		if f == nil {
			continue
		}
		value, text := pflag.UnquoteUsage(f)
		if short := shortUsages[name]; short != "" {
			text = short
		}
		lead := "      --" + name
		if f.Shorthand != "" {
			lead = "  -" + f.Shorthand + ", --" + name
		}
		switch {
		case strings.HasPrefix(value, "["):
			lead += value
		case value != "" && f.Value.Type() != "bool":
			lead += " " + strings.ToUpper(strings.NewReplacer("strings", "list", "string", valueNames[name]).Replace(value))
		}
		names, texts, width = append(names, lead), append(texts, text), max(width, len(lead))
	}
	var b strings.Builder
	for i, lead := range names {
		lead += strings.Repeat(" ", width+2-len(lead))
		b.WriteString(fold(lead+texts[i], strings.Repeat(" ", len(lead))) + "\n")
	}
	return b.String()
}

// commands writes the groups of subcommands of the command.
func (p *page) commands(c *cobra.Command) {
	for i, list := range commandLists(c) {
		p.section(groups[i].title, list)
	}
}

// description returns the full description of a command.
func description(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}

// exitStatus returns the paragraph about the exit status in the description of the command.
func exitStatus(c *cobra.Command) string {
	for _, paragraph := range strings.Split(c.Long, "\n\n") {
		if strings.HasPrefix(paragraph, "Exit status:") {
			return strings.ReplaceAll(paragraph, "\n", " ")
		}
	}
	return ""
}

// mostExamples is the maximum number of examples on a short page of a command that also has a
// long page.
const mostExamples = 3

// shownExamples returns the examples for the short page. A command with a long page shows only its
// first examples here.
func shownExamples(c *cobra.Command) string {
	if !hasLongHelp(c) {
		return c.Example
	}
	all := strings.Split(c.Example, "\n\n")
	return strings.Join(all[:min(len(all), mostExamples)], "\n\n")
}

// commandLists returns one text for each group: the list of those subcommands of the command that
// belong to the group.
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
		lead := fmt.Sprintf("  %-14s ", sub.Name())
		lists[at] += fold(lead+sub.Short, strings.Repeat(" ", len(lead))) + "\n"
	}
	return lists
}
