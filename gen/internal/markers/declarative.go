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

// Declarative validation (KEP-5073) uses tags with the prefix k8s, from which validation-gen
// generates Go code. This package reads these tags as markers. If a tag means the same as another
// marker, it gets the name of that marker. A schema cannot express every tag: for example, it
// cannot express a tag that applies only if a feature gate is on. Such a tag causes a warning.

// declarative describes the known tags, by their names without the prefix k8s. If another
// marker has the same meaning, alias is the name of that marker.
var declarative = map[string]kind{
	"immutable":          {form: nothing, on: onField, alias: "immutable"},
	"update":             {form: choice, on: onField, words: updates, many: true},
	"optional":           {form: anything, on: onField, alias: "optional"},
	"required":           {form: anything, on: onField, alias: "required"},
	"enum":               {form: nothing, on: onType, alias: "enum", jsonTypes: []string{"string"}},
	"listType":           {form: choice, on: onField | onType, alias: "listType", words: []string{"atomic", "set", "map"}, jsonTypes: []string{"array"}},
	"listMapKey":         {form: word, on: onField | onType, alias: "listMapKey", jsonTypes: []string{"array"}, many: true},
	"minimum":            {form: signed, on: onField | onType, alias: "kubebuilder:validation:Minimum", jsonTypes: []string{"integer"}},
	"maximum":            {form: signed, on: onField | onType, alias: "kubebuilder:validation:Maximum", jsonTypes: []string{"integer"}},
	"minLength":          {form: integer, on: onField | onType, alias: "kubebuilder:validation:MinLength", jsonTypes: []string{"string"}},
	"maxLength":          {form: integer, on: onField | onType, alias: "kubebuilder:validation:MaxLength", jsonTypes: []string{"string"}},
	"minItems":           {form: integer, on: onField | onType, alias: "kubebuilder:validation:MinItems", jsonTypes: []string{"array"}},
	"maxItems":           {form: integer, on: onField | onType, alias: "kubebuilder:validation:MaxItems", jsonTypes: []string{"array"}},
	"minProperties":      {form: integer, on: onField | onType, alias: "kubebuilder:validation:MinProperties", jsonTypes: []string{"object"}},
	"maxProperties":      {form: integer, on: onField | onType, alias: "kubebuilder:validation:MaxProperties", jsonTypes: []string{"object"}},
	"unionDiscriminator": {form: tagArguments, on: onField, words: []string{"union"}, many: true},
	"unionMember":        {form: tagArguments, on: onField, words: []string{"union", "memberName"}, many: true},
}

// updates lists the possible values of +k8s:update. Each of them forbids one kind of
// change.
var updates = []string{"NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem"}

// eachVal is the prefix of a tag that applies to each item of a list or each
// value of a map.
const eachVal = "k8s:eachVal=+"

// EachPrefix is the prefix of markers that apply to each item of a list or each value of a map.
const EachPrefix = "each:"

func init() {
	for name, k := range declarative {
		known["k8s:"+name] = k
		if bound, ok := strings.CutPrefix(k.alias, "kubebuilder:validation:"); ok {
			k.alias = EachPrefix + bound
			known[eachVal+"k8s:"+name] = k
		}
	}
	each := known["immutable"]
	each.alias = EachPrefix + "immutable"
	known["items:immutable"], known["values:immutable"] = each, each
	each.form = nothing
	known[eachVal+"k8s:immutable"] = each
}

// otherTags lists ignored tags with the prefix k8s, which belong to other generators and
// restrict no values. Tags whose first word ends with -gen are also ignored.
var otherTags = []string{"conversion-fn", "isSubresource", "supportsSubresource", "deprecated"}

func declarativeTag(spelled string) bool { return strings.HasPrefix(spelled, "k8s:") }

// eachTag parses a tag such as +k8s:eachVal=+k8s:minimum=1. It returns false if the tag is
// unknown.
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
	m.Name, m.Spelled, m.text = k.alias, eachVal+m.Spelled, text
	return m, true
}

