// Code generated from engine/upstream by go generate; DO NOT EDIT.

// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ours

import (
	"bytes"
	"fmt"
	"io"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
)

type set struct{ s *fieldpath.Set }

func bytesReader(b []byte) io.Reader { return bytes.NewReader(b) }

func (s set) JSON() ([]byte, error)    { return s.s.ToJSON() }
func (s set) String() string           { return s.s.String() }
func (s set) Size() int                { return s.s.Size() }
func (s set) Empty() bool              { return s.s.Empty() }
func (s set) Equals(o engine.Set) bool { return s.s.Equals(o.(set).s) }

func (s set) Apply(op string, other engine.Set) engine.Set {
	switch op {
	case "leaves":
		return set{s.s.Leaves()}
	case "copy":
		return set{copySet(s.s)}
	}
	o := other.(set).s
	switch op {
	case "union":
		return set{s.s.Union(o)}
	case "intersection":
		return set{s.s.Intersection(o)}
	case "difference":
		return set{s.s.Difference(o)}
	case "recursive":
		return set{s.s.RecursiveDifference(o)}
	}
	panic(fmt.Sprintf("no set operation %q", op))
}

func (s set) Prefix(serialized string) (engine.Set, error) {
	pe, err := fieldpath.DeserializePathElement(serialized)
	if err != nil {
		return nil, err
	}
	return set{s.s.WithPrefix(pe)}, nil
}

func (s set) Has(paths engine.Set) []bool {
	var out []bool
	paths.(set).s.Iterate(func(p fieldpath.Path) { out = append(out, s.s.Has(p)) })
	return out
}

func (s set) Filter(f engine.Filter) (engine.Set, error) {
	native, err := filter(f)
	if err != nil {
		return nil, err
	}
	return set{native.Filter(s.s)}, nil
}

func (s set) First(n int) []string {
	var out []string
	for p := range all(s.s) {
		out = append(out, p.String())
		if len(out) == n {
			break
		}
	}
	return out
}
