// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

// Protocol is the version of the protocol that this package implements.
const Protocol = 2

// Greeting is the first line that the program writes.
type Greeting struct {
	// Protocol is the version of the protocol.
	Protocol int `json:"protocol"`
	// Release is the minor release of Kubernetes that the program contains, such as 1.37.
	Release string `json:"release"`
	// Kubernetes is the exact version of Kubernetes in the program, such as v1.37.2.
	Kubernetes string `json:"kubernetes"`
}

// Verb is the operation that a request performs.
type Verb string

// Create, Update and Apply correspond to the requests of an API server that store an object. For
// Apply, the request's Object is the merged object.
const (
	Create Verb = "create"
	Update Verb = "update"
	Apply  Verb = "apply"
	// Default only decodes Object and returns it with its defaults. It does not validate, and
	// ignores Subresource and Live.
	Default Verb = "default"
)

// Request contains an object that an API server is about to store. All admission plugins
// that change objects have already run. For an apply, this object is the merged object.
type Request struct {
	Verb Verb `json:"verb"`
	// Subresource is the name of the subresource, such as status, or "" for the object itself.
	Subresource string `json:"subresource,omitempty"`
	// Object is the new object. Live is the stored object in the same version, or nil if there is
	// none. For the subresource scale, Object is a Scale of autoscaling/v1, but Live and
	// Response.Object are the scaled object.
	Object map[string]any `json:"object"`
	Live   map[string]any `json:"live,omitempty"`
}

// Response is the result of a Request.
type Response struct {
	// Unknown is true if the release does not have the kind in the requested version, or does not
	// have the requested subresource. All other fields are then empty.
	Unknown bool `json:"unknown,omitempty"`
	// Object is the stored object in the version of the request, or nil if the request is
	// rejected. Object lacks the values that only a server knows: the UID, times,
	// allocated addresses and ports. For the verb Default, Object is the decoded object
	// with its defaults.
	Object map[string]any `json:"object,omitempty"`
	// Status is the reason for rejecting the request. It is nil if the request is accepted.
	Status *Status `json:"status,omitempty"`
	// Warnings lists the warnings that the server sends to the client.
	Warnings []string `json:"warnings,omitempty"`
}

// Status is the reason why an API server rejects a request. It contains the most important
// fields of a metav1.Status.
type Status struct {
	// Code is the HTTP status code, such as 422 for an invalid object.
	Code int `json:"code"`
	// Reason is the machine-readable reason, such as Invalid.
	Reason string `json:"reason,omitempty"`
	// Message is the human-readable text. It includes all causes.
	Message string `json:"message"`
	// Causes lists the errors of single fields, if the server reports them.
	Causes []Cause `json:"causes,omitempty"`
}

// Cause is the error of one field in a Status.
type Cause struct {
	// Field is the path, as API servers write it, such as spec.ports[0].port.
	Field string `json:"field,omitempty"`
	// Reason is the kind of error, such as FieldValueRequired.
	Reason string `json:"reason,omitempty"`
	// Message describes the error, without the field.
	Message string `json:"message"`
}
