// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package cluster

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// AcceptNames makes c accept names of objects as arguments, such as deployment/web. If the
// command line has -f, the names select objects in these files. Otherwise, they select objects
// in the cluster. Call AcceptNames after c.Args is set.
func (f *Flags) AcceptNames(r *command.Run, c *cobra.Command) *cobra.Command {
	noNames := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 && c.Flags().Changed("filename") && !looksLikeFile(args[0]) {
			f.namesInFiles = args
			return nil
		}
		if len(args) == 0 || isFile(args[0]) || !strings.Contains(args[0], "/") && !f.anyChanged() && !r.Plugin() {
			return noNames(c, args)
		}
		f.names = args
		return nil
	}
	return c
}
