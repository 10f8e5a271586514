package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMan(r *run) *cobra.Command {
	c := &cobra.Command{
		Use:    "man DIR",
		Short:  "Manual pages, for packages",
		Hidden: true, // for who packages the program
		Long: `Write a manual page for each command into a directory that is there: dovetail.1,
dovetail-apply.1 and so on. The same program writes the same pages.`,
		Example: `  mkdir -p man1
  dovetail man man1
  man ./man1/dovetail-apply.1`,
	}
	c = r.command(c, func() error {
		args := c.Flags().Args()
		if len(args) != 1 {
			return usagef("want one DIR, got %d", len(args))
		}
		return writePages(c.Root(), args[0])
	})
	c.Args = cobra.ArbitraryArgs
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return c
}

// writePages writes the pages of c and of what is below it.
func writePages(c *cobra.Command, dir string) error {
	name := filepath.Join(dir, pageName(c)+".1")
	if err := os.WriteFile(name, []byte(manPage(c)), 0o644); err != nil {
		return fileError(name, err)
	}
	for _, sub := range pagesBelow(c) {
		if err := writePages(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// pagesBelow returns the commands below c that have a page.
func pagesBelow(c *cobra.Command) (subs []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			subs = append(subs, sub)
		}
	}
	return subs
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the manual page of a command, in the macros of man(7). Help texts are
// plain text, not Markdown, so that what makes pages of that would misread them.
func manPage(c *cobra.Command) string {
	p := &manual{}
	p.macro("TH", strings.ToUpper(pageName(c)), "1", "", "dovetail", "Dovetail")
	p.macro("SH", "NAME")
	p.line(pageName(c) + " - " + c.Short)
	p.macro("SH", "SYNOPSIS")
	usage := c.UseLine()
	if c.HasAvailableSubCommands() {
		usage = c.CommandPath() + " COMMAND"
	}
	p.line(usage)
	p.macro("SH", "DESCRIPTION")
	p.text(description(c))
	if subs := pagesBelow(c); len(subs) > 0 {
		p.macro("SH", "COMMANDS")
		for _, sub := range subs {
			p.item(sub.Name(), "", sub.Short)
		}
	}
	p.macro("SH", "OPTIONS")
	c.InitDefaultHelpFlag()
	c.LocalFlags().VisitAll(p.flag)
	if c.Example != "" {
		p.macro("SH", "EXAMPLES")
		p.verbatim(c.Example)
	}
	p.macro("SH", "SEE ALSO")
	var also []string
	if c.HasParent() {
		also = append(also, pageName(c.Parent())+"(1)")
	}
	for _, sub := range pagesBelow(c) {
		also = append(also, pageName(sub)+"(1)")
	}
	p.line(strings.Join(also, ", "))
	return p.String()
}

// manual is a page that is written.
type manual struct{ strings.Builder }

var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`)

func (p *manual) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		p.WriteString(` "` + strings.ReplaceAll(roff.Replace(a), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// line writes a line of text.
func (p *manual) line(text string) {
	if strings.HasPrefix(text, ".") {
		p.WriteString(`\&`)
	}
	p.WriteString(roff.Replace(text) + "\n")
}

// text writes paragraphs; what is indented stays as it is.
func (p *manual) text(text string) {
	for _, paragraph := range strings.Split(text, "\n\n") {
		p.macro("PP")
		if strings.HasPrefix(paragraph, " ") {
			p.verbatim(paragraph)
			continue
		}
		lines := strings.Split(paragraph, "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, " ") {
				p.verbatim(strings.Join(lines[i:], "\n"))
				break
			}
			p.line(line)
		}
	}
}

func (p *manual) verbatim(text string) {
	p.macro("nf")
	for _, line := range strings.Split(text, "\n") {
		p.line(line)
	}
	p.macro("fi")
}

// item writes what something is, which takes an argument, or none.
func (p *manual) item(name, argument, text string) {
	p.macro("TP")
	p.WriteString(`\fB` + roff.Replace(name) + `\fR`)
	if argument != "" {
		p.WriteString(` \fI` + roff.Replace(argument) + `\fR`)
	}
	p.WriteByte('\n')
	p.line(text)
}

func (p *manual) flag(f *pflag.Flag) {
	argument, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	p.item(name, argument, usage)
}
