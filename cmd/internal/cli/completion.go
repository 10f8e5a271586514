// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// shells are the shells with completion.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(r *command.Run) *cobra.Command {
	c := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script for shell completion",
		Long: `Print a script for bash, zsh, fish or powershell that completes commands, flags and their
values: files, output formats, the managers of the objects in -f and --live, and the types of
the schemas.

If you use the program as a kubectl plugin, kubectl calls kubectl_complete-dovetail for
completion. Create a link to the program with this name in a folder of PATH.`,
		Example: `  # bash: for this shell; put it into ~/.bashrc for all shells.
  dovetail completion bash > dovetail.bash
  source dovetail.bash

  # zsh, fish and PowerShell: where they look for it.
  dovetail completion zsh > "${fpath[1]}/_dovetail"
  dovetail completion fish > ~/.config/fish/completions/dovetail.fish
  dovetail completion powershell > dovetail.ps1`,
		ValidArgs: shells,
	}
	c = r.Command(c, func() error {
		args := c.Flags().Args()
		if len(args) != 1 || !slices.Contains(shells, args[0]) {
			return command.Usagef("want one of %s", strings.Join(shells, ", "))
		}
		root := c.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(&r.Out, true)
		case "zsh":
			return root.GenZshCompletion(&r.Out)
		case "fish":
			return root.GenFishCompletion(&r.Out, true)
		default:
			return root.GenPowerShellCompletionWithDesc(&r.Out)
		}
	})
	c.Args = cobra.ArbitraryArgs
	return c
}

type completer = func(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective)

// completes reports whether args are a shell's request for completions. Only then does the
// program set completions, because cobra never frees commands with completions.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// setCompletions sets the completion of all flag values and arguments of root and its subcommands.
func setCompletions(r *command.Run, root *cobra.Command) {
	for _, c := range root.Commands() {
		setCompletions(r, c)
	}
	root.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			return
		}
		// It fails only for flags that have a completion already.
		_ = root.RegisterFlagCompletionFunc(f.Name, completerOf(r, f))
	})
	if root.ValidArgsFunction == nil && root.ValidArgs == nil && root.Name() != helpName {
		root.ValidArgsFunction = noFiles
		if argumentFile.MatchString(root.Use) {
			root.ValidArgsFunction = manifests
		}
	}
}

func completerOf(r *command.Run, f *pflag.Flag) completer {
	if values := f.Annotations[command.ValuesAnnotation]; values != nil {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	switch f.Name {
	case "field-manager", "from", "to":
		return managersIn(r)
	case "type":
		return typesIn(r)
	case "subresource":
		return cobra.FixedCompletions([]string{"status", "scale"}, cobra.ShellCompDirectiveNoFileComp)
	case "html":
		return cobra.FixedCompletions([]string{"html"}, cobra.ShellCompDirectiveFilterFileExt)
	case "schema":
		return manifests
	}
	if f.Value.Type() == input.FileType {
		return manifests
	}
	return noFiles
}

func noFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func manifests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// given returns the files given with a flag so far, except standard input, which is not available
// during completion.
func given(c *cobra.Command, flag string) (names []string) {
	f := c.Flags().Lookup(flag)
	if f == nil {
		return nil
	}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		names = list.GetSlice()
	} else if f.Value.String() != "" {
		names = []string{f.Value.String()}
	}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "-" })
}

// managersIn completes with the managers of the objects in --live and -f.
func managersIn(r *command.Run) completer {
	return func(c *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, file := range append(given(c, "live"), given(c, "filename")...) {
			data, shown, err := input.ReadFile(r, "completion", file)
			if err != nil {
				continue
			}
			objects, _ := manifest.Read(shown, data) // objects before an error are enough
			for _, o := range objects {
				metadata, _ := o.Content["metadata"].(map[string]any)
				entries, _ := metadata["managedFields"].([]any)
				for _, e := range entries {
					entry, _ := e.(map[string]any)
					names = append(names, unstructured.Text(entry, "manager"))
				}
			}
		}
		return beginningWith(toComplete, names), cobra.ShellCompDirectiveNoFileComp
	}
}

// typesIn completes with the types of --schema, or with the kinds of the other sources.
func typesIn(r *command.Run) completer {
	return func(c *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		s := sources.Flags{
			CRDs:     input.Files{Flag: "--crd", Names: given(c, "crd")},
			OpenAPIs: input.Files{Flag: "--openapi", Names: given(c, "openapi")},
		}
		if names := given(c, "schema"); len(names) > 0 {
			s.Schema = names[0]
		}
		t, err := sources.Read(r, &s, false)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if t.Parser != nil {
			return beginningWith(toComplete, t.Parser.TypeNames()), cobra.ShellCompDirectiveNoFileComp
		}
		names := t.Catalog.Types()
		for _, k := range t.Catalog.Kinds() {
			names = append(names, k.APIVersion+"/"+k.Kind)
		}
		return beginningWith(toComplete, names), cobra.ShellCompDirectiveNoFileComp
	}
}

// beginningWith returns the names with a prefix, sorted and without duplicates.
func beginningWith(prefix string, names []string) (found []string) {
	for _, n := range names {
		if n != "" && strings.HasPrefix(n, prefix) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
