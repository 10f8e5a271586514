// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/schema"
)

// Problem describes an error about a value as data, for programs that write their own messages.
// Each [ValidationError] about a value wraps one Problem. An error about the arguments of a
// call, such as two values of different types, wraps no Problem:
//
//	var p *typed.Problem
//	if errors.As(err, &p) { ... } // the first
//	for _, p := range typed.Problems(err) { ... } // all
//
// Rules and hint codes are stable; the texts of hints can change. ValidationErrors keep the
// messages of structured-merge-diff.
type Problem struct {
	// Path is the path from the ValidationError.
	Path string
	// Rule is the rule that the value breaks.
	Rule Rule
	// Found is the invalid value as decoded JSON. Integers are int64. Found is nil if the rule
	// does not depend on the value.
	Found any
	// Expected is the kind of value that the type allows: "map", "list", "string", "number",
	// "boolean", or "scalar" for any of the last three. It is empty unless the value has the
	// wrong type.
	Expected string
	// Items contains the indexes of the affected list items: two indexes for duplicates, and one
	// index for an item without an identity.
	Items []int
	// Hints are possible fixes, the most likely one first.
	Hints []Hint

	message string
}

// Rule is a rule that a value can break.
type Rule string

// These are the rules, each with an example of a value that breaks it.
const (
	// WrongType: the schema requires a number, and the value is a string.
	WrongType Rule = "wrong-type"
	// UndeclaredField: the type declares only the field "a", and the value is {b: 1}.
	UndeclaredField Rule = "undeclared"
	// DuplicateItem: the value of a set is [x, x].
	DuplicateItem Rule = "duplicate"
	// NoIdentity: an item of a list has no identity. For example, the items are identified by keys, but
	// an item is the number 3.
	NoIdentity Rule = "no-identity"
	// BadSchema: the schema refers to a type that it does not define.
	BadSchema Rule = "bad-schema"
	// TooDeep: maps and lists are nested more than ten thousand levels deep.
	TooDeep Rule = "too-deep"
)

// Hint is a possible fix of a problem.
type Hint struct {
	Code HintCode
	// Text is the field name if Code is DidYouMean. It is empty if Code is YAMLBoolean. For all
	// other codes, it is the value to write, as YAML.
	Text string
}

// HintCode is a kind of fix.
type HintCode string

// These are the kinds of fixes, each with an example of a value that leads to it.
const (
	// DidYouMean: the type declares replicas, and the value is {replica: 1}. Text is the name of
	// the declared field. If that field is at another level, Text is its path, which begins with
	// a dot.
	DidYouMean HintCode = "did-you-mean"
	// AddQuotes: the schema requires a string, and the value is 3 or true.
	AddQuotes HintCode = "add-quotes"
	// DropQuotes: the schema requires a number and the value is "3", or the schema requires a
	// boolean and the value is "yes".
	DropQuotes HintCode = "drop-quotes"
	// YAMLBoolean: the schema requires a string and the value is a boolean, or a field is named
	// true. The YAML source may contain y, yes or on without quotes, which are booleans in YAML
	// 1.1, the version that Kubernetes reads.
	YAMLBoolean HintCode = "yaml-boolean"
	// MakeList: the schema requires a list of maps or scalars, and the value is a single map or
	// scalar.
	MakeList HintCode = "make-list"
	// DropList: the schema allows no list, and the value is a list with one item.
	DropList HintCode = "drop-list"
)

// Problems returns all problems that err wraps, in order.
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

// Error returns the path, the message and the hints, with values as YAML.
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
			if word, ok := p.Found.(bool); ok && h.Text == strconv.Quote(strconv.FormatBool(word)) {
				b.WriteString("; write the word in quotes") // the source may contain another word, such as y
				break
			}
			b.WriteString("; quote it: " + h.Text)
		case YAMLBoolean:
			b.WriteString("; y, yes and on without quotes are booleans in YAML 1.1, which Kubernetes reads")
		}
	}
	return b.String()
}

// ItemPath returns the path of the last item in Items, such as .ports[1]. If Items is empty, it
// returns Path. To find the line of a problem in a file, use this path.
func (p *Problem) ItemPath() string {
	if len(p.Items) == 0 {
		return p.Path
	}
	return fmt.Sprintf("%s[%d]", p.Path, p.Items[len(p.Items)-1])
}

// problem returns the Problem of the error, or nil if the error has no internal finding.
func (ve ValidationError) problem() *Problem {
	if ve.origin == nil {
		return nil
	}
	f := ve.origin.finding
	known := *f
	known.Found = asJSON(f.Found, 0)
	f = &known
	p := &Problem{Path: ve.Path, Rule: Rule(f.Code), Found: f.Found, Expected: f.Want, message: f.PlainMessage()}
	switch f.Code {
	case diag.WrongType:
		if f.Want != "" {
			p.Hints = ve.origin.typeHints(f.Found)
		}
	case diag.Undeclared:
		p.Hints = ve.origin.fieldHints(ve.Path)
	case diag.Duplicate:
		p.Items = []int{f.First, f.Second}
	case diag.NoIdentity:
		p.Items = []int{f.First}
	}
	return p
}

// asJSON returns a copy of a value, decoded from YAML or JSON, with the types of decoded JSON. Keys
// that are not strings become strings. depth is the number of maps and lists around the value. Values
// that are nested too deep to be valid become nil.
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

// typeHints returns the hints for a value of the wrong type.
func (o *origin) typeHints(found any) (hints []Hint) {
	var atom schema.Atom
	if o.typ.Schema != nil {
		if steps, _, ok := suggest.Steps(o.typ.Schema, o.typ.TypeRef, o.finding.Path); ok {
			atom, _ = suggest.TypeAt(o.typ.Schema, o.typ.TypeRef, steps)
		}
	}
	for _, m := range suggest.Value(o.finding.Want, found, atom, o.typ.Schema) {
		hints = append(hints, Hint{hintCodes[m.Kind], m.Text})
	}
	return hints
}

// fieldHints returns the hints for an undeclared field. path is the path of the error, with the
// prefix that callers have added to it, if any.
func (o *origin) fieldHints(path string) []Hint {
	if o.typ.Schema == nil {
		return nil
	}
	steps, name, _ := suggest.Steps(o.typ.Schema, o.typ.TypeRef, o.finding.Path)
	if name == "" {
		return nil
	}
	if name == "true" || name == "false" {
		return []Hint{{Code: YAMLBoolean}}
	}
	field := suggest.Field(o.typ.Schema, o.typ.TypeRef, nil, steps, name)
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
