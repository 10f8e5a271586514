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

// These are the names of the program as a kubectl plugin. kubectl runs the first name to
// execute commands, and the second name to get completions.
const (
	pluginName     = command.PluginName
	pluginComplete = "kubectl_complete-dovetail"
)

// programName returns the name of the program at a path.
func programName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

// calledAs makes root and args fit the name with which the program was called, such as
// kubectl-dovetail. It returns the new arguments.
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

// call finds the places in examples that call dovetail: at the start of a line, or after a pipe or
// an opening parenthesis.
var call = regexp.MustCompile(`(?m)(^ *|[|(] )dovetail `)

// asCalled returns examples for the name with which the program was called. In a kubectl plugin,
// it replaces "dovetail" by "kubectl dovetail".
func asCalled(c *cobra.Command, examples string) string {
	if name := c.Root().CommandPath(); name != "dovetail" {
		return call.ReplaceAllString(examples, "${1}"+name+" ")
	}
	return examples
}
