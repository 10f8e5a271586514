// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"errors"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Problem is one thing that is wrong with a value, as data: for programs that tell
// people in their own words. Errors of this package wrap one for each finding:
//
//	var p *typed.Problem
//	if errors.As(err, &p) { ... } // the first
//	for _, p := range typed.Problems(err) { ... } // all
//
// Rules and codes of hints are stable; texts are not. The text of ValidationErrors
// stays that of structured-merge-diff.
type Problem struct {
	// Path is where, as in the ValidationError.
	Path string
	// Rule is what was broken.
	Rule Rule
	// Found is the offending value as decoded JSON has it, with int64 for integers; nil if
	// that says nothing.
	Found any
	// Expected says what the type allows, if the value is of the wrong type: map, list,
	// string, number, boolean, or scalar, which is any of the last three.
	Expected string
	// Items are the indexes of the items that the problem is about: two with one
	// identity, or the one without any.
	Items []int
	// Hints are what may have been meant, the likeliest first.
	Hints []Hint

	message string
}

// Rule names what was broken.
type Rule string

// The rules, each with the smallest value that breaks it.
const (
	// WrongType: a string where the schema has a number.
	WrongType Rule = "wrong-type"
	// UndeclaredField: {b: 1} where the type declares only a.
	UndeclaredField Rule = "undeclared"
	// DuplicateItem: [x, x] in a set.
	DuplicateItem Rule = "duplicate"
	// NoIdentity: 3 in a list whose items are known by keys.
	NoIdentity Rule = "no-identity"
	// BadSchema: any value of a type that is not there.
	BadSchema Rule = "bad-schema"
	// TooDeep: lists within lists, ten thousand times and one more.
	TooDeep Rule = "too-deep"
)

// Hint is what may mend a problem.
type Hint struct {
	Code HintCode
	// Text is the field, for DidYouMean, or what to write, as YAML.
	Text string
}

// HintCode names a way to mend a problem.
type HintCode string

// The codes, each with the smallest value that leads to it.
const (
	// DidYouMean: {replica: 1} where the type declares replicas. Text is the name of that
	// field, or a path that begins with a dot if a field of that name stands at another
	// level.
	DidYouMean HintCode = "did-you-mean"
	// AddQuotes: 3, or true, where a string is wanted.
	AddQuotes HintCode = "add-quotes"
	// DropQuotes: "3" where a number is wanted, or "yes" where a boolean is.
	DropQuotes HintCode = "drop-quotes"
	// YAMLBoolean: a boolean where a string is wanted, or a field true, which may be
	// written y, yes or on: booleans in YAML 1.1, which Kubernetes reads.
	YAMLBoolean HintCode = "yaml-boolean"
	// MakeList: a map or a scalar where a list of such is wanted.
	MakeList HintCode = "make-list"
	// DropList: a list of one where that one is wanted.
	DropList HintCode = "drop-list"
)

// Problems returns all problems that err wraps, in their order.
func Problems(err error) (all []*Problem) {
	switch e := err.(type) {
	case nil:
		return nil
	case *Problem:
		return []*Problem{e}
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			all = append(all, Problems(part)...)
		}
		return all
	}
	return Problems(errors.Unwrap(err))
}

// Error says where, what is wanted and what is there, with the value as YAML, and what
// may have been meant.
func (p *Problem) Error() string {
	var b strings.Builder
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.message)
	for _, h := range p.Hints {
		switch h.Code {
		case DidYouMean, DropQuotes, MakeList, DropList:
			b.WriteString("; did you mean " + h.Text + "?")
		case AddQuotes:
			b.WriteString("; quote it: " + h.Text)
		case YAMLBoolean:
			b.WriteString("; y, yes and on without quotes are booleans in YAML 1.1, which Kubernetes reads")
		}
	}
	return b.String()
}

// problem returns the error as data, nil if it was not made from a finding.
func (ve ValidationError) problem() *Problem {
	if ve.origin == nil {
		return nil
	}
	f := ve.origin.finding
	known := *f
	known.Found = asJSON(f.Found, 0)
	f = &known
	p := &Problem{Path: ve.Path, Rule: Rule(f.Code), Found: f.Found, Expected: f.Want, message: f.Message}
	switch f.Code {
	case diag.WrongType:
		if f.Want == "" {
			break
		}
		p.message = "want " + f.Wanted() + ", got " + f.Got()
		p.Hints = ve.origin.mended(f.Found)
	case diag.Undeclared:
		p.Hints = ve.origin.meant(ve.Path)
	case diag.Duplicate:
		p.Items = []int{f.First, f.Second}
	case diag.NoIdentity:
		if f.Found != nil {
			p.Items = []int{f.First}
		}
	}
	return p
}

// asJSON copies a value, at some depth of another, as it would be decoded from JSON. What
// is too deep to be valid is left out.
func asJSON(v any, depth int) any {
	if depth > data.MaxDepth {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, c := range v {
			out[k] = asJSON(c, depth+1)
		}
		return out
	case map[any]any:
		out := make(map[string]any, len(v))
		for k, c := range v {
			name, ok := k.(string)
			if !ok {
				name = flow.Scalar(k)
			}
			out[name] = asJSON(c, depth+1)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = asJSON(c, depth+1)
		}
		return out
	case int:
		return int64(v)
	}
	return v
}

var hintCodes = map[suggest.RepairKind]HintCode{
	suggest.AddQuotes:   AddQuotes,
	suggest.DropQuotes:  DropQuotes,
	suggest.YAMLBoolean: YAMLBoolean,
	suggest.MakeList:    MakeList,
	suggest.DropList:    DropList,
}

// mended returns the hints for a value of the wrong type.
func (o *origin) mended(found any) (hints []Hint) {
	var atom schema.Atom
	if o.of.Schema != nil {
		if steps, _, ok := suggest.Steps(o.of.Schema, o.of.TypeRef, o.finding.Path); ok {
			atom, _ = suggest.TypeAt(o.of.Schema, o.of.TypeRef, steps)
		}
	}
	for _, m := range suggest.Value(o.finding.Want, found, atom, o.of.Schema) {
		hints = append(hints, Hint{hintCodes[m.Kind], m.Text})
	}
	return hints
}

// meant returns the hints for a field that is not declared. path is what its path is by
// now: something may have been put in front.
func (o *origin) meant(path string) []Hint {
	if o.of.Schema == nil {
		return nil
	}
	steps, name, _ := suggest.Steps(o.of.Schema, o.of.TypeRef, o.finding.Path)
	if name == "" {
		return nil
	}
	if name == "true" || name == "false" {
		return []Hint{{Code: YAMLBoolean}}
	}
	field := suggest.Field(o.of.Schema, o.of.TypeRef, steps, name)
	switch {
	case field == "":
		return nil
	case field[0] == '.':
		if prefix, ok := strings.CutSuffix(path, o.finding.Path); ok {
			field = prefix + field
		}
	}
	return []Hint{{DidYouMean, field}}
}
