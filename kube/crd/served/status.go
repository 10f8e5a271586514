// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package served

import (
	"cmp"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// reasons maps the HTTP status code of a rejected request to the reason that the
// server's response contains.
var reasons = map[int]metav1.StatusReason{
	http.StatusBadRequest: metav1.StatusReasonBadRequest, http.StatusConflict: metav1.StatusReasonConflict,
	http.StatusUnprocessableEntity: metav1.StatusReasonInvalid, http.StatusForbidden: metav1.StatusReasonForbidden,
	http.StatusRequestEntityTooLarge: metav1.StatusReasonRequestEntityTooLarge,
}

// StatusError converts a *fieldmanager.ConflictError, *predict.NullError,
// *predict.InvalidError or *fieldmanager.RequestError to the error that a server would
// return. Use k8s.io/apimachinery/pkg/api/errors to inspect it. Other errors are returned
// unchanged.
func StatusError(err error) error {
	var (
		conflict *fieldmanager.ConflictError
		refused  *fieldmanager.RequestError
		nulls    *predict.NullError
		invalid  *predict.InvalidError
	)
	switch {
	case errors.As(err, &conflict):
		var causes []metav1.StatusCause
		for i := range conflict.Conflicts {
			c := &conflict.Conflicts[i]
			causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict, Field: c.Path.String(), Message: c.Message()})
		}
		return apierrors.NewApplyConflict(causes, conflict.Error())
	case errors.As(err, &nulls):
		return nulls.Checked // this is already the error that a server returns
	case errors.As(err, &invalid):
		return invalidStatus(invalid)
	case errors.As(err, &refused):
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: int32(refused.Status), Reason: reasons[refused.Status], Message: refused.Message}}
	}
	return err
}

func invalidStatus(e *predict.InvalidError) error {
	apiVersion, kind := document.TypeOf(e.Object)
	gv, _ := schema.ParseGroupVersion(apiVersion)
	details := &metav1.StatusDetails{Group: gv.Group, Kind: cmp.Or(e.Resource, kind), Name: document.MetaString(e.Object, "name")}
	for _, c := range e.Causes {
		details.Causes = append(details.Causes, metav1.StatusCause{Type: metav1.CauseType(c.Type), Field: c.Field, Message: c.Message})
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: int32(e.Err.Status), Reason: reasons[e.Err.Status], Message: e.Err.Message, Details: details,
	}}
}
