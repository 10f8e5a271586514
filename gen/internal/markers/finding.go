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

// Rule names the rule that a finding violates.
type Rule string

const (
	// DefaultSyntax: a default must be one line of JSON, or ref(Constant), and must not be
	// null.
	DefaultSyntax Rule = "default-syntax"
	// DefaultTwice: a field or type must not have two defaults.
	DefaultTwice Rule = "default-twice"
	// DefaultType: a default must fit the Go type.
	DefaultType Rule = "default-type"
	// DefaultInvalid: a default must satisfy the validation markers.
	DefaultInvalid Rule = "default-invalid"
	// DefaultEndless: a default must not contain itself, directly or through other defaults.
	DefaultEndless Rule = "default-endless"
	// StructDefault: a struct that is not a pointer can only have the default {}, because
	// Go always sends it.
	StructDefault Rule = "struct-default"
	// StructOmitempty: omitempty has no effect on a struct that is not a pointer.
	StructOmitempty Rule = "struct-omitempty"
	// DefaultOmitempty: a scalar whose default is not its zero value must be a pointer or have
	// omitempty. Otherwise Go sends the zero value, and the default never applies.
	DefaultOmitempty Rule = "default-omitempty"
	// HiddenZero: a scalar with a default and omitempty should be a pointer if users may want
	// its zero value, because Go clients cannot send the zero value with omitempty. The rule
	// covers booleans with the default true, and numbers and strings whose markers explicitly
	// allow the zero value. For all other scalars, KEP-1929 requires omitempty.
	HiddenZero Rule = "hidden-zero"
	// Immutable: the value of +immutable must fit the type of the field. For example,
	// +immutable=keys needs a map or a list of type map.
	Immutable Rule = "immutable"
	// ListKeys: each key of a list must be a scalar field of the items, and must be required or
	// have a default.
	ListKeys Rule = "list-keys"
	// ListType: the type of a list (atomic, set or map) must suit its items.
	ListType Rule = "list-type"
	// UnionMembers: a union must be a struct with at most one discriminator, and the members
	// must be optional.
	UnionMembers Rule = "union-members"
	// MarkerValue: a marker must have a valid value.
	MarkerValue Rule = "marker-value"
	// NumberFormat: the bounds, enum values and default of a number must be in the range of its CRD
	// format, such as int32.
	NumberFormat Rule = "number-format"
	// MarkerPlace: a marker must be at a declaration where it has an effect, and must apply to
	// the type of the value.
	MarkerPlace Rule = "marker-place"
	// UnknownMarker: an unknown marker is probably a mistake if its name resembles a known name, or
	// has the prefix of controller-gen.
	UnknownMarker Rule = "unknown-marker"
	// NotExpressed: a tag of declarative validation has no effect, because schemas cannot
	// express it.
	NotExpressed Rule = "not-expressed"
	// JSONName: each field must have its own JSON name.
	JSONName Rule = "json-name"
	// Unsupported: a schema must be able to describe the JSON form of each type.
	Unsupported Rule = "unsupported-type"
	// SetDefaults: a handwritten function SetDefaults_T must have the signature func(*T). Otherwise
	// generated code does not call it.
	SetDefaults Rule = "set-defaults"
)

// Finding is a mistake in a package, or a marker that has no effect.
type Finding struct {
	// File is relative to the directory of Config.Dir.
	File string
	Line int
	Rule Rule
	// What describes the problem. Why gives the reason, and How the fix; both may be empty.
	What, Why, How string
	// Warning is true for findings that are errors only in strict mode.
	Warning bool
	// Fixable is true if Source.Fix can fix the problem.
	Fixable bool
	pos     token.Pos
	edits   []*edit
}

// String returns the finding as one line, with file and line number.
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
	// seen contains the texts of all findings so far. It prevents duplicates.
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

// sorted sorts the findings by file, line, rule and text.
func (c *collector) sorted() []*Finding {
	slices.SortStableFunc(c.all, func(a, b *Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, strings.Compare(a.String(), b.String()))
	})
	return c.all
}

// Errors returns the findings that are errors. If strict is true, warnings are also errors.
func Errors(all []*Finding, strict bool) (errs []*Finding) {
	for _, f := range all {
		if strict || !f.Warning {
			errs = append(errs, f)
		}
	}
	return errs
}

// edit replaces the source text from pos to end.
type edit struct {
	pos, end token.Pos
	text     string
}

// fix attaches edits that fix the problem. If one of them is nil, the finding is not fixable.
func (f *Finding) fix(edits ...*edit) *Finding {
	if !slices.Contains(edits, nil) {
		f.edits, f.Fixable = edits, len(edits) > 0
	}
	return f
}

func (s *Source) replace(pos, end token.Pos, text string) *edit { return &edit{pos, end, text} }

// withTagOption returns the edit that adds an option to the json tag of the field.
func (f *Field) withTagOption(option string) *edit {
	if f.tag == nil || f.Embedded {
		return nil
	}
	return f.retagged(func(options []string) []string { return append(options, option) })
}

// withOmitzero returns the edit that adds omitzero to the json tag of a field that is a struct.
// It removes omitempty, which has no effect on a struct.
func (f *Field) withOmitzero() *edit {
	if f.Embedded {
		return nil
	}
	return f.retagged(func(options []string) []string {
		return append(slices.DeleteFunc(options, func(o string) bool { return o == "omitempty" }), "omitzero")
	})
}

// withoutOmitempty returns the edits that remove omitempty from a field that is a struct. If the
// field has neither +optional nor +required, the edits also add +optional, because the field would
// become required otherwise. For the metadata of an object, the edits only replace omitempty with
// omitzero.
func (s *Source) withoutOmitempty(f *Field) []*edit {
	remove := func(options []string) []string {
		return slices.DeleteFunc(options, func(o string) bool { return o == "omitempty" })
	}
	switch {
	case s.isMetadata(f):
		return []*edit{f.retagged(func(options []string) []string { return append(remove(options), "omitzero") })}
	case Has(f.Markers, "optional") || Has(f.Markers, "required"):
		return []*edit{f.retagged(remove)}
	case !f.start.IsValid():
		return []*edit{nil}
	}
	return []*edit{f.retagged(remove), {f.start, f.start, "// +optional\n"}}
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

// quoteFix returns the edit that puts the value of a marker in quotes, or nil if the value is
// not a single unquoted word.
func (s *Source) quoteFix(m *Marker) *edit {
	if !m.HasValue || m.kubebuilder() || m.Value == "" || m.Value == "null" || strings.ContainsAny(m.Value, " \t\"'`{}[]()") {
		return nil
	}
	return s.valueEdit(m, strconv.Quote(m.Value))
}

// requoteFix returns the edit that adds or removes quotes around a default that does not fit
// its type. It returns nil if the default would still not fit.
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

// Fix fixes all fixable findings. It returns the new, formatted content of the changed
// files, by file name. It does not write them.
func (s *Source) Fix(all []*Finding) (map[string][]byte, error) {
	edits := map[string][]*edit{}
	for _, f := range all {
		for _, add := range f.edits {
			name := s.fset.Position(add.pos).Filename
			if !slices.ContainsFunc(edits[name], func(e *edit) bool { return *e == *add || e.pos < add.end && add.pos < e.end }) {
				edits[name] = append(edits[name], add)
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
			// Use byte offsets in the file, because positions can be shifted by line directives.
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
