// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
)

// The tags of declarative validation (KEP-5073), from which validation-gen makes Go
// code, are markers with the prefix k8s. Those that say what another marker says have
// its name. Others, and what only holds at a level, in a mode or under a feature, are
// told of: no schema expresses them.

// declarative are the tags that stand for other markers, without their prefix.
var declarative = map[string]kind{
	"immutable":          {form: nothing, on: onField, as: "immutable"},
	"update":             {form: choice, on: onField, words: updates, many: true},
	"optional":           {form: anything, on: onField, as: "optional"},
	"required":           {form: anything, on: onField, as: "required"},
	"enum":               {form: nothing, on: onType, as: "enum", of: []string{"string"}},
	"listType":           {form: choice, on: onField | onType, as: "listType", words: []string{"atomic", "set", "map"}, of: []string{"array"}},
	"listMapKey":         {form: word, on: onField | onType, as: "listMapKey", of: []string{"array"}, many: true},
	"minimum":            {form: signed, on: onField | onType, as: "kubebuilder:validation:Minimum", of: []string{"integer"}},
	"maximum":            {form: signed, on: onField | onType, as: "kubebuilder:validation:Maximum", of: []string{"integer"}},
	"minLength":          {form: integer, on: onField | onType, as: "kubebuilder:validation:MinLength", of: []string{"string"}},
	"maxLength":          {form: integer, on: onField | onType, as: "kubebuilder:validation:MaxLength", of: []string{"string"}},
	"minItems":           {form: integer, on: onField | onType, as: "kubebuilder:validation:MinItems", of: []string{"array"}},
	"maxItems":           {form: integer, on: onField | onType, as: "kubebuilder:validation:MaxItems", of: []string{"array"}},
	"minProperties":      {form: integer, on: onField | onType, as: "kubebuilder:validation:MinProperties", of: []string{"object"}},
	"maxProperties":      {form: integer, on: onField | onType, as: "kubebuilder:validation:MaxProperties", of: []string{"object"}},
	"unionDiscriminator": {form: tagArguments, on: onField, words: []string{"union"}, many: true},
	"unionMember":        {form: tagArguments, on: onField, words: []string{"union", "memberName"}, many: true},
}

// updates are what +k8s:update forbids.
var updates = []string{"NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem"}

// eachVal begins a tag that is about the items of a list or the values of a map.
const eachVal = "k8s:eachVal=+"

// EachPrefix begins the names of markers that are about the items of a list or the
// values of a map, whichever the type is.
const EachPrefix = "each:"

func init() {
	for name, k := range declarative {
		known["k8s:"+name] = k
		if bound, ok := strings.CutPrefix(k.as, "kubebuilder:validation:"); ok {
			k.as = EachPrefix + bound
			known[eachVal+"k8s:"+name] = k
		}
	}
	each := known["immutable"]
	each.as = EachPrefix + "immutable"
	known["items:immutable"], known["values:immutable"] = each, each
	each.form = nothing
	known[eachVal+"k8s:immutable"] = each
}

// notOurs are the tags with the prefix k8s that are of other generators and say nothing
// of values; so do all whose first word ends with -gen.
var notOurs = []string{"conversion-fn", "isSubresource", "supportsSubresource", "deprecated"}

func declarativeTag(spelled string) bool { return strings.HasPrefix(spelled, "k8s:") }

// eachTag parses +k8s:eachVal=+k8s:…, if it stands for a marker.
func eachTag(text string) (Marker, bool) {
	inner, ok := strings.CutPrefix(text, eachVal)
	if !ok {
		return Marker{}, false
	}
	m := parseMarker(inner)
	k, ok := known[eachVal+m.Spelled]
	if !ok {
		return Marker{}, false
	}
	m.Name, m.Spelled, m.text = k.as, eachVal+m.Spelled, text
	return m, true
}

// withoutComment drops the comment that may follow the value of a tag: # and its text.
func withoutComment(value string) string {
	for i := range len(value) {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') && strings.Count(value[:i], `"`)%2 == 0 {
			return strings.TrimSpace(value[:i])
		}
	}
	return value
}

// tagArgs reads the arguments of a tag: (union: "x", memberName: "Y").
func tagArgs(text string, names []string) (map[string]any, error) {
	out := map[string]any{}
	text = strings.TrimSpace(text)
	if text == "" {
		return out, nil
	}
	inner, ok := strings.CutPrefix(text, "(")
	if ok {
		inner, ok = strings.CutSuffix(inner, ")")
	}
	if !ok {
		return nil, fmt.Errorf("want arguments in parentheses, got %q", text)
	}
	for p := (loosely{inner}); ; {
		if p.space(); p.rest == "" {
			return out, nil
		}
		name, found := p.name()
		if !found || !slices.Contains(names, name) {
			return nil, fmt.Errorf("want %s, a colon and text, got %q", alternatives(names), text)
		}
		p.space()
		v, err := p.scalar(",")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		out[name] = fmt.Sprint(v)
		if p.space(); p.rest != "" && !p.take(",") {
			return nil, fmt.Errorf("want a comma after %s, got %q", name, p.rest)
		}
	}
}

