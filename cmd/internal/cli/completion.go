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

// shells lists the shells that the command completion supports.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(r *command.Run) *cobra.Command {
	c := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script for shell completion",
		Long: `Print a script that adds completion for dovetail to bash, zsh, fish or PowerShell. The Tab key
then completes commands, flags and values: file names, output formats, the managers of the
objects in -f and --live, and the types in the schemas.

kubectl looks for a program named kubectl_complete-dovetail to complete "kubectl dovetail".
If you use dovetail as a kubectl plugin, create a link to dovetail with this name
in a directory on PATH.`,
		Example: `  # bash: load the script in this shell. To load it in every shell, add the second command to ~/.bashrc.
  dovetail completion bash > dovetail.bash
  source dovetail.bash

  # zsh and fish load the script from these directories. For PowerShell, load it in your profile.
  dovetail completion zsh > "${fpath[1]}/_dovetail"
  dovetail completion fish > ~/.config/fish/completions/dovetail.fish
  dovetail completion powershell > dovetail.ps1`,
		ValidArgs: shells,
	}
	c = r.Command(c, func() error {
		args := c.Flags().Args()
		if len(args) != 1 || !slices.Contains(shells, args[0]) {
			return command.Usagef("name one shell as the argument: %s", strings.Join(shells, ", "))
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

// completes reports whether a shell runs the program to request completions. In all other cases,
// the program does not set up completions, because cobra keeps a command with completions in memory
// forever.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// setCompletions sets the completions for all flag values and arguments of root and its
// subcommands.
func setCompletions(r *command.Run, root *cobra.Command) {
	for _, c := range root.Commands() {
		setCompletions(r, c)
	}
	root.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			return
		}
		// This call fails only if the flag already has a completion.
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

// filesOfFlag returns the files that the command line names with a flag so far. It leaves out
// standard input, because standard input cannot be read during completion.
func filesOfFlag(c *cobra.Command, flag string) (names []string) {
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

// managersIn completes the name of a field manager. It suggests the managers of the objects in
// --live and -f.
func managersIn(r *command.Run) completer {
	return func(c *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, file := range append(filesOfFlag(c, "live"), filesOfFlag(c, "filename")...) {
			data, shown, err := input.ReadFile(r, "completion", file)
			if err != nil {
				continue
			}
			objects, _ := manifest.Read(shown, data) // after an error in the file, use the objects before the error
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

// typesIn completes the value of --type. With --schema, it suggests the types in the file.
// Otherwise, it suggests the built-in kinds and the kinds in the files of --crd and --openapi.
func typesIn(r *command.Run) completer {
	return func(c *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		s := sources.Flags{
			CRDs:     input.Files{Flag: "--crd", Names: filesOfFlag(c, "crd")},
			OpenAPIs: input.Files{Flag: "--openapi", Names: filesOfFlag(c, "openapi")},
		}
		if names := filesOfFlag(c, "schema"); len(names) > 0 {
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

// beginningWith returns the names that begin with prefix, sorted and without duplicates.
func beginningWith(prefix string, names []string) (found []string) {
	for _, n := range names {
		if n != "" && strings.HasPrefix(n, prefix) {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
