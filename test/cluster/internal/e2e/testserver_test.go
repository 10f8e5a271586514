// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
	"github.com/dovetail-ssa/dovetail/test/internal/build"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// kubectl returns the path of kubectl: $KUBECTL, or a program that this function builds.
func kubectl(t *testing.T) string {
	if name := os.Getenv("KUBECTL"); name != "" {
		return name
	}
	release, err := repo.FindRelease("1.37")
	if err != nil {
		t.Fatal(err)
	}
	b, err := build.New(t.TempDir(), release, false)
	if err != nil {
		t.Fatal(err)
	}
	name, err := b.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestOnTheTestServer runs the scenarios on the test server. Each step must have the same
// result as on a kube-apiserver.
func TestOnTheTestServer(t *testing.T) {
	ts, err := testserver.Start(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ts.Close)
	s, err := server.At("testserver", ts.URL(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	target := Target{Server: s, Kubectl: kubectl(t)}
	scenarios, err := Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	for _, scenario := range scenarios {
		if _, err := target.Run(t.Context(), scenario); err != nil {
			t.Error(err)
		}
	}
	if _, err := target.RunTyped(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestStories runs the stories of spec/cases on the test server.
func TestStories(t *testing.T) {
	ts, err := testserver.Start(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ts.Close)
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "go", "run", "./cmd/ssa-conformance", "-run", "^http-", "testserver="+ts.URL())
	c.Dir = filepath.Join(root, "spec")
	c.Env = append(os.Environ(), "GOWORK=off")
	out, err := c.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("22 of 22")) {
		t.Errorf("%v\n%s", err, out)
	}
}