// argument returns an argument of a tag, empty if it is not there.
func (m *Marker) argument(name string) string {
	v, _ := m.Decode()
	all, _ := v.(map[string]any)
	text, _ := all[name].(string)
	return text
}

// checkUnexpressed tells of a tag of declarative validation that no schema expresses. One
// that holds at a level, as +k8s:beta(…)=+k8s:required, adds nothing where a marker
// that always holds says the same.
func (s *Source) checkUnexpressed(m *Marker, all []Marker, name string) {
	word, _, _ := strings.Cut(strings.TrimPrefix(m.Spelled, "k8s:"), ":")
	if strings.HasSuffix(word, "-gen") || strings.Contains(word, "-gen-") || slices.Contains(notOurs, word) {
		return
	}
	why := "no schema has a word for it"
	switch word {
	case "alpha", "beta", "ifEnabled", "ifDisabled", "ifMode":
		why = "it does not hold everywhere, and a schema does"
		if _, inner, ok := strings.Cut(m.text, "=+"); ok && (word == "alpha" || word == "beta") {
			in := parseMarker(inner)
			v, err := in.Decode()
			said := func(x Marker) bool {
				w, werr := x.Decode()
				return x.Name == in.Name && err == nil && werr == nil && (known[x.Spelled].form == anything || JSON(v) == JSON(w))
			}
			if _, ok := known[in.Spelled]; ok && slices.ContainsFunc(all, said) {
				return
			}
		}
	case "opaqueType", "customValidation", "customUnique":
		why = "it is about Go code, and no schema has a word for it"
	}
	s.findings.add(m.pos, NotExpressed, fmt.Sprintf("%s of %s becomes nothing", m, name), why, "").warning()
}

// checkAgreement holds the keys of a list to be the same in both spellings, and the
// constants of an enum to be those that a list of values has.
func (s *Source) checkAgreement(all []Marker, name string, t types.Type) {
	var theirs, ours []string
	var at *Marker
	for _, m := range Each(all, "listMapKey") {
		if declarativeTag(m.Spelled) {
			theirs, at = append(theirs, unquoted(m.Value)), m
		} else {
			ours = append(ours, unquoted(m.Value))
		}
	}
	slices.Sort(theirs)
	slices.Sort(ours)
	if len(theirs) > 0 && len(ours) > 0 && !slices.Equal(slices.Compact(theirs), slices.Compact(ours)) {
		s.findings.add(at.pos, ListKeys, fmt.Sprintf("the keys of %s are %s by +listMapKey and %s by +k8s:listMapKey", name, strings.Join(ours, ", "), strings.Join(theirs, ", ")),
			"the two contradict each other", "give the same keys in both, or in one of them")
	}
	i := slices.IndexFunc(all, func(m Marker) bool { return m.Spelled == "k8s:enum" })
	if i < 0 {
		return
	}
	m, e := &all[i], s.Enum(t)
	if e == nil {
		return
	}
	for _, c := range e.sometimes {
		s.findings.add(m.pos, NotExpressed, fmt.Sprintf("%s of the constant %s becomes nothing", enumExclude, c), "it does not hold everywhere, and a schema does", "").warning()
	}
	if len(e.values) == 0 {
		s.findings.add(m.pos, MarkerValue, fmt.Sprintf("%s of %s has no values", m, name), "its values are the constants of the type, and there are none", "declare constants of type "+name+", or remove it")
	}
	if list, ok := Find(all, "kubebuilder:validation:Enum"); ok {
		v, err := list.Decode()
		values, _ := v.([]any)
		texts := map[string]bool{}
		for _, v := range values {
			texts[JSON(v)] = true
		}
		mine := map[string]bool{}
		for _, v := range e.Sorted() {
			mine[JSON(v)] = true
		}
		if err == nil && !maps.Equal(texts, mine) {
			s.findings.add(list.pos, MarkerValue, fmt.Sprintf("%s is marked %s and %s", name, m, list), "the two contradict each other: the constants are "+JSON(e.Sorted()), "remove one")
		}
	}
}

// NotEmpty returns the bound that +k8s:required of a field comes to, besides that it has to
// be there: the least length of a text, list or map that is no pointer is one, since an
// empty one is what is not there.
func (s *Source) NotEmpty(f *Field) (bound string, ok bool) {
	if !IsTagged(f.Markers, "k8s:required") || isPointer(f.Type) {
		return "", false
	}
	switch s.Shape(f.Type) {
	case String, Bytes:
		return "minLength", true
	case List:
		return "minItems", !isArray(f.Type)
	case Map:
		return "minProperties", true
	}
	return "", false
}

