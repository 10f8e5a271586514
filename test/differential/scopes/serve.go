// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scopes

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
)

// Request is a request of ssa-conformance.
type Request struct {
	cases.Case
	Schema   json.RawMessage
	Versions map[string]cases.Version
}

// Answerer answers a request. A returned error is also an answer: the request failed with this
// error.
type Answerer func(Request) (cases.Want, error)

// By returns an Answerer that runs the cases of levels 1 and 2 with an engine.
func By(e engine.Engine) Answerer {
	return func(c Request) (cases.Want, error) { return answer(e, c) }
}

// Serve answers the requests of ssa-conformance. It spells FieldsV1 as the given profile
// requires. If managed is nil, it does not support requests of level 3.
func Serve(by, managed Answerer, profile model.Profile, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var request Request
		if err := cases.Read(line, &request); err != nil {
			return err
		}
		answer := struct {
			Name string `json:"name"`
			cases.Want
			Unsupported string `json:"unsupported,omitempty"`
		}{Name: request.Name}
		do := by
		if request.Level == 3 {
			do = managed
		}
		if p := request.Profile; p != "" && p != profile {
			answer.Unsupported = "only writes profile " + string(profile)
		} else if do == nil {
			answer.Unsupported = "does not support metadata.managedFields"
		} else if answer.Want, err = do(request); err != nil {
			answer.Want = cases.Want{Error: err.Error()}
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

func answer(e engine.Engine, c Request) (cases.Want, error) {
	var want cases.Want
	if c.Op == "codec" {
		set, err := e.Set(*c.Document)
		if err != nil {
			return want, err
		}
		text, err := set.JSON()
		d := cases.Document(text)
		return cases.Want{Document: &d}, err
	}
	s := State{cases.Whole(c.Live), model.Managers{}}
	for _, o := range c.Owners {
		set, err := model.Decode(o.FieldsV1)
		if err != nil {
			return want, err
		}
		s.Owners[o.Manager] = model.Entry{Version: cmp.Or(o.Version, version), Applied: o.Applied, Set: set}
	}
	r, err := newRunner(e, string(c.Schema), cases.Group{Versions: c.Versions})
	if err != nil {
		return want, err
	}
	r.version = cmp.Or(c.Version, version)
	if c.Op == "extract" {
		want.Object, err = r.Extract(s, c.Manager)
		return want, err
	}
	step := Step{Op: c.Op, Manager: c.Manager, Object: compact(c.Object)}
	if c.Force {
		step.Op = "force"
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
