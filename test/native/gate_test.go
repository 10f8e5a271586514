// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/gate"
	"github.com/dovetail-ssa/dovetail/kube/native"
)

// TestGate checks that kube/gate answers dry runs of Argo CD with the code of the release.
func TestGate(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string, e *native.Engine) {
		g, err := gate.New(gate.Options{Release: release, Native: e})
		if err != nil {
			t.Fatal(err)
		}
		runner := &gate.DryRunner{Gate: g, Live: func(context.Context, *unstructured.Unstructured) (*unstructured.Unstructured, error) { return nil, nil }}
		dryRun := func(text string) (string, error) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
				t.Fatal(err)
			}
			return runner.Run(t.Context(), object, "argocd-controller")
		}
		_, err = dryRun(invalidDeployment)
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "`selector` does not match template `labels`") {
			t.Errorf("want an error for an invalid Deployment, got %v", err)
		}
		if stored, err := dryRun(claim); err != nil || !strings.Contains(stored, `"dataSourceRef":`) {
			t.Errorf("want a PersistentVolumeClaim with dataSourceRef, got error %v\n%s", err, stored)
		}
	})
}