// withoutComment removes a comment after the value of a tag. Comments start with #.
func withoutComment(value string) string {
	for i := range len(value) {
		if value[i] == '#' && (i == 0 || value[i-1] == ' ' || value[i-1] == '\t') && strings.Count(value[:i], `"`)%2 == 0 {
			return strings.TrimSpace(value[:i])
		}
	}
	return value
}

// tagArgs parses the arguments of a tag, such as (union: "x", memberName: "Y").
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
		return nil, fmt.Errorf("expected arguments in parentheses, got %q", text)
	}
	for p := (loosely{rest: inner}); ; {
		if p.space(); p.rest == "" {
			return out, nil
		}
		name, found := p.name()
		if !found || !slices.Contains(names, name) {
			return nil, fmt.Errorf("expected %s with a colon and a string, got %q", alternatives(names), text)
		}
		p.space()
		v, err := p.scalar(",")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("duplicate argument %s", name)
		}
		out[name] = fmt.Sprint(v)
		if p.space(); p.rest != "" && !p.skip(",") {
			return nil, fmt.Errorf("expected a comma after %s, got %q", name, p.rest)
		}
	}
}

// argument returns an argument of a tag, or "" if it is absent.
func (m *Marker) argument(name string) string {
	v, _ := m.Decode()
	all, _ := v.(map[string]any)
	text, _ := all[name].(string)
	return text
}

// checkUnexpressed warns about a tag that has no effect, because schemas cannot express it. For
// example, schemas cannot express +k8s:beta(…)=+k8s:required, because it depends on a stability
// level. If the declaration also has +k8s:required without a condition, there is no warning.
func (s *Source) checkUnexpressed(m *Marker, all []Marker, name string) {
	word, _, _ := strings.Cut(strings.TrimPrefix(m.Spelled, "k8s:"), ":")
	if strings.HasSuffix(word, "-gen") || strings.Contains(word, "-gen-") || slices.Contains(otherTags, word) {
		return
	}
	why := "schemas cannot express it"
	switch word {
	case "alpha", "beta", "ifEnabled", "ifDisabled", "ifMode":
		why = conditional
		if _, inner, ok := strings.Cut(m.text, "=+"); ok && (word == "alpha" || word == "beta") {
			in := parseMarker(inner)
			v, err := in.Decode()
			same := func(x Marker) bool {
				w, werr := x.Decode()
				return x.Name == in.Name && err == nil && werr == nil && (known[x.Spelled].form == anything || JSON(v) == JSON(w))
			}
			if _, ok := known[in.Spelled]; ok && slices.ContainsFunc(all, same) {
				return
			}
		}
	case "opaqueType", "customValidation", "customUnique":
		why = "it refers to Go code, which schemas cannot express"
	}
	s.findings.add(m.pos, NotExpressed, fmt.Sprintf("%s of %s has no effect on the schema", m, name), why, "").warning()
}

// conditional is the reason given in warnings about a tag that depends on a stability level,
// feature gate or mode.
const conditional = "it applies only under a condition, which schemas cannot express"

// checkAgreement checks that +listMapKey and +k8s:listMapKey name the same keys, and that
// +k8s:enum and +kubebuilder:validation:Enum allow the same values.
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
		s.findings.add(at.pos, ListKeys, fmt.Sprintf("the keys of %s are %s according to +listMapKey, but %s according to +k8s:listMapKey", name, strings.Join(ours, ", "), strings.Join(theirs, ", ")),
			"", "name the same keys with both markers, or remove one of them")
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
		s.findings.add(m.pos, NotExpressed, fmt.Sprintf("%s of the constant %s has no effect on the schema", enumExclude, c), conditional, "").warning()
	}
	if len(e.values) == 0 {
		s.findings.add(m.pos, MarkerValue, fmt.Sprintf("%s of %s has no values", m, name), "the constants of a type are its values, and this type has none", "declare constants of type "+name+", or remove the marker")
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
			s.findings.add(list.pos, MarkerValue, fmt.Sprintf("%s is marked %s and %s", name, m, list), "the two contradict each other: the constants are "+JSON(e.Sorted()), "remove one of the markers")
		}
	}
}

