// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
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
		return nil, asStatus(err)
	}
	return p.Object, nil
}

// asStatus is an error as a server answers it.
func asStatus(err error) error {
	var (
		conflict *fieldmanager.ConflictError
		refused  *fieldmanager.RequestError
	)
	switch {
	case errors.As(err, &conflict):
		var causes []metav1.StatusCause
		for i := range conflict.Conflicts {
			c := &conflict.Conflicts[i]
			causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict, Field: c.Path.String(), Message: fmt.Sprintf("conflict with %v", c.Owner)})
		}
		return apierrors.NewApplyConflict(causes, conflict.Error())
	case errors.As(err, &refused):
		reason := map[int]metav1.StatusReason{http.StatusBadRequest: metav1.StatusReasonBadRequest, http.StatusConflict: metav1.StatusReasonConflict,
			http.StatusUnprocessableEntity: metav1.StatusReasonInvalid, http.StatusForbidden: metav1.StatusReasonForbidden}[refused.Status]
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: int32(refused.Status), Reason: reason, Message: refused.Message}}
	}
	return err
}
