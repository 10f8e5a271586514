// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"time"

	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// Predict is what a server answers to a dry-run of an apply: the object as it would be stored, with its managed
// fields, but for what only a server knows (predict.ServerFields). live is the object as it is, nil if there is
// none. Neither is written to.
//
// The error is one that a server answers, such as a conflict, for k8s.io/apimachinery/pkg/api/errors, or
// wraps fieldmanager.ErrUnknownType.
func (g *Gate) Predict(live, applied map[string]any, owner string, force bool) (map[string]any, error) {
	verb := predict.Apply
	if force {
		verb = predict.ApplyForce
	}
	p, err := g.server.Predict(&predict.Request{Verb: verb, Manager: owner, Time: time.Now(), Object: applied, Live: live})
	if err != nil {
		return nil, served.Refusal(err)
	}
	return p.Object, nil
}
