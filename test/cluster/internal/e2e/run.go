// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// awaitTimeout is how long an await step retries.
const awaitTimeout = 30 * time.Second

// Target is a server on which scenarios run.
type Target struct {
	*server.Server
	Kubectl     string // path of the program
	Declarative bool   // whether the engine of the server uses declarative defaults
	// Sorted makes Run bring the body of each answer into a fixed order, with the function of the
	// same name, so that two answers can be compared.
	Sorted bool
}

// Run runs a scenario and returns the answers to all steps. It fails at the first step with an
// unexpected result.
func (t Target) Run(ctx context.Context, s Scenario) ([]Answer, error) {
	client, err := kubernetes.NewForConfig(t.Config())
	if err != nil {
		return nil, err
	}
	r := runner{target: t, rest: client.RESTClient(), ns: "e2e-" + s.Name}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.ns}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	var answers []Answer
	for i, step := range s.Steps {
		status, body, err := r.do(ctx, step)
		if err == nil {
			err = t.checkAnswer(step, status, body)
		}
		if err != nil {
			return nil, fmt.Errorf("%s on %s: step %d, %s: %w", s.Name, t.Name, i+1, step.Note, err)
		}
		if t.Sorted {
			body = Sorted(body)
		}
		a, err := NewAnswer(status, body)
		if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	return answers, nil
}

// checkAnswer compares an answer with the expected result of the step.
func (t Target) checkAnswer(step Step, status int, body []byte) error {
	want := step.Want
	declarative := t.Declarative && step.WantDeclarative != 0
	if declarative {
		want = step.WantDeclarative
	}
	if status != want {
		return fmt.Errorf("got %d, want %d\n%s", status, want, body)
	}
	if declarative {
		return nil // with declarative defaults, only the status is checked
	}
	for _, text := range step.Says {
		if !bytes.Contains(body, []byte(text)) {
			return fmt.Errorf("the answer lacks %q\n%s", text, body)
		}
	}
	for _, text := range step.Lacks {
		if bytes.Contains(body, []byte(text)) {
			return fmt.Errorf("the answer has %q\n%s", text, body)
		}
	}
	return nil
}

type runner struct {
	target Target
	rest   rest.Interface
	ns     string
}

func (r *runner) do(ctx context.Context, step Step) (int, []byte, error) {
	var body []byte
	if step.Body != nil {
		var err error
		if body, err = json.Marshal(step.Body); err != nil {
			return 0, nil, err
		}
		body = []byte(r.expand(string(body)))
	}
	switch step.Do {
	case "apply":
		return Send(ctx, r.request(step, r.rest.Patch(types.ApplyPatchType)), body)
	case "create":
		return Send(ctx, r.request(step, r.rest.Post()), body)
	case "merge":
		return Send(ctx, r.request(step, r.rest.Patch(types.MergePatchType)), body)
	case "strategic":
		return Send(ctx, r.request(step, r.rest.Patch(types.StrategicMergePatchType)), body)
	case "get":
		return Send(ctx, r.request(step, r.rest.Get()), nil)
	case "delete":
		return Send(ctx, r.request(step, r.rest.Delete()), body)
	case "update":
		return r.update(ctx, step, body)
	case "await":
		return r.await(ctx, step, body)
	case "kubectl":
		return r.kubectl(ctx, step, body)
	}
	return 0, nil, fmt.Errorf("do: %q is unknown", step.Do)
}

func (r *runner) expand(text string) string { return strings.ReplaceAll(text, "$NS", r.ns) }

func (r *runner) request(step Step, req *rest.Request) *rest.Request {
	req = req.AbsPath(r.expand(step.Path))
	if step.Manager != "" {
		req = req.Param("fieldManager", step.Manager)
	}
	if step.Force {
		req = req.Param("force", "true")
	}
	return req
}

// Send sends a request with an optional body, and returns the status and body of the answer.
// An error status is not an error; Send fails only if no answer arrives.
func Send(ctx context.Context, req *rest.Request, body []byte) (int, []byte, error) {
	if body != nil {
		req = req.Body(body)
	}
	var status int
	res := req.SetHeader("Accept", "application/json").Do(ctx).StatusCode(&status)
	answer, err := res.Raw()
	if status == 0 {
		return 0, nil, err
	}
	return status, answer, nil
}

// update reads the object, changes it and writes it completely, as a controller does.
func (r *runner) update(ctx context.Context, step Step, change []byte) (int, []byte, error) {
	status, live, err := Send(ctx, r.request(Step{Path: step.Path}, r.rest.Get()), nil)
	if err != nil || status != 200 {
		return status, live, err
	}
	var object, patch map[string]any
	if err := errors.Join(json.Unmarshal(live, &object), json.Unmarshal(change, &patch)); err != nil {
		return 0, nil, err
	}
	body, err := json.Marshal(plain.MergePatch(object, patch))
	if err != nil {
		return 0, nil, err
	}
	return Send(ctx, r.request(step, r.rest.Put().SetHeader("Content-Type", "application/json")), body)
}

func (r *runner) await(ctx context.Context, step Step, body []byte) (int, []byte, error) {
	end := time.Now().Add(awaitTimeout)
	for {
		req := r.rest.Get()
		if body != nil {
			req = r.rest.Patch(types.ApplyPatchType).Param("dryRun", "All")
		}
		status, answer, err := Send(ctx, r.request(step, req), body)
		mismatch := r.target.checkAnswer(step, status, answer)
		if err != nil || mismatch == nil || time.Now().After(end) {
			// Return only the expected texts, because the other content of a list or a status
			// changes from run to run.
			var said []byte
			if mismatch == nil {
				said = []byte(strings.Join(step.Says, "\n"))
			}
			return status, said, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// kubectl runs kubectl and returns the exit code and the output.
func (r *runner) kubectl(ctx context.Context, step Step, stdin []byte) (int, []byte, error) {
	args := []string{"--kubeconfig=" + r.target.Kubeconfig, "--namespace=" + r.ns}
	for _, a := range step.Args {
		args = append(args, r.expand(a))
	}
	cmd := exec.CommandContext(ctx, r.target.Kubectl, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	// kubectl keeps its cache in the home directory, and each server needs its own cache.
	cmd.Env = append(os.Environ(), "HOME="+r.target.Home(), "KUBE_EDITOR=sed -i s/hello/'good morning'/")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), out, nil
	}
	return 0, out, err
}
