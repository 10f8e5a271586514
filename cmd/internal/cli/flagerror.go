package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/internal/suggest"
)

// unknownFlag finds the flag in what the parser of flags says of one it does not know.
var unknownFlag = regexp.MustCompile(`^unknown (?:flag: (--[^ =]+)|shorthand flag: '.' in (-[^ ]+))$`)

// kubectlFlags are flags of kubectl that mean nothing here, and why.
var kubectlFlags = map[string]string{
	"--server-side":         "every apply here is server-side",
	"--dry-run":             "nothing here writes to a cluster",
	"--kubeconfig":          "nothing here talks to a cluster",
	"--context":             "nothing here talks to a cluster",
	"-n":                    objectsSayNamespace,
	"--namespace":           objectsSayNamespace,
	"-A":                    objectsSayNamespace,
	"--all-namespaces":      objectsSayNamespace,
	"--show-managed-fields": "give it to kubectl get",
}

const objectsSayNamespace = "an object is in the namespace that it names; one that names none is matched with the one live object of its name"

// flagError says of a flag that c does not have which one may be meant. Flags before
// a command belong to none: the command may be what is misspelt.
func flagError(r *run) func(*cobra.Command, error) error {
	return func(c *cobra.Command, err error) error {
		found := unknownFlag.FindStringSubmatch(err.Error())
		if found == nil {
			return err
		}
		if !c.HasParent() && len(r.args) > 0 && !strings.HasPrefix(r.args[0], "-") {
			return c.Args(c, r.args)
		}
		name := found[1] + found[2]
		if why := kubectlFlags[name]; why != "" {
			return usagef("%v: %s", err, why)
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		meant := ""
		if found[1] != "" {
			if meant = suggest.Nearest(strings.TrimPrefix(name, "--"), names); meant != "" {
				meant = "--" + meant
			}
		}
		return usagef("%v%s", err, didYouMean(meant))
	}
}
