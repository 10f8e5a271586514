// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

// Protocol is the version of the protocol that this package speaks.
const Protocol = 1

// Greeting is the first line that a program writes.
type Greeting struct {
	// Protocol is the version of the protocol.
	Protocol int `json:"protocol"`
	// Release is the minor release of Kubernetes that the program contains, such as 1.37.
	Release string `json:"release"`
	// Kubernetes is its exact version, such as v1.37.2.
	Kubernetes string `json:"kubernetes"`
}

// Verb is what a request does with an object.
type Verb string

// The verbs of an API server that store an object. An apply sends the merged object.
const (
	Create Verb = "create"
	Update Verb = "update"
	Apply  Verb = "apply"
)

// Request is an object that an API server is about to store: it is decoded, merged if the request
// is an apply, and admission plugins that change objects have run.
type Request struct {
	Verb Verb `json:"verb"`
	// Subresource is the name of the subresource, such as status; empty for the object itself.
	// The subresource scale is not supported.
	Subresource string `json:"subresource,omitempty"`
	// Object is the new object, Live the stored one in the same version, nil if there is none.
	Object map[string]any `json:"object"`
	Live   map[string]any `json:"live,omitempty"`
}

// Response is what the API server makes of a Request.
type Response struct {
	// Unknown is true if the release does not have the kind in that version, or not that
	// subresource. Then no other field is set.
	Unknown bool `json:"unknown,omitempty"`
	// Object is the object as it is stored, in the version of the request, nil if the request is
	// refused. It lacks what only a server knows: the UID, times, allocated addresses and ports.
	Object map[string]any `json:"object,omitempty"`
	// Status is set if the request is refused.
	Status *Status `json:"status,omitempty"`
	// Warnings are those that the server sends to the client.
	Warnings []string `json:"warnings,omitempty"`
}

// Status is how an API server refuses a request, the essential part of a metav1.Status.
type Status struct {
	// Code is the HTTP status, 422 for an invalid object.
	Code int `json:"code"`
	// Reason is the machine-readable reason, such as Invalid.
	Reason string `json:"reason,omitempty"`
	// Message is the text for people. It contains all causes.
	Message string `json:"message"`
	// Causes are the errors of single fields, if the server names them.
	Causes []Cause `json:"causes,omitempty"`
}

// Cause is one error of a Status.
type Cause struct {
	// Field is a path as API servers write it, such as spec.ports[0].port.
	Field string `json:"field,omitempty"`
	// Reason is the kind of error, such as FieldValueRequired.
	Reason string `json:"reason,omitempty"`
	// Message is the text, without the field.
	Message string `json:"message"`
}
