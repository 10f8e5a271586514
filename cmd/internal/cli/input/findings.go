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
	"github.com/dovetail-ssa/dovetail/typed"
)

// Findings returns what a validation of o as type t found, in the words of a
// person who has the file before them; nil if err is nil.
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
		message := e.ErrorMessage
		if f := diag.Of(e); f != nil {
			message = describe(o, t, f)
		}
		errs[i] = o.Errorf(e.Path, "%s", message)
		errs[i].Path = Shorten(e.Path)
	}
	return errs
}

// ButSetsOfObjects is what a validation found, without that items of sets are objects. The
// API server stores such sets, and knows them by their values; it merges none.
func ButSetsOfObjects(err error) error {
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
		return isMap && strings.Contains(f.Message, "without keys")
	})
	if len(all) == 0 {
		return nil
	}
	return all
}

// maxPath bounds the text of a path in a message, in bytes at either end.
const maxPath = 200

// Shorten cuts the middle out of a path that is too long for a message.
func Shorten(path string) string {
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
		return duplicate(o, t, f)
	case diag.NoIdentity:
		return noIdentity(o, t, f)
	}
	return f.Message
}

// wrongType says what is wanted and what is there, as it is spelled there.
func wrongType(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	switch {
	case unstructured.SecretPlace(o, f.Path) && unstructured.IsNumberMask(f.Found) && f.Want == "string":
		return fmt.Sprintf("want %s, got a number or a boolean: quote it", f.Wanted())
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
		hint = mendHint(o, t, f)
	}
	return fmt.Sprintf("want %s, got %s%s", f.Wanted(), got, hint)
}

// mendHint says what to write instead of a value of the wrong type.
func mendHint(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	steps, _ := o.Steps(f.Path)
	atom, _ := suggest.TypeAt(t.Schema, t.TypeRef, steps)
	for _, m := range suggest.Value(f.Want, f.Found, atom, t.Schema) {
		switch m.Kind {
		case suggest.AddQuotes:
			return ": quote it: " + m.Text
		case suggest.DropQuotes:
			if m.Text == f.Found {
				return ": leave the quotes out"
			}
			return ": write " + m.Text
		case suggest.MakeList:
			return ": a list has a dash before each item, or brackets: " + m.Text
		case suggest.DropList:
			return ": leave out the dash, or the brackets: " + m.Text
		}
	}
	return ""
}

// undeclaredHint says what may have been meant by a field that the type does
// not have.
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
	return words.DidYouMean(suggest.Field(t.Schema, t.TypeRef, steps[:len(steps)-1], name))
}

// noIdentity names the item and the keys that it lacks.
func noIdentity(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
	index := f.First
	_, why, _ := strings.Cut(f.Message, ": ")
	where := fmt.Sprintf("item %d", index)
	if line := o.Position(f.Path + "[" + strconv.Itoa(index) + "]").Line; line > 0 {
		where += fmt.Sprintf(" (line %d)", line)
	}
	steps, _ := o.Steps(f.Path)
	atom, ok := suggest.TypeAt(t.Schema, t.TypeRef, steps)
	item, isMap := f.Found.(map[string]any)
	if ok && isMap && atom.List != nil {
		var lacks []string
		for _, k := range atom.List.Keys {
			if item[k] == nil {
				lacks = append(lacks, k)
			}
		}
		if len(lacks) > 0 {
			return fmt.Sprintf("%s %s lacks what identifies it in its list: %s", where, words.Flow(f.Found), strings.Join(lacks, ", "))
		}
	}
	return fmt.Sprintf("%s %s: %s", where, words.Flow(f.Found), why)
}

// duplicate names both items, with their lines and what they say.
func duplicate(o *manifest.Object, t typed.ParseableType, f *diag.Finding) string {
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
				notes = append(notes, fmt.Sprintf("%s=%s from the schema default", k.Name, words.Scalar(k.Value)))
			}
		}
		return fmt.Sprintf("item %d (%s) %s", i, strings.Join(notes, "; "), words.Flow(items[i]))
	}
	return what + ": " + item(f.First) + " and " + item(f.Second) + bothMeant(o, t, f.Path, items[f.First], items[f.Second])
}

// bothMeant says what to do if two items with the same keys are both meant, as two
// host ports of one container port may be: where the keys are more than a name, both
// spell them alike, and there is another field that could tell the items apart.
func bothMeant(o *manifest.Object, t typed.ParseableType, path string, first, second any) string {
	steps, _ := o.Steps(path)
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
	for _, name := range unstructured.SortedKeys(a) {
		field, ok := suggest.TypeAt(t.Schema, t.TypeRef, append(slices.Clone(steps), 0, name))
		if ok && field.Scalar != nil && b[name] != nil && !reflect.DeepEqual(a[name], b[name]) {
			return fmt.Sprintf("; if both are meant, %s has to be one more key of the list: see --markers", name)
		}
	}
	return ""
}

// IsUndeclared says whether an error is about a field that the type does not declare.
func IsUndeclared(e typed.ValidationError) bool {
	f := diag.Of(e)
	return f != nil && f.Code == diag.Undeclared
}

// SplitUnknown returns the fields that a validation found not to be declared, and
// what else it found.
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

// ButCarried is what is wrong with the object of an update that sends back unknown
// fields of the live object.
func ButCarried(err error, carried map[string]bool) error {
	unknown, left := SplitUnknown(err)
	unknown = slices.DeleteFunc(unknown, func(e typed.ValidationError) bool { return carried[diag.Place(e.Path)] })
	if len(unknown) == 0 {
		return left
	}
	var others typed.ValidationErrors
	errors.As(left, &others)
	return slices.Concat(unknown, others)
}
