// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is published is what was measured.
func TestPublished(t *testing.T) {
	files, err := figures("../bench")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../bench", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what go run . writes", name)
		}
		if !strings.HasSuffix(name, ".svg") {
			continue
		}
		for d := xml.NewDecoder(bytes.NewReader(got)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func TestFiguresOfNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := figures(dir); err == nil || !strings.Contains(err.Error(), "measure first") {
		t.Errorf("without files: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "results"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"upstream", "dovetail"} {
		if err := os.WriteFile(filepath.Join(dir, "results", engine+".txt"), []byte("Benchmark"+engine+"/x 1 2 ns/op\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := figures(dir); err == nil || !strings.Contains(err.Error(), "both engines") {
		t.Errorf("without an operation of both: %v", err)
	}
}
