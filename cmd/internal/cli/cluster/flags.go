// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// Flags are the flags that say which cluster objects and types come from, and which of its
// objects.
type Flags struct {
	kubeconfig, context, namespace, as string
	groups                             []string
	timeout                            time.Duration
	all                                bool
	selector                           string
	// names are arguments: what kubectl get takes.
	names []string
	// selection says that there are flags for which objects are read.
	selection bool
	// set is where the flags are registered, nil if they are not.
	set    *pflag.FlagSet
	opened *Cluster
}

// Register adds the flags that say which cluster, and which of its namespaces.
func (f *Flags) Register(flags *pflag.FlagSet) {
	f.set = flags
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig `file` of the cluster to read from (default as kubectl)")
	flags.StringVar(&f.context, "context", "", "`name` of the kubeconfig context of the cluster to read from")
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of objects that name none")
	flags.StringVar(&f.as, "as", "", "`user` to impersonate")
	flags.StringArrayVar(&f.groups, "as-group", nil, "`group` to impersonate (repeatable)")
	flags.DurationVar(&f.timeout, "request-timeout", time.Minute, "time limit of each request to the cluster")
}

// RegisterSelection adds those, and the flags that say which objects of the cluster are read.
func (f *Flags) RegisterSelection(flags *pflag.FlagSet) {
	f.Register(flags)
	f.selection = true
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "read the objects of all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "read only objects with these `labels`, such as app=web")
}

// TakeNames lets c, which is wired, have the names of objects as arguments: deployment/web.
func (f *Flags) TakeNames(r *command.Run, c *cobra.Command) *cobra.Command {
	refuse := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 || isFile(args[0]) || !strings.Contains(args[0], "/") && !f.asked() && !r.Plugin() {
			return refuse(c, args)
		}
		f.names = args
		return nil
	}
	return c
}

// isFile says whether an argument is meant to be a file, which belongs to a flag.
func isFile(arg string) bool {
	if strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "/") || slices.ContainsFunc([]string{".yaml", ".yml", ".json"}, func(s string) bool { return strings.HasSuffix(arg, s) }) {
		return true
	}
	_, err := os.Stat(arg)
	return err == nil
}

// asked says whether one of the flags is given.
func (f *Flags) asked() bool {
	if f.set == nil {
		return false
	}
	return slices.ContainsFunc([]string{"kubeconfig", "context", "namespace", "as", "as-group", "all-namespaces", "selector"}, f.set.Changed)
}

// Asked says whether types and objects are to come from a cluster.
func (f *Flags) Asked() bool { return f.asked() || len(f.names) > 0 || f.opened != nil }

// Want is called by a command that needs live objects where no files are given: called as
// kubectl dovetail, the program reads the cluster of kubectl's own context then.
func (f *Flags) Want(r *command.Run) bool {
	if f.set != nil && r.Plugin() && !f.Asked() {
		_ = f.set.Set("context", "") // it was registered
	}
	return f.Asked()
}

// Selects says whether a command that takes objects as files has them from the cluster: it is
// asked for without files.
func (f *Flags) Selects(r *command.Run) bool {
	return f.selection && f.Want(r)
}

// Named says whether the flags or arguments say which objects of the cluster are read.
func (f *Flags) Named() bool { return f.all || f.selector != "" || len(f.names) > 0 }

// Everywhere reads the objects of all namespaces, unless one is given.
func (f *Flags) Everywhere() { f.all = f.all || !f.namespaceGiven() }

// Open connects to the cluster. It is asked nothing yet.
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

// Opened is the cluster that was connected to, nil if none was.
func (f *Flags) Opened() *Cluster { return f.opened }

// namespaceGiven says whether -n is given.
func (f *Flags) namespaceGiven() bool { return f.set != nil && f.set.Changed("namespace") }
