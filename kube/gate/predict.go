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

// Predict returns the server's response to a dry run of an apply: the object that the server would
// store, with its managed fields. The response lacks the values that only a server knows; see
// predict.ServerFields. The argument live is the live object, or nil if there is none. Predict
// modifies neither live nor applied.
//
// Predict validates custom resources according to their definition. It validates built-in kinds
// with Options.Native. Without Options.Native, it checks built-in kinds only with the rules of
// package predict and rejects changes of immutable fields, so a server may reject more objects.
// Admission plugins that read other objects, such as PodSecurity, are not evaluated.
//
// The error is the one that a server would return, such as a conflict. Use package
// k8s.io/apimachinery/pkg/api/errors to inspect it. For an unknown type, the error wraps
// fieldmanager.ErrUnknownType.
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
	if p.Native {
		return p.Object, nil
	}
	refused, err := g.types.Validate(p.Validated, p.Live, "")
	if err != nil {
		return nil, err
	}
	if len(refused) > 0 {
		o := unstructured.Unstructured{Object: p.Object}
		return nil, apierrors.NewInvalid(o.GroupVersionKind().GroupKind(), o.GetName(), refused)
	}
	return p.Object, nil
}
