// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// The names that make the program a plugin of kubectl: one runs it, the other is asked
// what to complete.
const (
	pluginName     = command.PluginName
	pluginComplete = "kubectl_complete-dovetail"
)

// programName returns the name of a program in a path.
func programName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

// calledAs makes root and args what the name says by which the program was called.
func calledAs(name string, root *cobra.Command, args []string) []string {
	switch name {
	case pluginComplete:
		args = append([]string{cobra.ShellCompNoDescRequestCmd}, args...)
	case pluginName:
	default:
		return args
	}
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl dovetail"}
	return args
}

// call finds where examples call the program: at the beginning, or behind a pipe.
var call = regexp.MustCompile(`(?m)(^ *|[|(] )dovetail `)

// asCalled returns examples of c that call the program as it was called.
func asCalled(c *cobra.Command, examples string) string {
	if name := c.Root().CommandPath(); name != "dovetail" {
		return call.ReplaceAllString(examples, "${1}"+name+" ")
	}
	return examples
}
