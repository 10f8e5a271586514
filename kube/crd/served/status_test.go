// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package served_test

import (
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
)

// A rejected request gets the reason that an API server returns with that HTTP status.
func TestReasons(t *testing.T) {
	for status, want := range map[int]metav1.StatusReason{
		http.StatusBadRequest:            metav1.StatusReasonBadRequest,
		http.StatusForbidden:             metav1.StatusReasonForbidden,
		http.StatusConflict:              metav1.StatusReasonConflict,
		http.StatusRequestEntityTooLarge: metav1.StatusReasonRequestEntityTooLarge,
		http.StatusUnprocessableEntity:   metav1.StatusReasonInvalid,
	} {
		err := served.StatusError(&fieldmanager.RequestError{Status: status, Message: "no"})
		if got := apierrors.ReasonForError(err); got != want {
			t.Errorf("%d has the reason %q, want %q", status, got, want)
		}
	}
}
