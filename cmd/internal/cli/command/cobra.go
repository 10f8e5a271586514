// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// A build tag excludes the files that import cobra from dovetail-engine, the program for
// browsers. Cobra would make that program a third larger.

// LegendTitle is the key of an annotation of a command. The annotation explains the comments in the
// output of the command. The short help shows it in a section with the same title.
const LegendTitle = "Comments"

// Command completes c with the features that all commands share, and returns c. The completed
// command rejects arguments, has the common flags, and runs the function do.
func (r *Run) Command(c *cobra.Command, do func() error) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 && strings.HasPrefix(args[0], ".") && c.Flags().Lookup(ForceFlag) != nil {
			name := ForceFlag
			for _, other := range []string{YieldFlag, ShareFlag} {
				if c.Flags().Changed(other) && !c.Flags().Changed(ForceFlag) {
					name = other
				}
			}
			return Usagef("unexpected argument %q: write a path directly after the flag and =, as in --%s=%s", args[0], name, args[0])
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
		c.Flags().StringVar(&r.colour, "color", colours[0], "color the output: "+strings.Join(colours, ", ")+"; auto uses color on terminals unless NO_COLOR is set")
		OneOf(c.Flags(), "color", colours...)
	}
	c.DisableFlagsInUseLine = true
	c.RunE = func(c *cobra.Command, _ []string) error {
		r.chooseForm(c.Flags())
		if err := r.chooseColour(); err != nil {
			return err
		}
		r.Started, r.Name = true, c.Name()
		return do()
	}
	return c
}

// flagFor returns a hint that names the flag of the command that accepts arg. It returns "" if
// there is no such flag.
func flagFor(c *cobra.Command, arg string) string {
	for _, f := range [][2]string{{"old-crd", "--old-crd"}, {"filename", "-f"}, {"old", "--old"}} {
		if c.Flags().Lookup(f[0]) != nil {
			return fmt.Sprintf(": pass files with a flag, as in %s %s", f[1], arg)
		}
	}
	if c.Flags().Lookup("type") != nil {
		return fmt.Sprintf(": pass a type with a flag, as in --type %s", arg)
	}
	return ""
}
