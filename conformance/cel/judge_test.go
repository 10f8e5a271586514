// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/conformance/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
)

// release is an API server.
type release struct {
	name, modfile string
	dialects      []cel.Dialect
	// nullEqual says that an object with a null is equal to itself.
	nullEqual bool
}

// releases are the two newest, and the oldest that portable rules are for.
var releases = []*release{
	{"1.37", "go.mod", []cel.Dialect{cel.Portable, cel.Newest}, true},
	{"1.36", "go-1.36.mod", []cel.Dialect{cel.Portable, cel.Newest}, true},
	{"1.30", "go-1.30.mod", []cel.Dialect{cel.Portable}, false},
}

// request, answer and verdict are those of the command judge.
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

var judges sync.Map // of modfiles, to func() (string, error)

// program is the API server of a release: a file of the folder $JUDGES, if that is set,
// or what the go command builds, once.
func (r *release) program() (string, error) {
	if dir := os.Getenv("JUDGES"); dir != "" {
		return filepath.Join(dir, strings.TrimSuffix(r.modfile, ".mod")), nil
	}
	build, _ := judges.LoadOrStore(r.modfile, sync.OnceValues(func() (string, error) {
		name, err := gocmd.Output("judge", "tool", "-modfile="+r.modfile, "-n", "judge")
		return strings.TrimSpace(string(name)), err
	}))
	return build.(func() (string, error))()
}

// ask returns what the API server says to each request.
func (r *release) ask(t *testing.T, requests []request) []answer {
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
			t.Fatalf("%s: answer %d: %v", r.name, i, err)
		}
		if len(answers[i].Refused) == 0 && len(answers[i].Verdicts) != len(requests[i].Pairs) {
			t.Fatalf("%s: answer %d has %d verdicts for %d updates", r.name, i, len(answers[i].Verdicts), len(requests[i].Pairs))
		}
	}
	return answers
}