// checkRequired tells of +k8s:required on a number or boolean that is no pointer, which
// means that zero and false are what is not there.
func (s *Source) checkRequired(f *Field) {
	i := slices.IndexFunc(f.Markers, func(m Marker) bool { return m.Spelled == "k8s:required" })
	if i < 0 || isPointer(f.Type) {
		return
	}
	zero := "zero"
	switch s.Shape(f.Type) {
	case Boolean:
		zero = "false"
	case Integer, Number:
		all := s.allMarkers(f)
		if outside(all, "Minimum", 1) || outside(all, "Maximum", -1) {
			return
		}
	default:
		return
	}
	m := &f.Markers[i]
	s.findings.add(m.pos, NotExpressed, fmt.Sprintf("%s of %s does not refuse %s", m, f, zero), "by declarative validation that is a value that is not there, and no schema has a word for it", "make it a pointer, or give it a bound without zero").warning()
}

// outside says whether a bound excludes zero: it is of that sign.
func outside(all []Marker, bound string, sign float64) bool {
	return slices.ContainsFunc(Each(all, "kubebuilder:validation:"+bound), func(m *Marker) bool {
		switch v, _ := m.Decode(); v := v.(type) {
		case int64:
			return float64(v)*sign > 0
		case float64:
			return v*sign > 0
		}
		return false
	})
}

// updateTransition returns the transition rule that the tags +k8s:update of a field of
// type t come to, NoTransition if none does, and the tags that are not in it.
func (s *Source) updateTransition(all []Marker, t types.Type) (rule schema.Transition, rest []*Marker) {
	has := map[string]bool{}
	tags := Each(all, "k8s:update")
	for _, m := range tags {
		has[unquoted(m.Value)] = true
	}
	var covered []string
	shape := s.Shape(t)
	entries := shape == List || shape == Map
	switch {
	case entries && has["NoAddItem"] && has["NoRemoveItem"]:
		rule, covered = schema.ImmutableKeys, []string{"NoAddItem", "NoRemoveItem", "NoSet", "NoUnset"}
	case entries && has["NoAddItem"]:
		rule, covered = schema.DeletionOnly, []string{"NoAddItem", "NoSet"}
	case entries && has["NoRemoveItem"]:
		rule, covered = schema.AdditionOnly, []string{"NoRemoveItem", "NoUnset"}
	case entries:
	case shape == Struct && !isPointer(t) && has["NoModify"]:
		// It is always set.
		rule, covered = schema.Immutable, []string{"NoModify"}
	case has["NoModify"] && has["NoUnset"] && has["NoSet"]:
		rule, covered = schema.Immutable, []string{"NoModify", "NoUnset", "NoSet"}
	case has["NoModify"] && has["NoUnset"]:
		rule, covered = schema.SetOnce, []string{"NoModify", "NoUnset"}
	}
	for _, m := range tags {
		if !slices.Contains(covered, unquoted(m.Value)) {
			rest = append(rest, m)
		}
	}
	return rule, rest
}

// checkUpdates holds the tags +k8s:update of a field to what it is, and to its other
// markers.
func (s *Source) checkUpdates(f *Field) {
	tags := Each(f.Markers, "k8s:update")
	if len(tags) == 0 || slices.ContainsFunc(tags, func(m *Marker) bool { _, err := m.Decode(); return err != nil || m.trailing }) {
		return // which is said elsewhere
	}
	rule, rest := s.updateTransition(f.Markers, f.Type)
	if m, ok := Find(f.Markers, "immutable"); ok && m.Transition() != rule && m.Transition() != schema.NoTransition {
		meant := "no transition rule"
		if rule != schema.NoTransition {
			meant = graph.Transition(rule).Rule().Name
		}
		s.findings.add(tags[0].pos, Immutable, fmt.Sprintf("%s is marked %s and %s", f, m, tags[0]),
			fmt.Sprintf("the two contradict each other: the first is %s, and what +k8s:update says comes to %s", graph.Transition(m.Transition()).Rule().Name, meant), "remove one")
		return
	}
	for _, m := range rest {
		s.findings.add(m.pos, NotExpressed, fmt.Sprintf("%s of %s becomes nothing", m, f),
			"no transition rule says that; on one value NoModify with NoUnset is setOnce, and with NoSet immutable; on maps and lists with keys NoAddItem is deletionOnly, NoRemoveItem additionOnly, both immutableKeys", "").warning()
	}
	if rule != schema.NoTransition {
		s.checkTransition(tags[0], rule, f.String(), f.Type, s.allMarkers(f))
	}
}

// signedInt reads an integer as Go spells it.
func signedInt(text string) (any, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return nil, fmt.Errorf("want a whole number, got %q", text)
	}
	return n, nil
}
