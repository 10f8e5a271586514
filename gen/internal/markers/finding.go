// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"cmp"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Rule names what a finding is about. Each is described where it is declared.
type Rule string

const (
	// DefaultSyntax: a default is one line of JSON, or ref(Constant), and not null.
	DefaultSyntax Rule = "default-syntax"
	// DefaultTwice: a field or type has one default.
	DefaultTwice Rule = "default-twice"
	// DefaultType: a default fits the Go type.
	DefaultType Rule = "default-type"
	// DefaultInvalid: a default passes the validation that stands beside it.
	DefaultInvalid Rule = "default-invalid"
	// DefaultEndless: a default does not contain itself.
	DefaultEndless Rule = "default-endless"
	// StructDefault: a struct that is no pointer has the default {} and no other,
	// since Go always sends it.
	StructDefault Rule = "struct-default"
	// StructOmitempty: omitempty does nothing on a struct that is no pointer.
	StructOmitempty Rule = "struct-omitempty"
	// DefaultOmitempty: a scalar that is no pointer and has a default other than
	// its zero value is omitempty, since Go sends the zero value otherwise.
	DefaultOmitempty Rule = "default-omitempty"
	// HiddenZero: a boolean that is true by default is a pointer, since a Go client
	// leaves false out otherwise. Of numbers and strings KEP-1929 asks for just that.
	HiddenZero Rule = "hidden-zero"
	// Immutable: +immutable is on a field, alone or as +immutable=keys on a map or
	// on a list of type map.
	Immutable Rule = "immutable"
	// ListKeys: keys of a list are scalar fields of its items that are required or
	// have a default.
	ListKeys Rule = "list-keys"
	// ListType: list types go together with what is in the list.
	ListType Rule = "list-type"
	// UnionMembers: a union is a struct with at most one discriminator, whose other
	// fields are optional.
	UnionMembers Rule = "union-members"
	// MarkerValue: a marker has a value that it can have.
	MarkerValue Rule = "marker-value"
	// NumberFormat: bounds, values of enums and defaults are within the format that their
	// number has in a CRD.
	NumberFormat Rule = "number-format"
	// MarkerPlace: a marker is where it is read, on what it can be on.
	MarkerPlace Rule = "marker-place"
	// UnknownMarker: the name of a marker is hardly different from a known one, or
	// begins as those of controller-gen and is none of them.
	UnknownMarker Rule = "unknown-marker"
	// NotExpressed: what declarative validation says becomes a part of the schema.
	NotExpressed Rule = "not-expressed"
	// JSONName: fields have a name in JSON of their own.
	JSONName Rule = "json-name"
	// Unsupported: a type has a form in JSON that schemas can describe.
	Unsupported Rule = "unsupported-type"
	// SetDefaults: hand-written functions have the form in which they are called.
	SetDefaults Rule = "set-defaults"
)

// Finding is something that is wrong with a package, or works otherwise than it
// seems to.
type Finding struct {
	// File is relative to the directory that packages were read from.
	File string
	Line int
	Rule Rule
	// What was found, Why that is wrong, and How to mend it.
	What, Why, How string
	// Warning is set for what is wrong in strict mode only.
	Warning bool
	// Fixable says whether Fix mends it.
	Fixable bool

	pos  token.Pos
	edit *edit
}

// String returns one line.
func (f *Finding) String() string {
	text := fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.What)
	if f.Why != "" {
		text += ": " + f.Why
	}
	if f.How != "" {
		text += "; " + f.How
	}
	return text
}

// collector gathers findings.
type collector struct {
	src *Source
	all []*Finding
	// seen are those that were told.
	seen map[string]bool
}

func (c *collector) add(pos token.Pos, rule Rule, what, why, how string) *Finding {
	p := c.src.fset.Position(pos)
	f := &Finding{File: c.src.relative(p.Filename), Line: p.Line, Rule: rule, What: what, Why: why, How: how, pos: pos}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	if !c.seen[f.String()] {
		c.seen[f.String()] = true
		c.all = append(c.all, f)
	}
	return f
}

func (f *Finding) warning() *Finding {
	f.Warning = true
	return f
}

