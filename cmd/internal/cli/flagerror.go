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

// unknownFlag finds the flag in what the parser of flags says of one it does not know: its
// name, or its letter.
var unknownFlag = regexp.MustCompile(`^unknown (?:flag: (--[^ =]+)|shorthand flag: '(.)' in -.*)$`)

// kubectlFlags are flags of kubectl that mean nothing here, and why.
var kubectlFlags = map[string]string{
	"--server-side":         "every apply here is server-side",
	"--dry-run":             "nothing here writes to a cluster",
	"--kubeconfig":          readsFiles,
	"--context":             readsFiles,
	"-n":                    objectsSayNamespace,
	"--namespace":           objectsSayNamespace,
	"-A":                    objectsSayNamespace,
	"--all-namespaces":      objectsSayNamespace,
	"--show-managed-fields": "give it to kubectl get",
}

const readsFiles = "this command reads files alone"

const objectsSayNamespace = "an object is in the namespace that it names; one that names none is matched with the one live object of its name"

// flagError says of a flag that c does not have which one may be meant. Flags before
// a command belong to none: the command may be what is misspelt.
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
		if why != "" {
			return command.Usagef("%v: %s", err, why)
		}
		return command.Usagef("%v%s", err, words.DidYouMean(flagLike(c, name)))
	}
}

// filesOf says how a command that has no -f is given its files, empty if it has none.
func filesOf(c *cobra.Command) string {
	if argument := argumentFile.FindString(c.Use); argument != "" {
		return "files are arguments, as in " + c.CommandPath() + " " + argument
	}
	if c.Flags().Lookup("old") != nil {
		return "files are given with --old and --new"
	}
	return ""
}

// argumentFile finds the files among what is called for in the usage of a command.
var argumentFile = regexp.MustCompile(`\b(FILE\.\.\.|CRD$)`)

// flagLike returns the flag of c that may be meant by a name, with its dashes, that none
// has: one that is spelled alike, or else the only one that begins with it. Empty if there
// is none.
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
