// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	yamlflow "github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Findings converts err, an error from validating o as type t, to errors with positions and hints.
// If err contains typed.ValidationErrors, the results have the same order. If err is nil, Findings
// returns nil.
func Findings(o *manifest.Object, t typed.ParseableType, err error) manifest.Errors {
	if err == nil {
		return nil
	}
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return manifest.Errors{o.Errorf("", "%v", err)}
	}
	errs := make(manifest.Errors, len(all))
	for i, e := range all {
		path, message := e.Path, e.ErrorMessage
		if f := diag.Of(e); f != nil {
			path = pathTo(o, e.Path, f)
			located := *f
			located.Path = path
			message = describe(o, t, &located)
		}
		errs[i] = o.Errorf(path, "%s", message)
		errs[i].Path = ShortenPath(path)
	}
	return errs
}

// pathTo returns the path of a finding in o. If several list items have the keys in path, pathTo chooses
// the item with the value that was found.
func pathTo(o *manifest.Object, path string, f *diag.Finding) string {
	var matches func(v any) bool
	switch f.Code {
	case diag.WrongType:
		matches = func(v any) bool { return reflect.DeepEqual(v, f.Found) }
	case diag.Undeclared:
		matches = func(any) bool { return true }
	default:
		return path
	}
	if v, ok := o.Value(path); ok && matches(v) {
		return path
	}
	return o.PathTo(path, matches)
}

// WithoutSetsOfObjects removes errors about objects in a list of type set. An API server can store
// such a list in an update, but cannot merge it in an apply.
func WithoutSetsOfObjects(err error) error {
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(e typed.ValidationError) bool {
		f := diag.Of(e)
		if f == nil || f.Code != diag.NoIdentity {
			return false
		}
		_, isMap := f.Found.(map[string]any)
		return isMap && len(f.Keys) == 0
	})
	if len(all) == 0 {
		return nil
	}
	return all
}

// maxPath is the number of bytes that a shortened path keeps at each end.
const maxPath = 200

// ShortenPath removes the middle of a path that is too long for a message.
func ShortenPath(path string) string {
	if len(path) <= 2*maxPath {
		return path
	}
	return yamlflow.Cut(path, maxPath) + strings.ToValidUTF8(path[len(path)-maxPath:], "")
}

func describe(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	switch f.Code {
	case diag.WrongType:
		return wrongType(o, t, f)
	case diag.Undeclared:
		return f.Message + undeclaredHint(o, t, f)
	case diag.Duplicate:
		return duplicateMessage(o, t, f)
	case diag.NoIdentity:
		return noIdentity(o, f)
	}
	return f.Message
}

// wrongType returns a message about a value of the wrong type. The message shows the value as
// it is spelled in the file.
func wrongType(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	switch {
	case unstructured.SecretPlace(o, f.Path) && unstructured.IsNumberMask(f.Found) && f.Want == "string":
		return fmt.Sprintf("want %s, got a number or a boolean; quote it", f.Wanted())
	case unstructured.SecretPlace(o, f.Path) && f.Want != "":
		return fmt.Sprintf("want %s, got %s", f.Wanted(), strings.Replace(f.Noun(), "the ", "a ", 1))
	case f.Want == "":
		return f.Message
	}
	got := f.Got()
	text, plain, ok := o.Scalar(f.Path)
	if !ok || !plain {
		text = ""
	}
	hint := ""
	switch f.Found.(type) {
	case bool:
		hint = yamlflow.BooleanHint(text)
	case int64, float64:
		if text != "" {
			got = f.Noun() + " " + text
		}
		if f.Want == "string" && text != "" {
			hint = yamlflow.NumberHint(text)
		}
	}
	if hint == "" {
		hint = repairHint(o, t, f)
	}
	return fmt.Sprintf("want %s, got %s%s", f.Wanted(), got, hint)
}

// repairHint suggests how to write a value so that it has the right type.
func repairHint(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	steps, _ := o.Steps(f.Path)
	atom, _ := suggest.TypeAt(t.Schema, t.TypeRef, steps)
	for _, m := range suggest.Value(f.Want, f.Found, atom, t.Schema) {
		switch m.Kind {
		case suggest.AddQuotes:
			return "; quote it: " + m.Text
		case suggest.DropQuotes:
			if m.Text == f.Found {
				return "; remove the quotes"
			}
			return "; write " + m.Text
		case suggest.MakeList:
			if text, ok := f.Found.(string); ok && strings.ContainsAny(text, " \t\n") {
				return "; write a list, with a dash before each item or in brackets; each argument of a command is an item"
			}
			return "; write a list, with a dash before each item or in brackets: " + m.Text
		case suggest.DropList:
			return "; remove the dash or the brackets: " + m.Text
		}
	}
	return ""
}