// sorted returns the findings by file, line, rule and text.
func (c *collector) sorted() []*Finding {
	slices.SortStableFunc(c.all, func(a, b *Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.String(), b.String()))
	})
	return c.all
}

// Errors returns the findings that are no warnings; all of them if strict.
func Errors(all []*Finding, strict bool) (errs []*Finding) {
	for _, f := range all {
		if strict || !f.Warning {
			errs = append(errs, f)
		}
	}
	return errs
}

// edit replaces the text from pos to end.
type edit struct {
	pos, end token.Pos
	text     string
}

func (f *Finding) fix(e *edit) *Finding {
	f.edit, f.Fixable = e, e != nil
	return f
}

func (s *Source) replace(pos, end token.Pos, text string) *edit { return &edit{pos, end, text} }

// with returns the edit that adds an option to the json tag.
func (f *Field) with(option string) *edit {
	if f.tag == nil || f.Embedded {
		return nil
	}
	return f.retagged(func(options []string) []string { return append(options, option) })
}

// without returns the edit that takes an option away.
func (f *Field) without(option string) *edit {
	return f.retagged(func(options []string) []string {
		return slices.DeleteFunc(options, func(o string) bool { return o == option })
	})
}

func (f *Field) retagged(change func([]string) []string) *edit {
	if f.tag == nil {
		return nil
	}
	const key = `json:"`
	at := strings.Index(f.tag.text, key)
	if at < 0 {
		return nil
	}
	rest := f.tag.text[at+len(key):]
	old, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return nil
	}
	parts := strings.Split(old, ",")
	parts = append(parts[:1], change(slices.Clone(parts[1:]))...)
	start := f.tag.pos + token.Pos(at+len(key))
	return &edit{start, start + token.Pos(len(old)), strings.Join(parts, ",")}
}

// quoteFix returns the edit that puts a word in quotes.
func (s *Source) quoteFix(m *Marker) *edit {
	if !m.HasValue || m.kubebuilder() || m.Value == "" || m.Value == "null" || strings.ContainsAny(m.Value, " \t\"'`{}[]()") {
		return nil
	}
	return s.valueEdit(m, strconv.Quote(m.Value))
}

// requoteFix returns the edit that gives a default the quotes that its type wants.
func (s *Source) requoteFix(m *Marker, d *Default, t types.Type, src *Source) *edit {
	if d.Const != nil || m.kubebuilder() {
		return nil
	}
	switch v := d.Value.(type) {
	case string:
		if inner, err := ParseJSON(v); err == nil && inner != nil && src.Fits(inner, t) == nil {
			return s.valueEdit(m, v)
		}
	case int64, float64, bool:
		if src.Shape(t) == String {
			return s.valueEdit(m, strconv.Quote(m.Value))
		}
	}
	return nil
}

func (s *Source) valueEdit(m *Marker, text string) *edit {
	if !m.HasValue {
		return nil
	}
	return &edit{m.end - token.Pos(len(m.Value)), m.end, text}
}

// Fix returns the files in which findings that can be fixed are, as they are when
// these are mended: formatted, by name. It writes nothing.
func (s *Source) Fix(all []*Finding) (map[string][]byte, error) {
	edits := map[string][]*edit{}
	for _, f := range all {
		if f.edit != nil {
			name := s.fset.Position(f.edit.pos).Filename
			if !slices.ContainsFunc(edits[name], func(e *edit) bool { return e.pos < f.edit.end && f.edit.pos < e.end }) {
				edits[name] = append(edits[name], f.edit)
			}
		}
	}
	out := map[string][]byte{}
	for _, name := range sortedKeys(edits) {
		list := edits[name]
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b *edit) int { return cmp.Compare(b.pos, a.pos) })
		for _, e := range list {
			// Offsets are in bytes of the file; line directives do not count.
			file := s.fset.File(e.pos)
			from, to := file.Offset(e.pos), file.Offset(e.end)
			text = slices.Concat(text[:from], []byte(e.text), text[to:])
		}
		done, err := format.Source(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.relative(name), err)
		}
		out[name] = done
	}
	return out, nil
}
