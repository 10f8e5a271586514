// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// A FieldManager handles the requests to one endpoint. It is safe for concurrent use. It
// keeps no state between requests, except for the cache that Options.RememberLive turns on.
type FieldManager struct {
	o         Options
	liveCache *liveCache
}

// Result is the result of a request.
type Result struct {
	// Object is the object that the API server would store, with its managed fields, in
	// the API version of the endpoint. It shares parts with the live object and the
	// request. If Changed is false, it is the live object itself.
	Object map[string]any

	// Changed is false if the request changed neither the object nor its managed fields. The
	// server then stores nothing. A new time stamp by itself never counts as a change.
	Changed bool

	// Reencoded is true if the managed fields have the same field sets as before, but in
	// another encoding, and nothing else changed. For example, a server with another version
	// of structured-merge-diff wrote the stored bytes. Changed is true in this case, because a
	// server stores such an object, too.
	Reencoded bool

	// Managed is the ownership after the request, as written into Object. After an update, it
	// decodes field sets on demand, from the managed fields of the request. While you use
	// Managed, you must not modify the managed fields of live and Object.
	Managed *managedfields.Managed

	// Warnings report lost data and other facts for the author of the request, in order.
	Warnings []managedfields.Warning
}

// A RequestError is returned if the API server rejects a request for a reason other than
// conflicts and immutable fields. Errors about the type of an object, and about values that do not
// match it, are no RequestErrors.
type RequestError struct {
	// Status is the HTTP status of the API server's response: 400 for a malformed
	// request, 409 for a request based on an older state of the object, 422 for a
	// request with an invalid value.
	Status int
	// Message states why the request is rejected.
	Message string
}

// Error returns the message.
func (e *RequestError) Error() string { return e.Message }

func badRequest(message string) error {
	return &RequestError{Status: httpstatus.BadRequest, Message: message}
}

// conflictStatus returns an error with the HTTP status 409, which is not about field owners.
func conflictStatus(message string) error {
	return &RequestError{Status: httpstatus.Conflict, Message: message}
}

func invalid(message string) error {
	return &RequestError{Status: httpstatus.Unprocessable, Message: message}
}