// NotEmpty returns the keyword of a minimum length, such as minLength, if +k8s:required implies
// that the minimum length of the field is 1. The tag implies this for a string, list or map that is
// not a pointer, because an empty value counts as absent.
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

// checkRequired warns about +k8s:required on a number or boolean that is not a pointer.
// Declarative validation then rejects zero and false as absent, which schemas cannot
// express.
func (s *Source) checkRequired(f *Field) {
	i := slices.IndexFunc(f.Markers, func(m Marker) bool { return m.Spelled == "k8s:required" })
	if i < 0 || isPointer(f.Type) {
		return
	}
	zero, fix := "zero", "make it a pointer, or add a bound that excludes zero"
	switch s.Shape(f.Type) {
	case Boolean:
		zero, fix = "false", "make it a pointer"
	case Integer, Number:
		all := s.allMarkers(f)
		if outside(all, "Minimum", 1) || outside(all, "Maximum", -1) {
			return
		}
	default:
		return
	}
	m := &f.Markers[i]
	s.findings.add(m.pos, NotExpressed, fmt.Sprintf("%s of %s does not reject %s", m, f, zero), "declarative validation treats this value as absent and rejects it, but schemas cannot express that", fix).warning()
}

// outside reports whether a marker sets the given bound to a value with the given sign. The sign 1
// stands for a positive value, and -1 for a negative value. For example, a positive minimum
// excludes zero.
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

// updateTransition converts the +k8s:update tags of a field of type t to a transition rule. If no
// transition rule has the meaning of the tags, it returns NoTransition. The slice rest contains the
// tags that the rule does not express.
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
		// A struct that is not a pointer is always set, so NoModify alone makes it immutable.
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

// checkUpdates checks the +k8s:update tags of a field against its type and its other
// markers.
func (s *Source) checkUpdates(f *Field) {
	tags := Each(f.Markers, "k8s:update")
	if len(tags) == 0 || slices.ContainsFunc(tags, func(m *Marker) bool { _, err := m.Decode(); return err != nil }) {
		return // checkMarkers reports the invalid value
	}
	rule, rest := s.updateTransition(f.Markers, f.Type)
	if m, ok := Find(f.Markers, "immutable"); ok && m.Transition() != rule && m.Transition() != schema.NoTransition {
		meant := "no transition rule"
		if rule != schema.NoTransition {
			meant = graph.Transition(rule).Rule().Name
		}
		s.findings.add(tags[0].pos, Immutable, fmt.Sprintf("%s is marked %s and %s", f, m, tags[0]),
			fmt.Sprintf("the two contradict each other: %s means %s, but +k8s:update means %s", m, graph.Transition(m.Transition()).Rule().Name, meant), "remove one of the markers")
		return
	}
	for _, m := range rest {
		s.findings.add(m.pos, NotExpressed, fmt.Sprintf("%s of %s has no effect on the schema", m, f),
			"no transition rule has this meaning",
			"on a map or a list of type map, use NoAddItem (means deletionOnly), NoRemoveItem (additionOnly) or both (immutableKeys); on any other value, use NoModify and NoUnset (setOnce), or NoModify, NoUnset and NoSet (immutable)").warning()
	}
	if rule != schema.NoTransition {
		s.checkTransition(tags[0], rule, f.String(), f.Type, s.allMarkers(f))
	}
}

// signedInt parses an integer in Go syntax, such as -5 or 0x10.
func signedInt(text string) (any, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return nil, fmt.Errorf("expected a whole number, got %q", text)
	}
	return n, nil
}
