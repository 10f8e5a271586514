package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// findings returns what a validation of o as type t found, in the words of a
// person who has the file before them; nil if err is nil.
func findings(o *manifest.Object, t typed.ParseableType, err error) manifest.Errors {
	if err == nil {
		return nil
	}
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return manifest.Errors{o.Errorf("", "%v", err)}
	}
	errs := make(manifest.Errors, len(all))
	for i, e := range all {
		message := e.ErrorMessage
		if f := e.Finding(); f != nil {
			message = describe(o, t, f)
		}
		errs[i] = o.Errorf(e.Path, "%s", message)
		errs[i].Path = shorten(e.Path)
	}
	return errs
}

// maxPath bounds the text of a path in a message, in bytes at either end.
const maxPath = 200

func shorten(path string) string {
	if len(path) <= 2*maxPath {
		return path
	}
	return cut(path, maxPath) + strings.ToValidUTF8(path[len(path)-maxPath:], "")
}

func describe(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	switch f.Code {
	case diag.WrongType:
		return wrongType(o, f)
	case diag.Undeclared:
		return f.Message + undeclaredHint(o, t, f)
	case diag.Duplicate:
		return duplicate(o, f)
	case diag.NoIdentity:
		return noIdentity(o, t, f)
	}
	return f.Message
}

// wrongType says what is wanted and what is there, as it is spelled there.
func wrongType(o *manifest.Object, f *diag.Finding) string {
	if f.Want == "" {
		return f.Message
	}
	got := nameOf(f.Found) + " " + flow(f.Found)
	if f.Found == nil {
		got = "null"
	}
	text, plain, ok := o.Scalar(f.Path)
	if !ok || !plain {
		text = ""
	}
	hint := ""
	switch v := f.Found.(type) {
	case bool:
		hint = manifest.BooleanHint(text)
		if hint == "" && f.Want == "string" {
			hint = fmt.Sprintf(": quote it: \"%t\"", v)
		}
	case int64, float64:
		if text != "" {
			got = nameOf(f.Found) + " " + text
		}
		if f.Want == "string" && text != "" {
			hint = fmt.Sprintf(": quote it: %q", text)
		}
	case string:
		_, number := strconv.ParseFloat(v, 64)
		switch {
		case number == nil && strings.HasPrefix(f.Want, "num"):
			hint = ": leave the quotes out"
		case (v == "true" || v == "false") && f.Want == "boolean":
			hint = ": leave the quotes out"
		}
	}
	return fmt.Sprintf("want %s, got %s%s", article(f.Want), got, hint)
}

func article(kind string) string {
	switch kind {
	case "numeric":
		return "a number"
	case "map":
		return "a mapping"
	}
	return "a " + kind
}

func nameOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "the mapping"
	case []any:
		return "the list"
	case bool:
		return "the boolean"
	case string:
		return "the string"
	}
	return "the number"
}

// undeclaredHint says what may have been meant by a field that the type does
// not have.
func undeclaredHint(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	if text, plain, ok := o.KeyText(f.Path); ok && plain {
		if text != "true" && text != "false" && (strings.HasSuffix(f.Path, ".true") || strings.HasSuffix(f.Path, ".false")) {
			return manifest.BooleanHint(text)
		}
	}
	steps, complete := o.Steps(f.Path)
	if !complete || len(steps) == 0 {
		return ""
	}
	name, ok := steps[len(steps)-1].(string)
	if !ok {
		return ""
	}
	return didYouMean(nearest(name, fieldsAt(t, steps[:len(steps)-1])))
}

// fieldsAt returns the names of the fields that the type declares at a place.
func fieldsAt(t typed.ParseableType, steps []any) []string {
	atom, ok := typeAt(t, steps)
	if !ok || atom.Map == nil {
		return nil
	}
	names := make([]string, 0, len(atom.Map.Fields))
	for i := range atom.Map.Fields {
		names = append(names, atom.Map.Fields[i].Name)
	}
	return names
}

// typeAt returns the type of a place in a value of type t.
func typeAt(t typed.ParseableType, steps []any) (schema.Atom, bool) {
	ref := t.TypeRef
	for _, s := range steps {
		atom, ok := t.Schema.Resolve(ref)
		if !ok {
			return schema.Atom{}, false
		}
		if ref, ok = child(atom, s); !ok {
			return schema.Atom{}, false
		}
	}
	return t.Schema.Resolve(ref)
}

// child returns the type of one step down from a value of type atom.
func child(atom schema.Atom, step any) (schema.TypeRef, bool) {
	switch s := step.(type) {
	case string:
		if atom.Map == nil {
			return schema.TypeRef{}, false
		}
		if f, ok := atom.Map.FindField(s); ok {
			return f.Type, true
		}
		return atom.Map.ElementType, true
	default:
		if atom.List == nil {
			return schema.TypeRef{}, false
		}
		return atom.List.ElementType, true
	}
}

// noIdentity names the item and the keys that it lacks.
func noIdentity(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	var index int
	if _, err := fmt.Sscanf(f.Message, "element %d:", &index); err != nil {
		return f.Message + ": " + flow(f.Found)
	}
	_, why, _ := strings.Cut(f.Message, ": ")
	where := fmt.Sprintf("item %d", index)
	if line := o.Position(f.Path + "[" + strconv.Itoa(index) + "]").Line; line > 0 {
		where += fmt.Sprintf(" (line %d)", line)
	}
	steps, _ := o.Steps(f.Path)
	atom, ok := typeAt(t, steps)
	item, isMap := f.Found.(map[string]any)
	if ok && isMap && atom.List != nil {
		var lacks []string
		for _, k := range atom.List.Keys {
			if item[k] == nil {
				lacks = append(lacks, k)
			}
		}
		if len(lacks) > 0 {
			return fmt.Sprintf("%s %s lacks what identifies it in its list: %s", where, flow(f.Found), strings.Join(lacks, ", "))
		}
	}
	return fmt.Sprintf("%s %s: %s", where, flow(f.Found), why)
}

// duplicate names both items, with their lines and what they say.
func duplicate(o *manifest.Object, f *diag.Finding) string {
	v, _ := o.Value(f.Path)
	items, _ := v.([]any)
	if f.Second >= len(items) {
		return f.Message
	}
	what, _, _ := strings.Cut(f.Message, " (items ")
	item := func(i int) string {
		var notes []string
		if line := o.Position(f.Path + "[" + strconv.Itoa(i) + "]").Line; line > 0 {
			notes = append(notes, fmt.Sprintf("line %d", line))
		}
		for _, k := range f.Filled {
			if k.Index == i {
				notes = append(notes, fmt.Sprintf("%s=%s from the schema default", k.Name, scalar(k.Value)))
			}
		}
		return fmt.Sprintf("item %d (%s) %s", i, strings.Join(notes, "; "), flow(items[i]))
	}
	return what + ": " + item(f.First) + " and " + item(f.Second)
}
