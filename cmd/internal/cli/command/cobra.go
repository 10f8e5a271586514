// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The files of this and of other packages that import cobra are not part of dovetail-engine, the
// program for browsers. Cobra would make it a third larger.

// Command completes c with the shared parts of all commands: it checks arguments, adds common
// flags, and sets do as the action.
func (r *Run) Command(c *cobra.Command, do func() error) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 && strings.HasPrefix(args[0], ".") && c.Flags().Lookup(ForceFlag) != nil {
			return Usagef("unexpected argument %q: to give a path to a flag, write it after =, as in --%s=%s", args[0], ForceFlag, args[0])
		}
		if len(args) > 0 {
			return Usagef("unexpected argument %q%s", args[0], flagFor(c, args[0]))
		}
		return nil
	}
	if flags := c.Flags(); flags.Lookup("filename") != nil || flags.Lookup("old") != nil {
		r.Masks.Register(flags)
	}
	if c.Flags().HasFlags() {
		c.Flags().StringVar(&r.colour, "color", colours[0], "when to color the output: "+strings.Join(colours, ", ")+"; auto colors terminals, unless NO_COLOR is set")
		OneOf(c.Flags(), "color", colours...)
	}
	c.DisableFlagsInUseLine = true
	c.RunE = func(*cobra.Command, []string) error {
		if err := r.chooseColour(); err != nil {
			return err
		}
		r.Started, r.Name = true, c.Name()
		return do()
	}
	return c
}

// flagFor returns a text with the flag of c that accepts arg. It returns "" if there is no such
// flag.
func flagFor(c *cobra.Command, arg string) string {
	for _, f := range [][2]string{{"old-crd", "--old-crd"}, {"filename", "-f"}, {"old", "--old"}} {
		if c.Flags().Lookup(f[0]) != nil {
			return fmt.Sprintf(": files are given with flags, as in %s %s", f[1], arg)
		}
	}
	if c.Flags().Lookup("type") != nil {
		return fmt.Sprintf(": types are given with a flag, as in --type %s", arg)
	}
	return ""
}
