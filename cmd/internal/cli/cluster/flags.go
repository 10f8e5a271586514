// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// Flags are the flags that select a cluster and its objects.
type Flags struct {
	kubeconfig, context, namespace, as string
	groups                             []string
	timeout                            time.Duration
	all                                bool
	selector                           string
	// names are the arguments of the command, in the form of kubectl get. namesInFiles are the
	// arguments if the command has files.
	names, namesInFiles []string
	// selection reports whether the command has flags that select objects.
	selection bool
	// set has the flags. It is nil before Register.
	set    *pflag.FlagSet
	opened *Cluster
}

// Register adds the flags that select a cluster and a namespace.
func (f *Flags) Register(flags *pflag.FlagSet) {
	f.set = flags
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig `file` of the cluster to read from (default as kubectl)")
	flags.StringVar(&f.context, "context", "", "`name` of the kubeconfig context of the cluster to read from")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of objects without a namespace")
	flags.StringVar(&f.as, "as", "", "`user` to impersonate")
	flags.StringArrayVar(&f.groups, "as-group", nil, "`group` to impersonate (repeatable)")
	flags.DurationVar(&f.timeout, "request-timeout", time.Minute, "time limit of each request to the cluster")
}

// RegisterSelection adds the flags of Register, and the flags that select objects of the cluster.
func (f *Flags) RegisterSelection(flags *pflag.FlagSet) {
	f.Register(flags)
	f.selection = true
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "read the objects of all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "read only objects with these `labels`, such as app=web")
}

// isFile reports whether an argument is probably a file, for which -f is missing.
func isFile(arg string) bool {
	_, err := os.Stat(arg)
	return err == nil || looksLikeFile(arg)
}

// looksLikeFile reports whether an argument has the form of a file name.
func looksLikeFile(arg string) bool {
	return strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "/") || slices.ContainsFunc([]string{".yaml", ".yml", ".json"}, func(s string) bool { return strings.HasSuffix(arg, s) })
}

// given lists the flags on the command line that make a command read a cluster.
func (f *Flags) given() (all []string) {
	if f.set == nil {
		return nil
	}
	for _, name := range []string{"kubeconfig", "context", "namespace", "as", "as-group", "all-namespaces", "selector"} {
		if f.set.Changed(name) {
			all = append(all, "--"+name)
		}
	}
	return all
}

// anyChanged reports whether one of the flags is given.
func (f *Flags) anyChanged() bool { return len(f.given()) > 0 }

// Enabled reports whether types and objects come from a cluster.
func (f *Flags) Enabled() bool { return f.anyChanged() || len(f.names) > 0 || f.opened != nil }

// EnableForPlugin reports whether types and objects come from a cluster. Commands without files
// of live objects call it. If the program runs as kubectl dovetail, such a command uses the
// cluster of kubectl's current context.
func (f *Flags) EnableForPlugin(r *command.Run) bool {
	if f.set != nil && r.Plugin() && !f.Enabled() {
		_ = f.set.Set("context", "") // cannot fail, since Register adds the flag
	}
	return f.Enabled()
}

// Selects reports whether the flags and arguments select the objects of a command in the
// cluster. Call it only if the command has no files. It returns false if the command does not
// have the flags of RegisterSelection.
func (f *Flags) Selects(r *command.Run) bool {
	return f.selection && f.EnableForPlugin(r)
}

// CanSelect reports whether the command has the flags of RegisterSelection.
func (f *Flags) CanSelect() bool { return f.selection }

// Named reports whether flags or arguments select objects of the cluster.
func (f *Flags) Named() bool { return f.all || f.selector != "" || len(f.names) > 0 }

// NamesInFiles returns the arguments that name objects in the files of -f.
func (f *Flags) NamesInFiles() []string { return f.namesInFiles }

// DefaultToAllNamespaces selects the objects of all namespaces, unless -n is given.
func (f *Flags) DefaultToAllNamespaces() { f.all = f.all || !f.namespaceGiven() }

// Open returns the client for the cluster. It sends no request. Later calls return the same client.
func (f *Flags) Open(r *command.Run) (*Cluster, error) {
	if f.opened == nil {
		c, err := dial(r, f)
		if err != nil {
			return nil, err
		}
		f.opened = c
	}
	return f.opened, nil
}

// Opened returns the client, or nil before Open.
func (f *Flags) Opened() *Cluster { return f.opened }

// namespaceGiven reports whether -n is given.
func (f *Flags) namespaceGiven() bool { return f.set != nil && f.set.Changed("namespace") }
