// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/typed"
)

// writeError sends an error as a Kubernetes Status.
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

// cut shortens a message, because it may contain long text from the request.
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
	w.Write(append(data, '\n')) // the client may have closed the connection
}

// refusal converts the error of a prediction to the error that an API server would send.
func (s *Server) refusal(q *write, live map[string]any, err error) error {
	r := q.resource
	var (
		fixed   *fieldmanager.ImmutableError
		stored  *predict.LiveError
		refused *fieldmanager.RequestError
		invalid typed.ValidationErrors
		values  *predict.InvalidError
	)
	switch {
	case errors.As(err, &fixed):
		var all typed.TransitionErrors
		for i := range fixed.Fields {
			all = append(all, fixed.Fields[i].TransitionError)
		}
		return apierrors.NewInvalid(r.gvk().GroupKind(), q.name, crd.FieldErrors(all))
	case !q.verb.IsApply() && !errors.As(err, &stored) && errors.As(err, &invalid):
		// If an object does not fit its type, a server cannot track its owners, but it still
		// validates the object.
		if r.custom != nil {
			if err := s.validate(r, q, q.object, live); err != nil {
				return err
			}
		}
		return apierrors.NewBadRequest(fmt.Sprintf("%s cannot be handled: %v", r.kind, err))
	case errors.As(err, &values):
		return s.invalid(q, live, values)
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden && s.terminating(q):
		out := served.StatusError(err)
		var known *apierrors.StatusError
		if errors.As(out, &known) {
			known.ErrStatus.Details = &metav1.StatusDetails{Name: q.name, Group: r.group, Kind: r.plural, Causes: []metav1.StatusCause{{
				Type: corev1.NamespaceTerminatingCause, Message: fmt.Sprintf("namespace %s is being terminated", q.namespace), Field: "metadata.namespace",
			}}}
		}
		return out
	}
	return served.StatusError(err)
}

// invalid returns the error for an object with invalid values. A server reports all errors of an
// object at once, so invalid also adds errors that the prediction does not check. For a custom
// resource, these come from the validation rules of its definition. For a built-in kind, they are
// about changes of immutable fields.
func (s *Server) invalid(q *write, live map[string]any, e *predict.InvalidError) error {
	if kind := text(e.Object["kind"]); e.Native || e.Resource != "" || kind != q.resource.kind {
		return served.StatusError(e) // e is already complete, or the object is a Scale
	}
	if q.resource.custom == nil && q.verb.IsApply() {
		if err := q.checkMerged(e.Object); err != nil {
			return err
		}
	}
	found, err := s.types.Validate(e.Object, live, q.subresource)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	causes := slices.Clone(e.Causes)
	for _, f := range found {
		if !strings.HasPrefix(f.Field, "metadata") { // errors in metadata are already in e.Causes
			causes = append(causes, predict.Cause{Type: string(f.Type), Field: f.Field, Message: f.ErrorBody()})
		}
	}
	return served.StatusError(predict.NewInvalidError(e.Object, causes))
}

// terminating reports whether the request creates an object in a namespace that is
// being deleted.
func (s *Server) terminating(q *write) bool {
	namespace := s.store.get(namespaces.gr(), key{name: q.namespace})
	return q.resource.namespaced && namespace != nil && document.MetaString(namespace, "deletionTimestamp") != "" && s.store.get(q.resource.gr(), q.key()) == nil
}
