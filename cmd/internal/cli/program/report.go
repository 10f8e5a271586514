// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// CheckReport validates the output of a command against the schema of its reports. It returns
// the name of the command, or "" if the output is not a report.
func CheckReport(args []string, stdout []byte) (command string, err error) {
	if command = reportCommand(args); command == "" || !bytes.HasPrefix(stdout, []byte("{")) {
		return "", nil
	}
	schema, err := reportSchema(command)
	if err != nil {
		return command, err
	}
	if outputForm(args) == "ndjson" {
		if stdout, err = documentOf(stdout); err != nil {
			return command, err
		}
	}
	got, err := jsonschema.UnmarshalJSON(bytes.NewReader(stdout))
	if err == nil {
		err = schema.Validate(got)
	}
	return command, err
}

// documentOf converts a report in NDJSON to one JSON document. The last line of the report is
// the summary.
func documentOf(lines []byte) ([]byte, error) {
	all := bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n"))
	last := all[len(all)-1]
	if !bytes.HasPrefix(last, []byte(`{"summary":`)) {
		return nil, fmt.Errorf("the last line is no summary: %.200s", last)
	}
	objects := bytes.Join(all[:len(all)-1], []byte(","))
	return fmt.Appendf(nil, `%s,"objects":[%s]}`, bytes.TrimSuffix(last, []byte("}")), objects), nil
}

// reportCommand returns the name of the command in args if the command prints a report, and ""
// otherwise.
func reportCommand(args []string) string {
	if len(args) == 0 {
		return ""
	}
	if form := outputForm(args); form == "report" || form == "ndjson" {
		return args[0]
	}
	return ""
}

// outputForm returns the value of the last -o in args.
func outputForm(args []string) (form string) {
	for i, a := range args {
		if before := args[max(i-1, 0)]; before == "-o" || before == "--output" {
			form = a
		} else if m := outputFlag.FindStringSubmatch(a); m != nil {
			form = m[1]
		}
	}
	return form
}

// outputFlag matches an argument that contains both -o and its value.
var outputFlag = regexp.MustCompile(`^(?:-o=?|--output=)(\w+)$`)

// ReportCommands returns the commands that print reports, according to the schema of all
// reports.
func ReportCommands() ([]string, error) {
	schema, err := printedSchema()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, alternative := range schema.(map[string]any)["anyOf"].([]any) {
		names = append(names, path.Base(alternative.(map[string]any)["$ref"].(string)))
	}
	return names, nil
}

// printedSchema runs the command report-schema with args, and returns its output.
func printedSchema(args ...string) (any, error) {
	var stdout, stderr bytes.Buffer
	env := command.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
	if cli.Run(append([]string{"report-schema"}, args...), env) != command.StatusDone {
		return nil, errors.New(stderr.String())
	}
	return jsonschema.UnmarshalJSON(&stdout)
}

// schemas caches the compiled schema of each command.
var schemas sync.Map

func reportSchema(name string) (*jsonschema.Schema, error) {
	if s, ok := schemas.Load(name); ok {
		return s.(*jsonschema.Schema), nil
	}
	text, err := printedSchema(name)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, text); err != nil {
		return nil, err
	}
	s, err := c.Compile(name)
	if err != nil {
		return nil, err
	}
	schemas.Store(name, s)
	return s, nil
}
