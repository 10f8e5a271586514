// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/policy"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

//go:embed testdata/policies/*.yaml
var policyFiles embed.FS

// policyObjects returns the objects in a file of testdata/policies.
func policyObjects(name string) ([]object, error) {
	data, err := policyFiles.ReadFile("testdata/policies/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	all, err := manifest.Read(name+".yaml", data)
	if err != nil {
		return nil, err
	}
	var objects []object
	for _, o := range all {
		objects = append(objects, o.Content)
	}
	return objects, nil
}

// noticed is how long the test waits until the server has loaded new policies and custom
// resources. The server looks for them every five seconds.
const noticed = 15 * time.Second

// RunPolicies sends requests to a server with admission policies. It compares the answers and
// the stored objects with the predictions of package kube/policy. It ignores o.Objects and
// o.Projects.
func RunPolicies(ctx context.Context, o Options, s *server.Server) (*Report, error) {
	w, err := newRun(o, s)
	if err != nil {
		return nil, err
	}
	var given, objects []object
	for _, name := range []string{"cluster", "mutating", "validating"} {
		all, err := policyObjects(name)
		if err != nil {
			return nil, err
		}
		for _, o := range all {
			if err := w.prepare(ctx, o); err != nil {
				return nil, err
			}
		}
		given = append(given, all...)
	}
	if objects, err = policyObjects("objects"); err != nil {
		return nil, err
	}
	if err := w.waitUntilServed(ctx, objects); err != nil {
		return nil, err
	}
	w.server.Policies, err = policy.New(given, policy.Options{
		Kinds: w.types.Kinds(), Types: w.server.FieldManager.Types, Convert: w.server.FieldManager.Converter,
		User: &policy.User{Name: "admin", Groups: []string{"system:masters", "system:authenticated"}}, Whole: true,
	})
	if err != nil {
		return nil, err
	}
	w.report.Policies = true
	time.Sleep(noticed)
	for i, from := range objects {
		if err := w.object(ctx, from, rand.New(rand.NewPCG(o.Seed, uint64(i)))); err != nil {
			return nil, err
		}
	}
	return w.report, nil
}

// prepare creates an object that later requests need.
func (w *run) prepare(ctx context.Context, o object) error {
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if o["kind"] == "CustomResourceDefinition" {
		if err := w.types.AddCRD(text(metadata(o)["name"]), data); err != nil {
			return err
		}
	}
	kind, ok := w.types.Kind(text(o["apiVersion"]), text(o["kind"]))
	if !ok {
		return fmt.Errorf("no kind %v in %v", o["kind"], o["apiVersion"])
	}
	a, err := w.client.do(ctx, w.client.rest.Post().AbsPath(collection(kind, o)).Body(data))
	if err == nil && !a.ok() {
		err = fmt.Errorf("%v %v: %d: %s", o["kind"], metadata(o)["name"], a.status, a.message())
	}
	return err
}

// compareVerdicts compares the predicted verdict of the policies with the server's verdict. The
// second result is true if a policy rejected the request, on the server or in the prediction.
func (w *run) compareVerdicts(c *Count, d *predict.Prediction, refusal error, a answer) (found []Difference, done bool) {
	if w.server.Policies == nil {
		return nil, false
	}
	var refused *fieldmanager.RequestError
	denied := errors.As(refusal, &refused) && refused.Status != http.StatusConflict
	said := fmt.Sprintf("%d: %s", a.status, a.message())
	switch {
	case denied && said == fmt.Sprintf("%d: %s", refused.Status, refused.Message):
		c.Denied++
		return nil, true
	case denied:
		return []Difference{{Path: "status", Predicted: fmt.Sprintf("%d: %s", refused.Status, refused.Message), Stored: said}}, true
	case !a.ok() && strings.Contains(a.message(), "denied request"):
		return []Difference{{Path: "status", Predicted: fmt.Sprint(refusal), Stored: said}}, true
	case !a.ok() || d == nil:
		return nil, false
	}
	predicted := slices.Sorted(slices.Values(d.Admitted.Warnings))
	var stored []string
	for _, text := range a.warnings {
		if strings.Contains(text, "AdmissionPolicy") {
			stored = append(stored, text)
		}
	}
	slices.Sort(stored)
	if len(predicted) > 0 {
		c.Warned++
	}
	if !slices.Equal(predicted, stored) {
		found = append(found, Difference{Path: "warnings", Predicted: plain.Text(predicted), Stored: plain.Text(stored)})
	}
	return found, false
}
