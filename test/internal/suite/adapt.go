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

// adapt changes a few test files of structured-merge-diff that use unexported names, or
// declare methods for types of the package. Neither compiles if the package is a drop-in,
// which consists of aliases. adapt returns the names of the tests that it removed, as
// "package.Test".
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
	methods  string   // name of methods to remove; functions in the helper file replace them
	replace  []replacement
}

// replacement replaces the text old with new in the function in.
type replacement struct{ in, old, new string }

var edits = []edit{
	{
		// In the original tests, testing/quick calls Generate methods to create random values.
		// A drop-in cannot add methods to its types, so a function creates the values. It also
		// fills the fields of type any that only Dovetail has.
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
		// The type of the items is private, so use them through the interface Value.
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
