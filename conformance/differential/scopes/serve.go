// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dovetail-ssa/dovetail/conformance/differential/engine"
	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

// Serve answers what spec's ssa-conformance asks, by an engine.
func Serve(e engine.Engine, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var request struct {
			Schema json.RawMessage
			cases.Case
		}
		if err := json.Unmarshal(line, &request); err != nil {
			return err
		}
		answer := struct {
			Name string `json:"name"`
			cases.Want
			Error string `json:"error,omitempty"`
		}{Name: request.Name}
		if answer.Want, err = answered(e, request.Schema, request.Case); err != nil {
			answer.Error = err.Error()
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", text); err != nil {
			return err
		}
	}
}

func answered(e engine.Engine, schema []byte, c cases.Case) (cases.Want, error) {
	var want cases.Want
	s := State{c.Live, model.Managers{}}
	for _, o := range c.Owners {
		set, err := model.Decode(o.FieldsV1)
		if err != nil {
			return want, err
		}
		s.Owners[o.Manager] = model.Entry{Version: version, Applied: o.Applied, Set: set}
	}
	step := Step{Op: c.Op, Manager: c.Manager, Object: compact(c.Object)}
	if c.Force {
		step.Op = "force"
	}
	r, err := newRunner(e, string(schema))
	if err != nil {
		return want, err
	}
	o, err := r.Do(s, step)
	if err != nil {
		return want, err
	}
	for i, conflict := range o.Conflicts {
		name, _, _ := strings.Cut(conflict, " ")
		want.Conflicts = append(want.Conflicts, cases.Conflict{Manager: name, Path: model.Path(o.paths[i]).Elements()})
	}
	if o.Conflicts == nil {
		want.Object, want.Owners = o.Object, owners(o.State)
	}
	return want, nil
}
