// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"bytes"
	"encoding/json"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// inputs reads the arguments of a call that contain objects or files. Such an argument is a string
// or JSON data. Errors in JSON data have no line, so inputs remembers which arguments are JSON
// data.
type inputs struct {
	// data holds the names of the arguments that are JSON data.
	data map[string]bool
}

func (in *inputs) isData(name string) bool { return in.data[name] }

// text returns an argument as text. For a string, this is the content of the string. For JSON data,
// it is the JSON text itself.
func (in *inputs) text(name string, given json.RawMessage) ([]byte, *problem) {
	given = bytes.TrimSpace(given)
	if len(given) == 0 || given[0] != '"' {
		if in.data == nil {
			in.data = map[string]bool{}
		}
		in.data[name] = true
		return given, nil
	}
	var text string
	if err := json.Unmarshal(given, &text); err != nil {
		return nil, badRequest("%s: %v", name, err)
	}
	if err := checkText([]byte(text)); err != nil {
		err.Source = name
		return nil, err
	}
	return []byte(text), nil
}

// object reads an argument with one object. If the argument is missing or contains no object, it
// returns nil without an error.
func (in *inputs) object(name string, given json.RawMessage) (*manifest.Object, []*problem) {
	given = bytes.TrimSpace(given)
	if len(given) == 0 || string(given) == "null" {
		return nil, nil
	}
	text, bad := in.text(name, given)
	if bad != nil {
		return nil, []*problem{bad}
	}
	objects, err := manifest.Read(name, text)
	if err != nil {
		return nil, in.errorProblems(err)
	}
	switch len(objects) {
	case 0:
		return nil, nil
	case 1:
		return objects[0], nil
	}
	second := objects[1].Errorf("", "pass only one object, not %d", len(objects))
	return nil, in.problemsOf(manifest.Errors{second})
}

// requiredObject is like object, but returns an error if there is no object.
func (in *inputs) requiredObject(name string, given json.RawMessage) (*manifest.Object, []*problem) {
	o, errs := in.object(name, given)
	if o == nil && len(errs) == 0 {
		bad := badRequest("there is no object in %s", name)
		bad.Source = name
		return nil, []*problem{bad}
	}
	return o, errs
}
