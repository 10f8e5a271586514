// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Change is a change of one mapping in an object: of fields that go, of one that
// comes, and of one of its lists.
type Change struct {
	// Steps lead to the mapping: names of fields and indexes of items.
	Steps []any
	// Remove are the fields that go, if they are there.
	Remove []string
	// Set is the name of a field that comes, "" for none; the mapping must not have
	// it. Value is a scalar or an empty map or list.
	Set   string
	Value any
	// Field is the name of the list, which may be missing; "" for none.
	Field string
	// Drop says which items go. Add are the items that come, behind those that
	// stay; they are rendered as package yaml/v3 renders them. A list that is
	// left without items goes itself.
	Drop func(item any) bool
	Add  []any
}

// Edit returns data with the changes that change asks for in each object. What
// is not changed stays as it is, to the byte, where the mappings that change stand
// in lines of their own. Otherwise the document is written anew: with its comments,
// the order of its keys and how scalars are quoted, but blank lines go, aliases
// become what they stand for, and JSON becomes YAML. name is the file's name for
// messages.
//
// The error is Errors, those of Read or about changes that cannot be made; or
// what change returns. data is not written to.
func Edit(name string, data []byte, change func(o *Object) ([]Change, error)) ([]byte, error) {
	if _, err := Read(name, data); err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var out bytes.Buffer
	for _, d := range split(name, data) {
		text, err := d.edit(change)
		if err != nil {
			return nil, err
		}
		if out.Len() > 0 && !isMarker(text, "---") {
			out.WriteString("---\n")
		}
		out.Write(text)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}

// edit returns the text of the document with all changes.
func (d *document) edit(change func(o *Object) ([]Change, error)) ([]byte, error) {
	roots, errs := d.decode()
	if errs != nil {
		return nil, errs
	}
	type located struct {
		*Object
		changes []Change
	}
	var all []located
	for _, root := range roots {
		objects, errs := root.objects()
		if errs != nil {
			return nil, errs
		}
		for _, o := range objects {
			changes, err := change(o)
			if err != nil {
				return nil, err
			}
			if len(changes) > 0 {
				all = append(all, located{o, changes})
			}
		}
	}
	if len(all) == 0 {
		return d.data, nil
	}
	if len(roots) > 1 {
		return nil, Errors{{File: d.file, Line: d.line, Message: "several JSON values in one document cannot be changed; separate them with ---"}}
	}
	var n yaml.Node
	if err := yaml.Unmarshal(d.data, &n); err != nil {
		return nil, Errors{{File: d.file, Line: d.line, Message: fmt.Sprintf("cannot be changed: %v", err)}}
	}
	shiftLines(&n, d.line-1)
	form := formOf(&n)
	var every []Change
	for _, o := range all {
		for _, c := range o.changes {
			c.Steps = slices.Concat(o.steps, c.Steps)
			every = append(every, c)
		}
	}
	spliced, whole := d.splice(&n, form, every)
	want := mapped(roots[0].value)
	for _, c := range every {
		// A change of data that is decoded already cannot fail: it is made in the
		// text first.
		if m := at(want, c.Steps); m != nil {
			changed(m, c)
		}
	}
	if whole && d.means(spliced, want) {
		return spliced, nil
	}
	expand(&n)
	if body, _, ok := d.json(); ok {
		if _, err := decodeJSON(body); err == nil {
			block(&n)
		}
	}
	for _, c := range every {
		if err := d.change(n.Content[0], c); err != nil {
			return nil, Errors{err}
		}
	}
	text, err := form.render(&n)
	if err != nil {
		return nil, Errors{{File: d.file, Line: d.line, Message: fmt.Sprintf("cannot be written: %v", err)}}
	}
	if isMarker(d.data, "---") {
		text = append([]byte("---\n"), text...)
	}
	if !d.means(text, want) {
		return nil, Errors{{File: d.file, Line: d.line, Message: "cannot be written in another way that means the same; write it without tags and multi-line scalars"}}
	}
	return text, nil
}

// means says whether a text has one value.
func (d *document) means(text []byte, value any) bool {
	got, err := Values(d.file, text)
	return err == nil && len(got) == 1 && reflect.DeepEqual(got[0], value)
}

// mapped is a copy of a value of JSON as YAML has it: 1.0 is an integer.
func mapped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, c := range v {
			m[k] = mapped(c)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, c := range v {
			l[i] = mapped(c)
		}
		return l
	case float64:
		return number(v)
	}
	return v
}

// at returns the mapping that steps lead to, all of which are there.
func at(v any, steps []any) map[string]any {
	for _, s := range steps {
		switch s := s.(type) {
		case string:
			v = v.(map[string]any)[s]
		case int:
			v = v.([]any)[s]
		}
	}
	m, _ := v.(map[string]any)
	return m
}

// changed makes a change in plain data.
func changed(m map[string]any, c Change) {
	for _, f := range c.Remove {
		delete(m, f)
	}
	if c.Set != "" {
		m[c.Set] = c.Value
	}
	if c.Field == "" {
		return
	}
	old, _ := m[c.Field].([]any)
	var items []any
	for _, item := range old {
		if c.Drop == nil || !c.Drop(item) {
			items = append(items, item)
		}
	}
	for _, item := range c.Add {
		text, err := yaml.Marshal(item)
		if err != nil {
			continue // the text could not be written either
		}
		if values, err := Values("", text); err == nil {
			items = append(items, values...)
		}
	}
	if len(items) == 0 {
		delete(m, c.Field)
		return
	}
	m[c.Field] = items
}
