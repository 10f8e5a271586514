// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func configMap(name string) string {
	return "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
}

// TestIndex reads objects through Refs. The objects are in more files than a Set
// keeps open.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	for i := range maxOpen + 20 {
		text := configMap(fmt.Sprintf("a%02d", i)) + configMap(fmt.Sprintf("b%02d", i))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, most := range []int64{0, 1 << 20} {
		func() {
			defer SetMaxInMemory(most)()
			s, err := Open(&command.Run{}, Files{Flag: "-f", Names: []string{dir}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			refs, errs, err := s.Index()
			if err != nil || len(errs) > 0 || len(refs) != 2*(maxOpen+20) {
				t.Fatalf("%d objects, %v, %v", len(refs), errs, err)
			}
			slices.Reverse(refs)
			for i, x := range refs {
				n := len(refs)/2 - 1 - i/2
				name := fmt.Sprintf("b%02d", n)
				if i%2 == 1 {
					name = fmt.Sprintf("a%02d", n)
				}
				o, bad := x.Object()
				if bad != nil || o.Identity().Name != name || x.Identity() != o.Identity() {
					t.Fatalf("%d bytes held: at %d there is %v, want %s; %v", most, i, x.Identity(), name, bad)
				}
				if want := filepath.Join(dir, fmt.Sprintf("%02d.yaml", n)); x.Start().File != want {
					t.Fatalf("%s is at %v, want %s", name, x.Start(), want)
				}
			}
		}()
	}
}

// If a file has changed, its Ref must return an error, not another object.
func TestChangedFile(t *testing.T) {
	defer SetMaxInMemory(0)()
	name := filepath.Join(t.TempDir(), "a.yaml")
	put := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, after := range []string{configMap("a") + configMap("c"), configMap("a"), configMap("long") + configMap("b"), ""} {
		put(configMap("a") + configMap("b"))
		s, err := Open(&command.Run{}, Files{Flag: "-f", Names: []string{name}})
		if err != nil {
			t.Fatal(err)
		}
		refs, _, err := s.Index()
		if err != nil || len(refs) != 2 {
			t.Fatal(refs, err)
		}
		put(after)
		if _, bad := refs[1].Object(); bad == nil || bad.File != name || !strings.Contains(bad.Message, "v1 ConfigMap b is no longer in the file") {
			t.Errorf("%q: got %v", after, bad)
		}
		s.Close()
	}
}

// Errors about unreadable files come in the order of the files. The objects of the readable files
// are returned, too.
func TestErrorsOfSets(t *testing.T) {
	for _, most := range []int64{0, 1 << 20} {
		back := SetMaxInMemory(most)
		good, bad := filepath.Join(t.TempDir(), "a.yaml"), filepath.Join(t.TempDir(), "b.yaml")
		for name, text := range map[string]string{good: configMap("a"), bad: "a: b: c\n" + configMap("b")} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		objects, errs, err := ReadObjects(&command.Run{}, Files{Flag: "-f", Names: []string{"no such file", good, bad}})
		want := manifest.Errors{{File: "no such file", Message: "no such file or directory"}, {File: bad, Line: 1}}
		if err != nil || len(objects) != 2 || len(errs) != 2 || errs[0].Error() != want[0].Error() || errs[1].File != bad || errs[1].Line != 1 {
			t.Errorf("%d bytes held: %d objects, %v, %v", most, len(objects), errs, err)
		}
		back()
	}
}
