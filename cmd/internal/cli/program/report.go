// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"errors"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

// CheckReport holds what a command line printed to the schema of its reports, which the
// program has, and returns the command; "" if it was asked for something else.
func CheckReport(args []string, stdout []byte) (command string, err error) {
	if command = reports(args); command == "" || len(stdout) == 0 || !strings.ContainsRune("{[", rune(stdout[0])) {
		return "", nil
	}
	schema, err := reportSchema(command)
	if err != nil {
		return command, err
	}
	all := [][]byte{stdout}
	if form(args) == "ndjson" {
		all = bytes.Split(bytes.TrimSuffix(stdout, []byte("\n")), []byte("\n"))
	}
	for _, text := range all {
		got, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = schema.Validate(got)
		}
		if err != nil {
			return command, err
		}
	}
	return command, nil
}

// reports is the command that args ask for a report, if they do.
func reports(args []string) string {
	if len(args) == 0 {
		return ""
	}
	form := form(args)
	if name := args[0]; form == "report" || form == "ndjson" || form == "json" && name == "owners" {
		return name
	}
	return ""
}

// form is the form of output that args ask for.
func form(args []string) (form string) {
	for i, a := range args { // the last one counts
		if before := args[max(i-1, 0)]; before == "-o" || before == "--output" {
			form = a
		} else if m := outputFlag.FindStringSubmatch(a); m != nil {
			form = m[1]
		}
	}
	return form
}

// outputFlag is the flag with its value in one argument.
var outputFlag = regexp.MustCompile(`^(?:-o=?|--output=)(\w+)$`)

// Reporting are the commands that have reports, as the schema of all has it.
func Reporting() ([]string, error) {
	schema, err := printed()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, way := range schema.(map[string]any)["anyOf"].([]any) {
		names = append(names, path.Base(way.(map[string]any)["$ref"].(string)))
	}
	return names, nil
}

// printed is what report-schema prints.
func printed(args ...string) (any, error) {
	var stdout, stderr bytes.Buffer
	env := command.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
	if cli.Run(append([]string{"report-schema"}, args...), env) != command.StatusDone {
		return nil, errors.New(stderr.String())
	}
	return jsonschema.UnmarshalJSON(&stdout)
}

// schemas are those that were asked for, by command.
var schemas sync.Map

func reportSchema(name string) (*jsonschema.Schema, error) {
	if s, ok := schemas.Load(name); ok {
		return s.(*jsonschema.Schema), nil
	}
	text, err := printed(name)
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
