// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v7

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
	upath "sigs.k8s.io/structured-merge-diff/v7/fieldpath"
	uvalue "sigs.k8s.io/structured-merge-diff/v7/value"
)

// managed returns an entry of managed fields like the entry of a Pod with three
// containers.
func managed(b *testing.B) []byte {
	b.Helper()
	set := fieldpath.NewSet()
	for i := range 3 {
		container := []any{"spec", "containers", fieldpath.KeyByFields("name", fmt.Sprintf("app-%d", i))}
		add := func(path ...any) {
			set.Insert(fieldpath.MakePathOrDie(slices.Concat(container, path)...))
		}
		add()
		for _, name := range []string{"name", "image", "imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy"} {
			add(name)
		}
		add("resources", "limits", "memory")
		for j := range 10 {
			env := fieldpath.KeyByFields("name", fmt.Sprintf("VARIABLE_%d", j))
			add("env", env)
			add("env", env, "name")
			add("env", env, "value")
		}
		port := fieldpath.KeyByFields("containerPort", 8080+i, "protocol", "TCP")
		add("ports", port)
		add("ports", port, "containerPort")
		add("ports", port, "protocol")
	}
	text, err := set.ToJSON()
	if err != nil {
		b.Fatal(err)
	}
	return text
}

// These benchmarks measure, with both engines, the code that differs between v7 and v6. The
// code that merges is the same in v6 and v7.
func BenchmarkDecode(b *testing.B) {
	doc := managed(b)
	b.Run("upstream", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := upath.NewSet().FromJSON(bytes.NewReader(doc)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := fieldpath.NewSet().FromJSON(bytes.NewReader(doc)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	doc := managed(b)
	theirs, ours := upath.NewSet(), fieldpath.NewSet()
	if err := theirs.FromJSON(bytes.NewReader(doc)); err != nil {
		b.Fatal(err)
	}
	if err := ours.FromJSON(bytes.NewReader(doc)); err != nil {
		b.Fatal(err)
	}
	b.Run("upstream", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := theirs.ToJSON(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ours.ToJSON(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkValue(b *testing.B) {
	doc := managed(b)
	b.Run("upstream", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v, err := uvalue.FromJSON(doc)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := uvalue.ToJSON(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v, err := value.FromJSON(doc)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := value.ToJSON(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
