// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"net/http"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/native"
)

// Native answers what the code of a Kubernetes release makes of an object of a built-in kind. A
// *native.Engine is one.
type Native interface {
	Ask(*native.Request) (*native.Response, error)
}

// NativeError says that Server.Native failed to answer, so that there is no prediction.
type NativeError struct{ Err error }

func (e *NativeError) Error() string {
	return "the validation of the Kubernetes release cannot be asked: " + e.Err.Error()
}

func (e *NativeError) Unwrap() error { return e.Err }

// asksNative reports whether the code of the release decides about the request.
func (p *PreparedRequest) asksNative() bool {
	return p.server.Native != nil && p.request.Subresource != "scale" && p.server.predicts(p.request.Object)
}

// nativeStored returns the object that the code of the release stores in place of object. asked is
// false if it does not decide about the request. The error is an *InvalidError or a
// *fieldmanager.RequestError if it refuses the request, and a *NativeError if it does not answer.
func (p *PreparedRequest) nativeStored(object map[string]any) (stored map[string]any, asked bool, err error) {
	if !p.asksNative() {
		return nil, false, nil
	}
	request := &native.Request{Verb: native.Apply, Subresource: p.request.Subresource, Object: document.WithoutManagedFields(object)}
	if p.Live != nil {
		request.Live = document.WithoutManagedFields(p.Live)
	}
	switch {
	case p.request.Verb.IsApply():
	case p.Live == nil:
		request.Verb = native.Create
	default:
		request.Verb = native.Update
	}
	response, err := p.server.Native.Ask(request)
	if err != nil {
		return nil, false, &NativeError{err}
	}
	if response.Unknown {
		return nil, false, nil
	}
	p.nativeAnswered, p.nativeWarnings = true, response.Warnings
	if response.Status != nil {
		return nil, true, refusedByNative(object, response.Status)
	}
	return withManagedFields(response.Object, object), true, nil
}

func refusedByNative(object map[string]any, status *native.Status) error {
	refused := &fieldmanager.RequestError{Status: status.Code, Message: status.Message}
	if status.Code != http.StatusUnprocessableEntity || len(status.Causes) == 0 {
		return refused
	}
	invalid := &InvalidError{Err: refused, Object: object}
	for _, c := range status.Causes {
		invalid.Causes = append(invalid.Causes, Cause{Type: c.Reason, Field: c.Field, Message: c.Message})
	}
	return invalid
}
