// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/typed"
)

// writeError answers with an error in the shape of Kubernetes.
func writeError(w http.ResponseWriter, err error) {
	status := statusOf(err)
	if d := status.Details; d != nil && d.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	writeJSON(w, int(status.Code), status)
}

func statusOf(err error) *metav1.Status {
	var known apierrors.APIStatus
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	if errors.As(err, &known) {
		status = known.Status()
	}
	status.Message = cut(status.Message)
	if d := status.Details; d != nil {
		for i := range d.Causes {
			d.Causes[i].Message, d.Causes[i].Field = cut(d.Causes[i].Message), cut(d.Causes[i].Field)
		}
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return &status
}

// cut is a message that is not longer than somebody reads: what was sent may stand in it.
func cut(s string) string {
	const most = 4 << 10
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		code, data = http.StatusInternalServerError, []byte(`{"apiVersion":"v1","kind":"Status","status":"Failure","code":500}`)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(code)
	w.Write(append(data, '\n')) // who does not read the answer is gone
}

// refusal is an error of a prediction as a server answers it.
func refusal(err error, verb predict.Verb, gk schema.GroupKind, name string) error {
	var (
		fixed   *fieldmanager.ImmutableError
		live    *predict.LiveError
		invalid typed.ValidationErrors
	)
	switch {
	case errors.As(err, &fixed):
		var all typed.TransitionErrors
		for i := range fixed.Fields {
			all = append(all, fixed.Fields[i].TransitionError)
		}
		return apierrors.NewInvalid(gk, name, crd.FieldErrors(all))
	case !verb.IsApply() && !errors.As(err, &live) && errors.As(err, &invalid):
		return apierrors.NewBadRequest(fmt.Sprintf("%s cannot be handled: %v", gk.Kind, err))
	}
	return served.Refusal(err)
}
