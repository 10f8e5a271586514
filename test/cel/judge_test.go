// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// release is a release of the API server that the test uses.
type release struct {
	name, modfile string // modfile is relative to the root of the module
	dialects      []cel.Dialect
	// nullEqual is set if, in rules of this release, an object that contains null equals
	// itself.
	nullEqual bool
}

// releases are the two newest releases, and the oldest one that supports portable rules.
var releases = []*release{
	{"1.37", "go.mod", []cel.Dialect{cel.Portable, cel.Newest}, true},
	{"1.36", "releases/1.36.mod", []cel.Dialect{cel.Portable, cel.Newest}, true},
	{"1.30", "releases/1.30.mod", []cel.Dialect{cel.Portable}, false},
}

// request, answer and verdict have the same JSON form as the types in the command judge.
type request struct {
	CRD   json.RawMessage      `json:"crd"`
	Pairs [][2]json.RawMessage `json:"pairs"`
}

type answer struct {
	Refused  []string  `json:"refused"`
	Verdicts []verdict `json:"verdicts"`
}

type verdict struct {
	Invalid string   `json:"invalid"`
	Errors  []string `json:"errors"`
}

var judges sync.Map // the functions that build a judge, by modfile

// programs is the folder for the programs that the test builds.
var programs string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "dovetail-judges-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		programs = dir
		return m.Run()
	}())
}

// program builds the judge for a release, if it is not built yet, and returns the path of the
// program.
func (r *release) program() (string, error) {
	build, _ := judges.LoadOrStore(r.modfile, sync.OnceValues(func() (string, error) {
		path := filepath.Join(programs, r.name)
		_, err := gocmd.Output("..", "build", "-modfile="+r.modfile, "-o", path, "./cel/judge")
		return path, err
	}))
	return build.(func() (string, error))()
}

// judge returns the answers of the release's API server to the requests.
func (r *release) judge(t *testing.T, requests []request) []answer {
	t.Helper()
	program, err := r.program()
	if err != nil {
		t.Fatal(err)
	}
	var in, out, errs bytes.Buffer
	e := json.NewEncoder(&in)
	for _, q := range requests {
		if err := e.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(program)
	c.Stdin, c.Stdout, c.Stderr = &in, &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v: %.2000s", r.name, err, errs.String())
	}
	answers := make([]answer, len(requests))
	d := json.NewDecoder(&out)
	for i := range answers {
		if err := d.Decode(&answers[i]); err != nil {
			t.Fatalf("%s: cannot read answer %d: %v", r.name, i, err)
		}
		if len(answers[i].Refused) == 0 && len(answers[i].Verdicts) != len(requests[i].Pairs) {
			t.Fatalf("%s: answer %d has %d verdicts for %d updates", r.name, i, len(answers[i].Verdicts), len(requests[i].Pairs))
		}
	}
	return answers
}
