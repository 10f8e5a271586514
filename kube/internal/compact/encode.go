// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package compact

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/schema"
)

const magic = "dovetail types 1\n"

// Content is the content of a table.
type Content struct {
	// Release is the Kubernetes release of the types.
	Release string
	// Types lists the types. Their names must be unique.
	Types []schema.TypeDef
	Kinds []Kind
}

// Kind describes a kind of object and names its type.
type Kind struct {
	Group, Version, Kind string
	// Type is the name of the type.
	Type string
	// Resource is the plural resource name, or "" if it is not known.
	Resource string
	// Scope is 1 for namespaced kinds, 2 for cluster-wide kinds, and 0 if it is not known.
	Scope        uint8
	Subresources []string
}

// Encode encodes content. The order of types and kinds does not affect the result. Encode returns
// an error if the format does not support the content, for example because of a reference to a
// missing type, a required field that is not declared, or a default that is not JSON.
func Encode(c Content) ([]byte, error) {
	e := encoder{strings: map[string]int{}, types: map[string]int{}}
	slices.SortFunc(c.Types, func(a, b schema.TypeDef) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	for i := range c.Types {
		e.types[c.Types[i].Name] = i
	}
	if len(e.types) != len(c.Types) {
		return nil, fmt.Errorf("want each type only once, found a type name twice")
	}

	kinds := e.part(func() { e.kinds(c.Kinds) })
	var records [][]byte
	for i := range c.Types {
		td := &c.Types[i]
		records = append(records, e.part(func() {
			e.transition(td.Transition)
			e.atom(td.Atom)
			e.value(td.Default)
		}))
		if e.err != nil {
			return nil, fmt.Errorf("%s: %w", td.Name, e.err)
		}
	}
	index := e.part(func() {
		e.number(len(c.Types))
		for i := range c.Types {
			e.text(c.Types[i].Name)
			e.number(len(records[i]))
		}
	})
	names := e.part(func() {
		e.number(len(e.order))
		for _, s := range e.order {
			e.number(len(s))
		}
		for _, s := range e.order {
			e.out = append(e.out, s...)
		}
	})
	if e.err != nil {
		return nil, e.err
	}

	body := slices.Concat(names, kinds, index, bytes.Join(records, nil))
	out := binary.AppendUvarint([]byte(magic), uint64(len(c.Release)))
	out = append(out, c.Release...)
	out = binary.AppendUvarint(out, uint64(len(body)))
	buf := bytes.NewBuffer(out)
	w, err := flate.NewWriter(buf, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

type encoder struct {
	out     []byte
	strings map[string]int
	order   []string
	types   map[string]int
	err     error
}

// part returns the bytes that the function f writes.
func (e *encoder) part(f func()) []byte {
	e.out = nil
	f()
	return e.out
}

func (e *encoder) number(n int) { e.out = binary.AppendUvarint(e.out, uint64(n)) }

func (e *encoder) text(s string) {
	i, ok := e.strings[s]
	if !ok {
		i = len(e.order)
		e.strings[s] = i
		e.order = append(e.order, s)
	}
	e.number(i)
}

// value writes a default, or 0 if there is none. Defaults are stored as JSON in the list of
// strings, so value writes the index of the JSON text, plus one.
func (e *encoder) value(v any) { e.number(e.valueNumber(v)) }

func (e *encoder) valueNumber(v any) int {
	if v == nil {
		return 0
	}
	data, err := json.Marshal(v)
	if err != nil {
		e.err = err
		return 0
	}
	i, ok := e.strings[string(data)]
	if !ok {
		i = len(e.order)
		e.strings[string(data)] = i
		e.order = append(e.order, string(data))
	}
	return i + 1
}

func (e *encoder) kinds(kinds []Kind) {
	kinds = slices.Clone(kinds)
	slices.SortFunc(kinds, func(a, b Kind) int {
		return slices.Compare([]string{a.Group, a.Version, a.Kind}, []string{b.Group, b.Version, b.Kind})
	})
	e.number(len(kinds))
	for _, k := range kinds {
		for _, s := range []string{k.Group, k.Version, k.Kind, k.Type, k.Resource} {
			e.text(s)
		}
		e.number(int(k.Scope))
		e.number(len(k.Subresources))
		for _, s := range k.Subresources {
			e.text(s)
		}
	}
}
