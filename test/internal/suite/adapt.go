// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// helpers are test files of this repository. They define functions in place of the unexported
// functions that structured-merge-diff's tests call.
//
//go:embed testdata/*/*.go.txt
var helpers embed.FS

// adapt changes those test files of structured-merge-diff that do not compile with a drop-in.
// They use unexported names, or declare methods for types of the package. With a drop-in, such
// methods are not possible, because its types are aliases. adapt returns the names of the tests
// that it removed, as "package.Test".
func adapt(overlay string) (dropped []string, err error) {
	if dropped, err = change(overlay, edits); err != nil {
		return nil, err
	}
	return dropped, fs.WalkDir(helpers, "testdata", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := helpers.ReadFile(name)
		if err != nil {
			return err
		}
		to := strings.TrimSuffix(strings.TrimPrefix(name, "testdata/"), ".txt")
		return os.WriteFile(filepath.Join(overlay, filepath.FromSlash(to)), text, 0o644)
	})
}

// change makes edits to the files of a module in dir. It returns the names of the tests that
// it removed, as "package.Test".
func change(dir string, edits []edit) (dropped []string, err error) {
	for _, edit := range edits {
		path := filepath.Join(dir, filepath.FromSlash(edit.file))
		f, err := parseFile(path)
		if errors.Is(err, fs.ErrNotExist) && edit.optional {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, name := range edit.drop {
			if err := f.dropFunc(name); err != nil {
				return nil, fmt.Errorf("%s: %w", edit.file, err)
			}
			dropped = append(dropped, filepath.Dir(edit.file)+"."+name)
		}
		if edit.methods != "" {
			f.dropMethods(edit.methods)
		}
		for _, r := range edit.replace {
			if err := f.replaceIn(r.in, r.old, r.new); err != nil {
				return nil, fmt.Errorf("%s: %w", edit.file, err)
			}
		}
		text, err := f.text()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", edit.file, err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
	}
	return dropped, nil
}

type edit struct {
	file     string
	optional bool     // whether one of the major versions has no such file
	drop     []string // test functions to remove, because they test only unexported names
	methods  string   // the name of the methods to remove; the file of helpers has functions with the same purpose
	replace  []replacement
}

// replacement replaces a text by another text in one function. The field "in" is the name of
// the function.
type replacement struct{ in, old, new string }

var edits = []edit{
	{
		// The original test creates random values with testing/quick, which calls the Generate
		// methods of the types. A drop-in cannot have such methods, so the function generator
		// creates the values. It also fills the fields of type any that only Dovetail has.
		file:    "schema/equals_test.go",
		methods: "Generate",
		replace: []replacement{
			{"TestEquals", "quick.Check(f, nil)", "quick.Check(f, generator(f))"},
		},
	},
	{
		file:     "value/jsontagutil_test.go",
		optional: true,
		drop:     []string{"TestLookupJsonTagsInline"},
	},
	{
		file: "value/reflectcache_test.go",
		drop: []string{"TestTypeReflectEntryOf", "TestUnmarshal"},
	},
	{
		// The type valueReflect does not exist in a drop-in, so the tests use the interface
		// Value.
		file: "value/valuereflect_test.go",
		replace: []replacement{
			{"TestReflectStruct", "value.(*valueReflect).Value.Interface()", "value.Unstructured()"},
			{"TestReflectStruct", "reflect.DeepEqual(iterateResult, tc.expectedMap)", "reflect.DeepEqual(iterateResult, plain(tc.expectedMap))"},
			{"TestReflectMutateNestedStruct", "mapItem := &valueReflect{}", "var mapItem Value"},
			{"TestReflectMutateNestedStruct", "*mapItem = *value.(*valueReflect)", "mapItem = value"},
			{"TestReflectMutateNestedStruct", "!mapItem.Value.IsValid()", "mapItem == nil"},
		},
	},
}
