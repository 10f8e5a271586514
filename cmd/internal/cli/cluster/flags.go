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

// Flags are the command-line flags that select a cluster and objects in it.
type Flags struct {
	kubeconfig, context, namespace, as string
	groups                             []string
	timeout                            time.Duration
	all                                bool
	selector                           string
	// names are the arguments that select objects in the cluster, as in "kubectl get". If the
	// command reads files, the arguments are in namesInFiles instead.
	names, namesInFiles []string
	// selection is set if the command has the flags of RegisterSelection.
	selection bool
	// set is the flag set. It is nil until Register is called.
	set    *pflag.FlagSet
	opened *Cluster
}

// Register adds the flags that select a cluster and a namespace.
func (f *Flags) Register(flags *pflag.FlagSet) {
	f.set = flags
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "read from the cluster of this kubeconfig `file` (default: the file that kubectl uses)")
	flags.StringVar(&f.context, "context", "", "read from the cluster of the kubeconfig context with this `name`")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of objects that do not specify one")
	flags.StringVar(&f.as, "as", "", "`user` to impersonate")
	flags.StringArrayVar(&f.groups, "as-group", nil, "`group` to impersonate (repeatable)")
	flags.DurationVar(&f.timeout, "request-timeout", time.Minute, "time limit of each request to the cluster")
}

// RegisterSelection adds the flags of Register, and the flags that select objects in the
// cluster.
func (f *Flags) RegisterSelection(flags *pflag.FlagSet) {
	f.Register(flags)
	f.selection = true
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "read the objects of all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "read only objects with these `labels`, such as app=web")
}

// isFile reports whether an argument is probably a file that the user gave without -f.
func isFile(arg string) bool {
	_, err := os.Stat(arg)
	return err == nil || looksLikeFile(arg)
}

// looksLikeFile reports whether an argument looks like a file name. It does not access the
// file system.
func looksLikeFile(arg string) bool {
	return strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "/") || slices.ContainsFunc([]string{".yaml", ".yml", ".json"}, func(s string) bool { return strings.HasSuffix(arg, s) })
}

// clusterFlags lists the flags on the command line that select a cluster.
func (f *Flags) clusterFlags() (all []string) {
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

// anyChanged reports whether the command line contains a flag that selects a cluster.
func (f *Flags) anyChanged() bool { return len(f.clusterFlags()) > 0 }

// Enabled reports whether the command reads types and objects from a cluster.
func (f *Flags) Enabled() bool { return f.anyChanged() || len(f.names) > 0 || f.opened != nil }

// EnableForPlugin is like Enabled. But if the program runs as the plugin "kubectl dovetail", it
// selects the cluster of kubectl's current context by default. Call it only if the command line
// gives no files of live objects.
func (f *Flags) EnableForPlugin(r *command.Run) bool {
	if f.set != nil && r.Plugin() && !f.Enabled() {
		_ = f.set.Set("context", "") // Register has added the flag
	}
	return f.Enabled()
}

// Selects reports whether the command reads objects from the cluster. For the kubectl plugin, it
// selects kubectl's current context by default. Call it only if the command line gives no files.
func (f *Flags) Selects(r *command.Run) bool {
	return f.selection && f.EnableForPlugin(r)
}

// CanSelect reports whether the command has the flags of RegisterSelection.
func (f *Flags) CanSelect() bool { return f.selection }

// Named reports whether the command line explicitly selects objects in the cluster, with -A,
// -l or arguments.
func (f *Flags) Named() bool { return f.all || f.selector != "" || len(f.names) > 0 }

// NamesInFiles returns the arguments that select objects in the files of -f.
func (f *Flags) NamesInFiles() []string { return f.namesInFiles }

// DefaultToAllNamespaces selects all namespaces, unless the command line contains -n.
func (f *Flags) DefaultToAllNamespaces() { f.all = f.all || !f.namespaceGiven() }

// Open returns the client for the cluster. All calls return the same client. Open sends no
// request.
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

// Opened returns the client that Open has returned, or nil if Open has not been called.
func (f *Flags) Opened() *Cluster { return f.opened }

// namespaceGiven reports whether the command line contains -n.
func (f *Flags) namespaceGiven() bool { return f.set != nil && f.set.Changed("namespace") }
