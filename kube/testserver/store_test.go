// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Only its owner may read the file of a server. Writing the same object again and again
// must not make the file grow.
func TestFileStaysSmall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "store")
	s := newStore(1 << 30)
	if err := s.openJournal(file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	r, large := schema.GroupResource{Resource: "configmaps"}, strings.Repeat("x", 4<<20)
	for i := range 12 {
		object := map[string]any{"metadata": map[string]any{"namespace": "default", "name": "a"}, "data": map[string]any{"a": fmt.Sprint(large, i)}}
		if _, err := s.put(r, object, nil); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || info.Size() > 40<<20 {
		t.Errorf("mode %v, %d bytes", info.Mode(), info.Size())
	}
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("x11")) {
		t.Errorf("the last state of the object is missing: %v", err)
	}
}
