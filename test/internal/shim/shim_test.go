// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
	"github.com/dovetail-ssa/dovetail/test/internal/standin"
	"github.com/dovetail-ssa/dovetail/test/internal/surface"
)

// TestShimOverStandInIsUpstream generates a drop-in that forwards to structured-merge-diff
// itself. It must export exactly the names of structured-merge-diff. So if another drop-in
// exports other names, the reason is its engine.
func TestShimOverStandInIsUpstream(t *testing.T) {
	engine := filepath.Join(t.TempDir(), "engine")
	if err := standin.Write(repo.V6, engine); err != nil {
		t.Fatal(err)
	}
	files, err := Generate(repo.V6, ".", engine)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(filepath.Dir(engine), "shim")
	if err := Write(dir, files); err != nil {
		t.Fatal(err)
	}
	byHand := filepath.Join("internal", "policy")
	if err := os.CopyFS(filepath.Join(dir, byHand), os.DirFS(filepath.Join("..", "..", "..", "compat", "v6", byHand))); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(engine, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := "module " + repo.V6.Path + "\n" + string(mod[len("module "+repo.Module):]) +
		"\nrequire " + repo.Module + " v0.0.0\nreplace " + repo.Module + " => ../engine\n"
	sum, err := os.ReadFile(filepath.Join(engine, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"go.mod": []byte(text), "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	theirs, err := loadAll(".", repo.V6.Path)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := loadAll(dir, repo.V6.Path)
	if err != nil {
		t.Fatal(err)
	}
	want := surface.Of(theirs, repo.V6.Path)
	got := surface.Of(ours, repo.V6.Path, repo.Module)
	broken, added := surface.Compare(want, got)
	for _, d := range append(broken, added...) {
		t.Error(d)
	}
	t.Logf("%d names compared", len(want))
}
