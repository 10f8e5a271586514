// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cases is the form of the portable cases of server-side apply, and the cases.
package cases

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"

	"github.com/dovetail-ssa/dovetail/spec/model"
)

// Group is the cases of one schema.
type Group struct {
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`  // as structured-merge-diff has it; the type is called object
	OpenAPI json.RawMessage `json:"openapi"` // the same as the schema of a CustomResourceDefinition
	Cases   []Case          `json:"cases"`
}

// Case is a request in a state, and what becomes of it.
type Case struct {
	Name    string  `json:"name"`
	About   string  `json:"about"`
	Level   int     `json:"level"`
	Op      string  `json:"op"` // apply or update
	Manager string  `json:"manager"`
	Force   bool    `json:"force,omitempty"`
	Live    any     `json:"live"`
	Owners  []Owner `json:"owners"`
	Object  any     `json:"object"` // that is applied, or written by the update
	Want    Want    `json:"want"`
}

// Want is what becomes of a request: an object and its owners, or conflicts.
type Want struct {
	Object    any        `json:"object,omitempty"`
	Owners    []Owner    `json:"owners,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
}

// Conflict is a field that the request would change and that a manager owns.
type Conflict struct {
	Manager string          `json:"manager"`
	Path    []model.Element `json:"path"` // as FieldsV1 writes them
}

// Owner is a manager and its field set.
type Owner struct {
	Manager  string          `json:"manager"`
	Applied  bool            `json:"applied"`
	FieldsV1 json.RawMessage `json:"fieldsV1"`
}

//go:embed testdata/*.json
var files embed.FS

// All are the cases.
func All() ([]Group, error) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var all []Group
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("testdata", e.Name()))
		if err != nil {
			return nil, err
		}
		var g Group
		if err := json.Unmarshal(text, &g); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, g)
	}
	return all, nil
}

// Write returns a group as its file has it: a case a line.
func (g Group) Write() ([]byte, error) {
	var b bytes.Buffer
	name, err := json.Marshal(g.Name)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\"name\": %s,\n\"schema\": %s,\n\"openapi\": %s,\n\"cases\": [\n", name, g.Schema, g.OpenAPI)
	for i, c := range g.Cases {
		text, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		b.Write(text)
		if i < len(g.Cases)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}
