// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/managedfields"
	"net/http"
)

// A FieldManager handles the requests to one endpoint. It holds no state
// between requests but what Options.RememberLive tells it to, and is safe for
// concurrent use.
type FieldManager struct {
	o      Options
	memory *memory
}

// Result is what the API server would store.
type Result struct {
	// Object is the object with its managed fields, in the API version of the
	// endpoint. It shares parts with the live object and the request; it is
	// the live object itself when Changed is false.
	Object map[string]any

	// Changed is false when there is nothing to store: neither the object nor
	// its managed fields changed. Time stamps alone never change.
	Changed bool

	// Reencoded says that Changed is true for the bytes of managed fields alone: every
	// field set is what it was, but was not stored as it is written here. It may have
	// been by a server over another version of structured-merge-diff. A server stores
	// such an object, too.
	Reencoded bool

	// Managed is the ownership after the request, as written into Object. An
	// update reads what a manager owns only when it is asked for, from the
	// managed fields it was given: leave those of live and Object alone as long
	// as you use it.
	Managed *managedfields.Managed

	// Warnings are what the request lost or what its author should know, in
	// order.
	Warnings []managedfields.Warning
}

// A RequestError says that the API server refuses a request before or after the
// merge, whatever the live object's owners are.
type RequestError struct {
	// Status is the HTTP status the API server answers with: 400 for a
	// request that cannot be understood, 409 for one made for an older state
	// of the object, 422 for one with an invalid value.
	Status int
	// Message is the reason.
	Message string
}

// Error is the message.
func (e *RequestError) Error() string { return e.Message }

func badRequest(message string) error {
	return &RequestError{Status: http.StatusBadRequest, Message: message}
}

func outdated(message string) error {
	return &RequestError{Status: http.StatusConflict, Message: message}
}

func invalid(message string) error {
	return &RequestError{Status: http.StatusUnprocessableEntity, Message: message}
}
