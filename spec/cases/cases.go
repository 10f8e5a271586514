// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cases contains portable test cases for server-side apply. Cases of levels 1 to 3 test a
// merge engine. Cases of level 4 are stories: each is a series of requests to a server. The file
// README.md explains the fields of the cases, and how to compare results.
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

// Group is a set of cases with one schema. A group has no schema if its cases only decode and
// encode FieldsV1 documents.
type Group struct {
	Name     string             `json:"name"`
	Schema   json.RawMessage    `json:"schema,omitempty"`   // in the schema format of structured-merge-diff; the root type is named "object"
	OpenAPI  json.RawMessage    `json:"openapi,omitempty"`  // the same type as an OpenAPI schema, as in a CustomResourceDefinition
	Versions map[string]Version `json:"versions,omitempty"` // every version except v1
	Cases    []Case             `json:"cases"`
}

// Version describes one version of a group's objects. Every group has the version v1, which
// needs no description. Group.Versions must list all other versions.
type Version struct {
	Type    string            `json:"type"` // the name of the version's type in Schema
	OpenAPI json.RawMessage   `json:"openapi"`
	Renames map[string]string `json:"renames"` // maps the v1 name of each renamed top-level field to its name in this version
	// Lacks and Needs list top-level fields by their names in v1. An object cannot be converted to this
	// version if it has a field in Lacks, or if it is missing a field in Needs.
	Lacks []string `json:"lacks,omitempty"`
	Needs []string `json:"needs,omitempty"`
}

// Case is a request, together with the state before it and the expected result. At level 1, the
// request is a FieldsV1 document, which the implementation must decode and encode again. At
// level 2, the state includes the field owners. At level 3, the objects contain
// metadata.managedFields instead.
type Case struct {
	Name  string   `json:"name"`
	About string   `json:"about,omitempty"`
	Rules []string `json:"rules,omitempty"` // the rules that this case tests; it must fail if one of these rules is broken in the model
	Level int      `json:"level"`
	Op    string   `json:"op"` // apply, update, extract or codec

	Manager string  `json:"manager,omitempty"`
	Force   bool    `json:"force,omitempty"`
	Version string  `json:"version,omitempty"` // the version of the request and of Live; empty means v1
	Live    any     `json:"live,omitempty"`
	Owners  []Owner `json:"owners,omitempty"`
	Object  any     `json:"object,omitempty"` // the config of an apply, or the new object of an update

	// Only cases of level 3 have the following fields, which describe the endpoint and the time
	// of the request.
	Subresource string          `json:"subresource,omitempty"`
	Untracked   json.RawMessage `json:"untracked,omitempty"` // the fields that the endpoint resets, as FieldsV1; they are the same in every version
	Now         string          `json:"now,omitempty"`       // the time of the request, in whole seconds

	Document *Document     `json:"document,omitempty"` // the input, if Op is codec
	Profile  model.Profile `json:"profile,omitempty"`  // the profile for the output; empty if all profiles produce the same output

	Want Want `json:"want,omitzero"`
}

// Want is the expected result of a request. It is one of these: an object with its owners, conflicts, an
// error, or a document.
type Want struct {
	Object    any        `json:"object,omitempty"`
	Owners    []Owner    `json:"owners,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
	Document  *Document  `json:"document,omitempty"`
	Error     string     `json:"error,omitempty"` // not empty if the request must fail; the text of the error is not compared
}

// Conflict is a field that another manager owns and that the request would change.
type Conflict struct {
	Manager string          `json:"manager"`
	Path    []model.Element `json:"path"` // the path elements, as FieldsV1 spells them
}

// Owner is a manager and its field set.
type Owner struct {
	Manager  string          `json:"manager"`
	Applied  bool            `json:"applied"`
	Version  string          `json:"version,omitempty"` // the version of FieldsV1; empty means v1
	FieldsV1 json.RawMessage `json:"fieldsV1"`
}

// Document contains the bytes of a FieldsV1 document. It is encoded in JSON as a string, or as
// {"base64": "…"} if the bytes are not valid UTF-8.
type Document []byte

// MarshalJSON implements json.Marshaler.
func (d Document) MarshalJSON() ([]byte, error) {
	if utf8.Valid(d) {
		return json.Marshal(string(d))
	}
	return json.Marshal(map[string][]byte{"base64": d})
}

// UnmarshalJSON implements json.Unmarshaler.
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

// All returns all cases of levels 1 to 3.
func All() ([]Group, error) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var all []Group
	for _, e := range entries {
		if e.IsDir() {
			continue // a folder with stories, which Stories reads
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

// Read decodes JSON, such as a file of cases, into the variable to which the second argument
// points. Numbers in fields of type any become json.Number, so that 1.0 and 1 remain different.
func Read(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// Write returns the contents of the group's file, with one case per line.
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
