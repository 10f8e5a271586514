// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
)

// reportSchema is the JSON schema of all reports. A test generates it from the Go types of reports.
//
//go:generate go test . -run TestReportSchemaMatchesTypes -update
//go:embed reports.schema.json
var reportSchema []byte

func newReportSchema(r *command.Run) *cobra.Command {
	c := &cobra.Command{
		Use:   "report-schema [COMMAND]",
		Short: "Print the JSON schema of reports",
		Long: `Print a JSON schema (draft 2020-12) for the output of COMMAND with -o report. This output is:

  {"summary": {...}, "objects": [...]}

"summary" describes the whole run: the number of objects, the exit status, the Kubernetes
release, and all notes, warnings and errors that belong to no object. "objects" has one
report for each object. For upgrade-check, it has only the types that change and the live
objects that they affect. The schema does not describe Kubernetes objects inside a report.

With -o ndjson, each line is one item of "objects". The last line is {"summary": {...}}.

Without COMMAND, print one schema for all reports. Its "$defs" has a schema for each
command, under the name of the command.

Later versions may add fields, which the schema allows. They may also add names of rules and
reasons, for which the schema allows any string.`,
		Example: `  # Print the schema of one command.
  dovetail report-schema diff > diff.schema.json

  # Print the schema of all commands.
  dovetail report-schema > reports.schema.json`,
	}
	c = r.Command(c, func() error {
		args := c.Flags().Args()
		switch len(args) {
		case 0:
			r.Out.Write(reportSchema)
			return nil
		case 1:
			return writeReportSchema(r, args[0])
		}
		return command.Usagef("give at most one COMMAND, not %d", len(args))
	})
	c.Args = cobra.ArbitraryArgs
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		all, _ := readReportSchema() // without a schema, suggest nothing
		return all.commands(), cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

// schemaDocument is a JSON schema whose definitions are still encoded.
type schemaDocument struct {
	Schema string `json:"$schema"`
	Ref    string `json:"$ref,omitempty"`
	AnyOf  []struct {
		Ref string `json:"$ref"`
	} `json:"anyOf,omitempty"`
	Defs map[string]json.RawMessage `json:"$defs"`
}

const inDefs = "#/$defs/"

// reference matches references to definitions in a schema.
var reference = regexp.MustCompile(`"#/\$defs/([^"]+)"`)

func readReportSchema() (all schemaDocument, err error) {
	return all, json.Unmarshal(reportSchema, &all)
}

// commands returns the names of the commands that print reports.
func (s *schemaDocument) commands() (names []string) {
	for _, alternative := range s.AnyOf {
		names = append(names, strings.TrimPrefix(alternative.Ref, inDefs))
	}
	return names
}

// writeReportSchema writes the schema for the reports of one command, together with all
// definitions that this schema needs.
func writeReportSchema(r *command.Run, name string) error {
	all, err := readReportSchema()
	if err != nil {
		return err
	}
	if names := all.commands(); !slices.Contains(names, name) {
		return command.Usagef("command %q prints no reports; these do: %s", name, strings.Join(names, ", "))
	}
	out := schemaDocument{Schema: all.Schema, Ref: inDefs + name, Defs: map[string]json.RawMessage{}}
	for wanted := []string{name}; len(wanted) > 0; wanted = wanted[1:] {
		def := all.Defs[wanted[0]]
		out.Defs[wanted[0]] = def
		for _, found := range reference.FindAllSubmatch(def, -1) {
			if to := string(found[1]); out.Defs[to] == nil {
				wanted = append(wanted, to)
			}
		}
	}
	return encode.JSON(&r.Out, out)
}
