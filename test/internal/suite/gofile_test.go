// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGoFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x_test.go")
	src := `package x

import (
	"fmt"
	"os"
	"testing"
)

type T struct{}

func (*T) Generate() int { return len(os.Args) }

// TestGone is about something private.
func TestGone(t *testing.T) { fmt.Println(private) }

func TestKept(t *testing.T) {
	if private(1) != private(2) {
		t.Error("private")
	}
}
`
	want := `package x

import (
	"testing"
)

type T struct{}

func TestKept(t *testing.T) {
	if public(1) != public(2) {
		t.Error("private")
	}
}
`
	if err := os.WriteFile(name, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := parseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f.dropMethods("Generate")
	if err := f.dropFunc("TestGone"); err != nil {
		t.Error(err)
	}
	if err := f.replaceIn("TestKept", "private(", "public("); err != nil {
		t.Error(err)
	}
	if got, err := f.text(); err != nil || string(got) != want {
		t.Errorf("got %v\n%s", err, got)
	}

	if f.dropFunc("TestNone") == nil || f.replaceIn("TestKept", "nowhere", "") == nil {
		t.Error("changes of missing text must fail")
	}
}
