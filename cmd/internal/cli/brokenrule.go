// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// brokenTransition is a rule of x-kubernetes-validations, at a path of the new object,
// that refuses the change of the live one.
func brokenTransition(t typed.ParseableType, live, object map[string]any, path, message string) fieldmanager.ImmutableField {
	f := fieldmanager.ImmutableField{Hint: "a rule of the definition refuses the change"}
	f.Field, f.Type, f.Message = strings.TrimPrefix(path, "."), typed.TransitionInvalid, ruleMessage(message)
	f.Path = identify(t, object, f.Field)
	find := newFinder(t)
	if old, ok := find.valueAt(live, f.Path); ok {
		f.Old = value.NewValueInterface(old)
	}
	if now, ok := find.valueAt(object, f.Path); ok {
		f.New = value.NewValueInterface(now)
	}
	return f
}

// ruleMessage is what a rule says, without the value that was found.
func ruleMessage(text string) string {
	found, ok := strings.CutPrefix(text, "found ")
	if !ok {
		return text
	}
	depth, quoted := 0, false
	for i, c := range found {
		switch {
		case c == '"' && (i == 0 || found[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ':' && depth == 0:
			return strings.TrimPrefix(found[i+1:], " ")
		}
	}
	return text
}

// identify is the path that names by keys and values what a path of the API server,
// such as spec.items[0].name, names by indexes; the beginning of it that is in v.
func identify(t typed.ParseableType, v any, path string) fieldpath.Path {
	var found fieldpath.Path
	ref := t.TypeRef
	for path != "" {
		atom, _ := t.Schema.Resolve(ref)
		var step string
		if rest, ok := strings.CutPrefix(path, "["); ok {
			step, path, _ = strings.Cut(rest, "]")
			path = strings.TrimPrefix(path, ".")
		} else {
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			step, path = path[:end], strings.TrimPrefix(path[end:], ".")
		}
		switch c := v.(type) {
		case map[string]any:
			next, ok := c[step]
			if !ok || atom.Map == nil {
				return append(found, fieldpath.FieldNameElement(step))
			}
			v, ref = next, atom.Map.ElementType
			if f, ok := atom.Map.FindField(step); ok {
				ref = f.Type
			}
			found = append(found, fieldpath.FieldNameElement(step))
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(c) || atom.List == nil {
				return found
			}
			e := fieldpath.IndexElement(i)
			if named, ok := identity(listType(t.Schema, atom.List), c[i]); ok {
				e = named
			} else if atom.List.ElementRelationship == schema.Associative && len(atom.List.Keys) == 0 {
				e = fieldpath.ValueElement(value.NewValueInterface(c[i]))
			}
			found, v, ref = append(found, e), c[i], atom.List.ElementType
		default:
			return found
		}
	}
	return found
}

// refusedByRule is what rules of x-kubernetes-validations refuse of an update.
type refusedByRule []fieldmanager.ImmutableField

func (r refusedByRule) Error() string {
	texts := make([]string, len(r))
	for i := range r {
		texts[i] = r[i].Path.String() + ": " + r[i].Message
	}
	return strings.Join(texts, ", ")
}

var comparesOld = regexp.MustCompile(`\boldSelf\b`)

// hasTransitionRules says whether a rule of the definition of a custom resource compares
// it with what it was.
func (t *types) hasTransitionRules(id manifest.Identity) bool {
	for spec := range t.definitionSpecs() {
		names, _ := spec["names"].(map[string]any)
		if text(spec, "group") != groupOf(id.APIVersion) || text(names, "kind") != id.Kind {
			continue
		}
		versions, _ := spec["versions"].([]any)
		for _, v := range versions {
			v, _ := v.(map[string]any)
			if groupOf(id.APIVersion)+"/"+text(v, "name") == id.APIVersion && rulesCompareOld(v["schema"]) {
				return true
			}
		}
	}
	return false
}

func rulesCompareOld(schema any) bool {
	switch s := schema.(type) {
	case map[string]any:
		rules, _ := s["x-kubernetes-validations"].([]any)
		for _, r := range rules {
			if r, ok := r.(map[string]any); ok && comparesOld.MatchString(text(r, "rule")) {
				return true
			}
		}
		for _, below := range s {
			if rulesCompareOld(below) {
				return true
			}
		}
	case []any:
		for _, below := range s {
			if rulesCompareOld(below) {
				return true
			}
		}
	}
	return false
}
