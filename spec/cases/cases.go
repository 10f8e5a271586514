// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cases is the form of the portable cases of server-side apply, and the cases: those of an engine, and
// stories of requests to a server.
package cases

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/spec/model"
)

// Group is the cases of one schema. Those of the codec need none.
type Group struct {
	Name     string             `json:"name"`
	Schema   json.RawMessage    `json:"schema,omitempty"`   // as structured-merge-diff has it; the type is called object
	OpenAPI  json.RawMessage    `json:"openapi,omitempty"`  // the same as the schema of a CustomResourceDefinition
	Versions map[string]Version `json:"versions,omitempty"` // beside v1
	Cases    []Case             `json:"cases"`
}

// Version is another version of the objects of a group. What is not named here is no version any more.
type Version struct {
	Type    string            `json:"type"` // in the schema
	OpenAPI json.RawMessage   `json:"openapi"`
	Renames map[string]string `json:"renames"` // fields at the top of v1, and what they are called in this one
	// Fields of v1 that an object may not have, and must have, to be converted to this version; else that fails.
	Lacks []string `json:"lacks,omitempty"`
	Needs []string `json:"needs,omitempty"`
}

// Case is a request in a state, and what becomes of it: at level 2 with owners, at level 3 with
// metadata.managedFields. At level 1 it is a document that is read as FieldsV1 and written again.
type Case struct {
	Name  string   `json:"name"`
	About string   `json:"about,omitempty"`
	Rules []string `json:"rules,omitempty"` // those that, broken in the model, make it fail
	Level int      `json:"level"`
	Op    string   `json:"op"` // apply, update, extract or codec

	Manager string  `json:"manager,omitempty"`
	Force   bool    `json:"force,omitempty"`
	Version string  `json:"version,omitempty"` // of the request and of live; v1 if it is not said
	Live    any     `json:"live,omitempty"`
	Owners  []Owner `json:"owners,omitempty"`
	Object  any     `json:"object,omitempty"` // that is applied, or written by the update

	// At level 3 objects have their managed fields in them, and there is the endpoint of the request.
	Subresource string          `json:"subresource,omitempty"`
	Untracked   json.RawMessage `json:"untracked,omitempty"` // FieldsV1 of what it sets back, in every version
	Now         string          `json:"now,omitempty"`       // the time, in whole seconds

	Document *Document     `json:"document,omitempty"` // of the codec
	Profile  model.Profile `json:"profile,omitempty"`  // how it is written; if it is not said, it is the same in all

	Want Want `json:"want,omitzero"`
}

// Want is what becomes of a request: an object and its owners, or conflicts, or an error; or a document.
type Want struct {
	Object    any        `json:"object,omitempty"`
	Owners    []Owner    `json:"owners,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
	Document  *Document  `json:"document,omitempty"`
	Error     string     `json:"error,omitempty"` // the words say nothing
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
	Version  string          `json:"version,omitempty"` // v1 if it is not said
	FieldsV1 json.RawMessage `json:"fieldsV1"`
}

// Document is the bytes of a document: in JSON a string, or {"base64": "…"} if they are no UTF-8.
type Document []byte

// MarshalJSON writes a document.
func (d Document) MarshalJSON() ([]byte, error) {
	if utf8.Valid(d) {
		return json.Marshal(string(d))
	}
	return json.Marshal(map[string][]byte{"base64": d})
}

// UnmarshalJSON reads a document.
func (d *Document) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) == nil {
		*d = Document(s)
		return nil
	}
	var encoded struct{ Base64 []byte }
	err := json.Unmarshal(text, &encoded)
	*d = encoded.Base64
	return err
}

//go:embed testdata/*.json testdata/http/*.json
var files embed.FS

// All are the cases.
func All() ([]Group, error) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var all []Group
	for _, e := range entries {
		if e.IsDir() {
			continue // stories
		}
		text, err := files.ReadFile(path.Join("testdata", e.Name()))
		if err != nil {
			return nil, err
		}
		var g Group
		if err := Read(text, &g); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, g)
	}
	return all, nil
}

// Read reads JSON that has cases in it, and leaves numbers as they are written: 1.0 is not 1.
func Read(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// Write returns a group as its file has it: a case a line.
func (g Group) Write() ([]byte, error) {
	var b bytes.Buffer
	name, err := compact(g.Name)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\"name\": %s,\n", name)
	if g.Schema != nil {
		fmt.Fprintf(&b, "\"schema\": %s,\n\"openapi\": %s,\n", g.Schema, g.OpenAPI)
	}
	if g.Versions != nil {
		versions, err := compact(g.Versions)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\"versions\": %s,\n", versions)
	}
	b.WriteString("\"cases\": [\n")
	for i, c := range g.Cases {
		text, err := compact(c)
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

func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
