// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
)

func newMan(r *command.Run) *cobra.Command {
	c := &cobra.Command{
		Use:    "man DIR",
		Short:  "Write manual pages",
		Hidden: true, // only people who package the program need it
		Long: `Write a manual page for each command into a directory: dovetail.1, dovetail-apply.1 and so on.
The command creates the directory if necessary. A given build always writes the same pages.`,
		Example: `  dovetail man man1
  man ./man1/dovetail-apply.1`,
	}
	c = r.Command(c, func() error {
		args := c.Flags().Args()
		if len(args) != 1 {
			return command.Usagef("give one directory DIR, not %d", len(args))
		}
		return writePages(c.Root(), args[0])
	})
	c.Args = cobra.ArbitraryArgs
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return c
}

// writePages writes the manual pages of the command and its subcommands.
func writePages(c *cobra.Command, dir string) error {
	if dir == "" {
		return command.Usagef("DIR is empty: give the name of a directory")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return input.FileError(dir, err)
	}
	markUp(c)
	header := &doc.GenManHeader{Section: "1", Source: "dovetail", Manual: "Dovetail", Date: builtAt()}
	return writePage(c, *header, dir)
}

// writePage writes the manual page of the command and, recursively, the manual pages of its
// subcommands.
func writePage(c *cobra.Command, header doc.GenManHeader, dir string) error {
	for _, below := range c.Commands() {
		if !below.IsAvailableCommand() || below.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writePage(below, header, dir); err != nil {
			return err
		}
	}
	var page bytes.Buffer
	if err := doc.GenMan(c, &header, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + "." + header.Section
	return input.WriteFile(filepath.Join(dir, name), page.Bytes(), wholefile.ForAll)
}

// builtAt returns the time of the commit from which the program was built, or nil if it is unknown.
func builtAt() *time.Time {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return nil
	}
	for _, s := range info.Settings {
		if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			return &t
		}
	}
	return nil
}

// markUp converts the help texts of the command and its subcommands to Markdown, because the
// generator of manual pages reads Markdown.
func markUp(c *cobra.Command) {
	c.DisableAutoGenTag = true
	c.Long = markdown(description(c))
	for _, sub := range c.Commands() {
		markUp(sub)
	}
}

var inMarkdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, "#", `\#`)

// markdown converts plain text to Markdown. Indented lines become code blocks.
func markdown(text string) string {
	var b strings.Builder
	block := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, " ")
		if indented != block && strings.TrimSpace(line) != "" {
			if !strings.HasSuffix(b.String(), "\n\n") {
				b.WriteByte('\n')
			}
			block = indented
		}
		if block {
			b.WriteString("    " + line)
		} else {
			b.WriteString(inMarkdown.Replace(line))
		}
	}
	return b.String()
}
