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
	options   Options
	liveCache *liveCache
}

// Result is the result of a request.
type Result struct {
	// Object is the object that the API server would store, including its managed fields, in
	// the API version of the endpoint. It shares memory with the live object and the request.
	// If Changed is false, Object is the live object itself, which can be in another version.
	Object map[string]any

	// Changed is false if the request changed neither the object nor its managed fields. In this
	// case, a server stores nothing. A new time stamp by itself never counts as a change.
	Changed bool

	// Reencoded is true if only the encoding of the managed fields changed, and their field sets
	// stayed the same. This happens, for example, if a server with another version of
	// structured-merge-diff wrote the stored bytes. Reencoded is also true if the request only
	// dropped entries that cannot be read, or entries that a later entry of the same owner
	// replaces. If Reencoded is true, Changed is also true, because a server stores such an object.
	Reencoded bool

	// Managed is the ownership after the request, as written into Object. It decodes field
	// sets only when they are needed. So while you use Managed, do not modify the managed
	// fields of live, of the object in the request, or of Object.
	Managed *managedfields.Managed

	// Warnings tell the author of the request about lost data and other facts, in the order of
	// detection.
	Warnings []managedfields.Warning
}

// A RequestError is returned if the API server would reject a request, for example because of
// a wrong kind, an invalid manager name, or an old resourceVersion. Conflicts, immutable
// fields, invalid values and invalid managed fields have their own types of errors. Errors
// from functions in Options, such as an unknown type, keep their types.
type RequestError struct {
	// Status is the HTTP status of the API server's response. A FieldManager sets 400 for a
	// malformed request, 409 for a request based on another state of the object, and 422 for
	// a request with an invalid value. Other packages also set other statuses.
	Status int
	// Message states why the request is rejected.
	Message string
}

// Error returns the message.
func (e *RequestError) Error() string { return e.Message }

// badRequest returns an error with the HTTP status 400.
func badRequest(message string) error {
	return &RequestError{Status: httpstatus.BadRequest, Message: message}
}

// staleRequest returns an error with the HTTP status 409, for a request that is based on another
// state of the object.
func staleRequest(message string) error {
	return &RequestError{Status: httpstatus.Conflict, Message: message}
}

// unprocessable returns an error with the HTTP status 422.
func unprocessable(message string) error {
	return &RequestError{Status: httpstatus.Unprocessable, Message: message}
}