// undeclaredHint suggests a declared field whose name is similar to the name of an undeclared
// field.
func undeclaredHint(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	if text, plain, ok := o.KeyText(f.Path); ok && plain {
		if text != "true" && text != "false" && (strings.HasSuffix(f.Path, ".true") || strings.HasSuffix(f.Path, ".false")) {
			return yamlflow.BooleanHint(text)
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
	return words.DidYouMean(suggest.Field(t.Schema, t.TypeRef, o.Content, steps[:len(steps)-1], name))
}

// noIdentity returns a message about a list item without an identity, for example because it lacks
// a key.
func noIdentity(o *manifest.Object, f *diag.Finding) string {
	name := fmt.Sprintf("item %d", f.First)
	if line := o.Position(f.Path + "[" + strconv.Itoa(f.First) + "]").Line; line > 0 {
		name += fmt.Sprintf(" (line %d)", line)
	}
	return f.NoIdentityMessage(name)
}

// duplicateMessage returns a message about two list items that have the same keys, or the same
// value. The message shows the lines and the values of the items.
func duplicateMessage(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	v, _ := o.Value(f.Path)
	items, _ := v.([]any)
	if f.Second >= len(items) {
		return f.Message
	}
	problem, _, _ := strings.Cut(f.Message, " (items ")
	item := func(i int) string {
		var notes []string
		if line := o.Position(f.Path + "[" + strconv.Itoa(i) + "]").Line; line > 0 {
			notes = append(notes, fmt.Sprintf("line %d", line))
		}
		for _, k := range f.Filled {
			if k.Index == i {
				notes = append(notes, fmt.Sprintf("%s=%s from the schema default", k.Name, words.Scalar(k.Value)))
			}
		}
		return fmt.Sprintf("item %d (%s) %s", i, strings.Join(notes, "; "), words.Flow(items[i]))
	}
	return problem + ": " + item(f.First) + " and " + item(f.Second) + moreKeysHint(o, t, f, items[f.First], items[f.Second])
}

// moreKeysHint returns a hint about two list items with the same keys, such as two host ports for
// one container port. If both items lack a key that has no default, the hint is to set this key.
// Otherwise, the hint is to remove one of the items. If both items write all keys, and differ in
// exactly one scalar field that both write, the hint is also to make this field a key of the list.
//
// moreKeysHint returns "" if the list has fewer than two keys. It also returns "" if the items
// write a key differently, for example if one item contains a default that the other leaves out. It
// does not suggest more keys for a built-in kind, because nobody can change its lists.
func moreKeysHint(o *manifest.Object, t typed.ParseableType, f *diag.Finding, first, second any) string {
	steps, _ := o.Steps(f.Path)
	list, ok := suggest.TypeAt(t.Schema, t.TypeRef, steps)
	a, isMap := first.(map[string]any)
	b, _ := second.(map[string]any)
	if !ok || !isMap || list.List == nil || len(list.List.Keys) < 2 {
		return ""
	}
	for _, k := range list.List.Keys {
		if !reflect.DeepEqual(a[k], b[k]) {
			return ""
		}
	}
	for _, k := range list.List.Keys {
		if _, written := a[k]; !written && !slices.ContainsFunc(f.Filled, func(filled diag.FilledKey) bool { return filled.Name == k }) {
			return fmt.Sprintf("; both items lack the key %s, which has no default in the schema: set it in the items", k)
		}
	}
	if name := t.TypeRef.NamedType; name != nil && openapi.IsKubernetes(*name) {
		return ""
	}
	var differ []string
	for _, name := range unstructured.SortedKeys(a) {
		field, ok := suggest.TypeAt(t.Schema, t.TypeRef, append(slices.Clone(steps), 0, name))
		if ok && field.Scalar != nil && a[name] != nil && b[name] != nil && !reflect.DeepEqual(a[name], b[name]) {
			differ = append(differ, name)
		}
	}
	advice := "; remove one of the items"
	writeAll := !slices.ContainsFunc(list.List.Keys, func(k string) bool { return a[k] == nil })
	if writeAll && len(differ) == 1 {
		advice += fmt.Sprintf(" or, to allow both, add %s to the keys of the list: see --markers", differ[0])
	}
	return advice
}

// IsUndeclared reports whether an error is about a field that the type does not declare.
func IsUndeclared(e typed.ValidationError) bool {
	f := diag.Of(e)
	return f != nil && f.Code == diag.Undeclared
}

// SplitUnknown splits a validation error into two parts: the errors about undeclared fields, and
// all other errors.
func SplitUnknown(err error) (unknown typed.ValidationErrors, left error) {
	var all, others typed.ValidationErrors
	if !errors.As(err, &all) {
		return nil, err
	}
	for _, e := range all {
		if IsUndeclared(e) {
			unknown = append(unknown, e)
		} else {
			others = append(others, e)
		}
	}
	if len(others) > 0 {
		left = others
	}
	return unknown, left
}

// WithoutCarried removes the errors about undeclared fields that are already in the live object and
// that an update sends back unchanged. The argument carried contains the paths of these fields.
func WithoutCarried(err error, carried map[string]bool) error {
	unknown, left := SplitUnknown(err)
	unknown = slices.DeleteFunc(unknown, func(e typed.ValidationError) bool { return carried[diag.WithoutItems(e.Path)] })
	if len(unknown) == 0 {
		return left
	}
	var others typed.ValidationErrors
	errors.As(left, &others)
	return slices.Concat(unknown, others)
}
