// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
)

// unknownFlag matches the flag parser's error about an unknown flag. It captures the name or
// the letter of the flag.
var unknownFlag = regexp.MustCompile(`^unknown (?:flag: (--[^ =]+)|shorthand flag: '(.)' in -.*)$`)

// kubectlFlags maps kubectl flags that dovetail does not have to explanations for the user.
var kubectlFlags = map[string]string{
	"--server-side":         "every apply here is server-side",
	"--dry-run":             "only --write changes a cluster",
	"--kubeconfig":          readsFiles,
	"--context":             readsFiles,
	"-n":                    objectsSayNamespace,
	"--namespace":           objectsSayNamespace,
	"-A":                    objectsSayNamespace,
	"--all-namespaces":      objectsSayNamespace,
	"--show-managed-fields": "add it to the kubectl get that writes the file",
	"-k":                    rendersKustomize,
	"--kustomize":           rendersKustomize,
}

const rendersKustomize = "render the directory first: kubectl kustomize DIR | dovetail COMMAND -f -"

const readsFiles = "this command reads only files"

const objectsSayNamespace = "set metadata.namespace in the object; an object without a namespace is matched with the only live object of its name"

// flagError returns a function that adds a suggestion to an error about an unknown flag. If the
// program does not know the command before the flag, the function reports the unknown command
// instead.
func flagError(r *command.Run) func(*cobra.Command, error) error {
	return func(c *cobra.Command, err error) error {
		found := unknownFlag.FindStringSubmatch(err.Error())
		if found == nil {
			return err
		}
		if !c.HasParent() && len(r.Args) > 0 && !strings.HasPrefix(r.Args[0], "-") {
			return c.Args(c, r.Args)
		}
		name := found[1]
		if found[2] != "" {
			name = "-" + found[2]
		}
		why := kubectlFlags[name]
		if name == "-f" || name == "--filename" {
			why = filesOf(c)
		}
		if name == "--declarative-defaults" && c.Name() == "doctor" {
			why = "leave it out: doctor always fills in the defaults of list keys"
		}
		if name == "--kubeconfig" && c.Flags().Lookup("kubeconfig-out") != nil {
			why = ""
		}
		why = strings.ReplaceAll(why, "COMMAND", c.Name())
		if why == "" && name != "--kubeconfig" {
			why = commandsWith(c, name)
		}
		if why != "" {
			return command.Usagef("%v: %s", err, why)
		}
		return command.Usagef("%v%s", err, words.DidYouMean(flagLike(c, name)))
	}
}

// commandsWith returns text that lists the commands that have a flag. It returns "" if there
// are none, or too many.
func commandsWith(c *cobra.Command, name string) string {
	const most = 8
	name, long := strings.CutPrefix(name, "--")
	var names []string
	for _, other := range c.Root().Commands() {
		if long && !other.Hidden && other.Flags().Lookup(name) != nil {
			names = append(names, other.Name())
		}
	}
	switch {
	case len(names) == 0 || len(names) > most:
		return ""
	case len(names) == 1:
		return "only " + names[0] + " has it"
	}
	return "only " + words.And(names) + " have it"
}

// filesOf explains how to pass files to a command that has no flag -f. It returns "" if the
// command reads no files.
func filesOf(c *cobra.Command) string {
	if argument := argumentFile.FindString(c.Use); argument != "" {
		return "give files as arguments: " + c.CommandPath() + " " + argument
	}
	if c.Flags().Lookup("old") != nil {
		return "give files with --old and --new"
	}
	return ""
}

// argumentFile matches a file argument in the usage line of a command.
var argumentFile = regexp.MustCompile(`\bFILE\.\.\.`)

// flagLike returns the flag of the command that the user probably meant by an unknown flag such as
// --label, or "". It prefers a flag with a similar name. If there is none, it accepts a flag that
// continues the name after a dash, such as --label-selector, but only if there is exactly one such
// flag.
func flagLike(c *cobra.Command, name string) string {
	name, long := strings.CutPrefix(name, "--")
	if !long {
		return ""
	}
	var names, longer []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		names = append(names, f.Name)
		if strings.HasPrefix(f.Name, name+"-") {
			longer = append(longer, f.Name)
		}
	})
	if near := suggest.Nearest(name, names); near != "" {
		return "--" + near
	}
	if len(longer) == 1 {
		return "--" + longer[0]
	}
	return ""
}
