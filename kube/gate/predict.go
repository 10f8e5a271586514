// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// Predict is what a server answers to a dry-run of an apply: the object as it would be stored, with its managed
// fields, but for what only a server knows (predict.ServerFields). live is the object as it is, nil if there is
// none. Neither is written to.
//
// A custom resource is held to its definition, and a built-in kind to what may not change; what else a
// server refuses in values of built-in kinds, it alone knows.
//
// The error is one that a server answers, such as a conflict, for k8s.io/apimachinery/pkg/api/errors, or
// wraps fieldmanager.ErrUnknownType.
func (g *Gate) Predict(live, applied map[string]any, owner string, force bool) (map[string]any, error) {
	apiVersion, kind := document.TypeOf(applied)
	if _, known := g.types.Type(apiVersion, kind); !known {
		return nil, fmt.Errorf("%s %s: %w", apiVersion, kind, fieldmanager.ErrUnknownType)
	}
	verb := predict.Apply
	if force {
		verb = predict.ApplyForce
	}
	p, err := g.server.Predict(&predict.Request{Verb: verb, Manager: owner, Time: time.Now(), Object: applied, Live: live})
	if err != nil {
		return nil, served.StatusError(err)
	}
	refused, err := g.types.Validate(p.Object, p.Live, "")
	if err != nil {
		return nil, err
	}
	if len(refused) > 0 {
		o := unstructured.Unstructured{Object: p.Object}
		return nil, apierrors.NewInvalid(o.GroupVersionKind().GroupKind(), o.GetName(), refused)
	}
	return p.Object, nil
}
