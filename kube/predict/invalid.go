// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/internal/validation"
	"github.com/dovetail-ssa/dovetail/kube/native"
)

// InvalidError means that a server rejects an object because it has invalid values. It wraps a
// *fieldmanager.RequestError that has the server's message, and the status that [InvalidStatus]
// returns.
type InvalidError struct {
	Err *fieldmanager.RequestError
	// Causes contains at least one cause. The causes have the same order as in the message.
	Causes []Cause
	// Object is the object that the server would have stored. It must not be modified.
	Object map[string]any
	// Native is true if the code in Server.Native rejected the object. In that case, Causes contains
	// all causes of the server, and Err has the server's message.
	Native bool
	// Resource is the plural name that the server's message has in place of the kind. It is "" if the
	// message has the kind. If it is set, the server has not validated the object, and Causes contains
	// all causes of the server.
	Resource string
}

func (e *InvalidError) Error() string { return e.Err.Error() }

func (e *InvalidError) Unwrap() error { return e.Err }

// Cause describes one value that a server rejects.
type Cause struct {
	// Type is the machine-readable reason in a Status, such as FieldValueInvalid.
	Type string
	// Field is the path that the server reports, such as spec.containers[0].name. List
	// indexes in the path refer to the object to store.
	Field string
	// Key is the invalid key, or the key of the invalid value, in the map at Field. It is ""
	// if the whole field is invalid.
	Key string
	// Message is the server's message, without the field.
	Message string
	// Undecodable is true if Go cannot decode the value, such as a fraction in an integer field. A
	// server then rejects the request before it validates the object; see [InvalidStatus].
	Undecodable bool
}

func (c Cause) Error() string { return c.Field + ": " + c.Message }

// InvalidValues returns the values of an object that a server rejects, as far as simple
// rules can detect them. It checks the metadata of every kind. For built-in kinds, it also
// checks required fields, supported values, formats and ranges, according to a table of
// the release.
//
// object is the object to store, with its defaults. The argument live is the object that it
// replaces, or nil. The result omits invalid values that the replaced object already has.
// subresource is the subresource of the request, or "" for the main endpoint. InvalidValues
// modifies neither object, and is safe for concurrent use.
//
// If Server.Native is set, Native checks the values of built-in kinds. If Native fails,
// the error is a *NativeError.
func (s *Server) InvalidValues(object, live map[string]any, subresource string) ([]Cause, error) {
	if s.Native != nil && s.predicts(object) {
		verb := native.Create
		if live != nil {
			verb = native.Update
		}
		response, err := s.callNative(verb, object, live, subresource)
		switch {
		case err != nil:
			return nil, err
		case response.Status != nil:
			return s.causesOf(response.Status, object), nil
		case !response.Unknown:
			return nil, nil
		}
	}
	found := s.checkInvalid(object, live, subresource)
	if len(found) > 0 && live != nil {
		known := map[validation.Cause]bool{}
		for _, c := range s.checkInvalid(live, nil, subresource) {
			known[c] = true
		}
		found = slices.DeleteFunc(found, func(c validation.Cause) bool { return known[c] })
	}
	var causes []Cause
	for _, c := range found {
		causes = append(causes, Cause(c))
	}
	return causes, nil
}

// InvalidMetadata checks the metadata of a new object with simple rules, and returns the reasons for
// which a server would reject it. The rest of the object need not have valid types.
func (s *Server) InvalidMetadata(object map[string]any) (causes []Cause) {
	found, _ := s.checkMetadata(object, nil)
	for _, c := range found {
		causes = append(causes, Cause(c))
	}
	return causes
}

// UndecodableValues returns the values of a built-in object that Go cannot decode, as far as simple rules
// can detect them: numbers, quantities, times, durations and base64 text. Undecodable is true in each
// cause. A server reports only the first such value, in a message that often lacks the field.
// UndecodableValues does not call Native. It does not modify object, and is safe for concurrent use.
func (s *Server) UndecodableValues(object map[string]any) (causes []Cause) {
	if !s.predicts(object) {
		return nil
	}
	for _, c := range s.checkInvalid(object, nil, "") {
		if c.Undecodable {
			causes = append(causes, Cause(c))
		}
	}
	return causes
}

// checkMetadata checks the metadata of an object. It also returns the rules of the release for the
// values of the object, or nil if there are none.
func (s *Server) checkMetadata(object, live map[string]any) ([]validation.Cause, *validation.Release) {
	apiVersion, kind := document.TypeOf(object)
	if apiVersion == "" || kind == "" {
		return nil, nil
	}
	rules := validation.NameRules{Name: "segment"} // for unknown kinds, use the least strict rule
	var release *validation.Release
	if _, custom := s.custom(object); custom {
		rules.Name = ""
	} else if s.predicts(object) {
		if release = validation.For(s.Release.Version()); release != nil {
			if names, ok := release.Names(apiVersion, kind); ok {
				rules = names
			}
		}
	} else if document.Metadata(object) == nil {
		return nil, nil // this is not a Kubernetes object
	}
	return validation.CheckMetadata(object, live, rules), release
}

func (s *Server) checkInvalid(object, live map[string]any, subresource string) []validation.Cause {
	found, release := s.checkMetadata(object, live)
	if _, custom := s.custom(object); custom {
		found = append(found, checkCustomReplicas(object, s.ReplicasPath(object))...)
	}
	undecodable := s.undecodable(object)
	if release != nil && subresource == "" {
		fields := map[string]bool{}
		for _, c := range undecodable {
			fields[c.Field] = true
		}
		for _, c := range release.CheckValues(object) {
			if !fields[c.Field] {
				found = append(found, c)
			}
		}
	}
	return append(undecodable, found...)
}

// undecodable returns the numbers, times and durations of an object of a built-in kind that Go cannot
// decode.
func (s *Server) undecodable(object map[string]any) (causes []validation.Cause) {
	if !s.hasGoType(object) {
		return nil
	}
	for _, u := range s.GoForm.Undecodable(object) {
		causes = append(causes, validation.CannotDecode(strings.TrimPrefix(u.Path.String(), "."), u.Value, u.Problem))
	}
	return causes
}

// warnWrapped warns about integers in a config that are too large for the types of their fields. An
// apply stores other integers in their place.
func (p *PreparedRequest) warnWrapped() {
	if p.usesNative() || !p.server.hasGoType(p.Object) {
		return
	}
	for _, u := range p.server.GoForm.Undecodable(p.Object) {
		if u.Wrapped != nil {
			p.warn(u.Path.String(), fmt.Sprintf("%v %s: an apply stores %v", u.Value, u.Problem, u.Wrapped))
		}
	}
}

// InvalidStatus returns the HTTP status with which a server rejects a request, given the causes of
// the rejection. It is 422 if the server can decode all values. Otherwise, it is 400, or 500 for an
// apply.
func InvalidStatus(causes []Cause, verb Verb) int {
	switch {
	case !slices.ContainsFunc(causes, func(c Cause) bool { return c.Undecodable }):
		return httpstatus.Unprocessable
	case verb.IsApply():
		return httpstatus.Internal
	}
	return httpstatus.BadRequest
}

func groupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// CheckInvalid returns an *InvalidError if [Server.InvalidValues] finds invalid values in the
// result of a merge. Predict calls this method. If you merge with package resolve, call the
// method after the merge.
func (p *PreparedRequest) CheckInvalid(result *fieldmanager.Result) error {
	if p.nativeAnswered || p.Live != nil && !result.Changed {
		return nil
	}
	causes, err := p.server.InvalidValues(result.Object, p.Live, p.request.Subresource)
	if err != nil || len(causes) == 0 {
		return err
	}
	e := NewInvalidError(result.Object, causes)
	e.Err.Status = InvalidStatus(causes, p.request.Verb)
	return e
}

// NewInvalidError returns the error for an object with invalid values, with a server's
// message. It keeps object and causes without copying them.
func NewInvalidError(object map[string]any, causes []Cause) *InvalidError {
	_, kind := document.TypeOf(object)
	return newInvalidError(object, kind, causes)
}

// newInvalidError returns the error of NewInvalidError. Its message names kind, and not the kind of
// the object.
func newInvalidError(object map[string]any, kind string, causes []Cause) *InvalidError {
	apiVersion, _ := document.TypeOf(object)
	if group := groupOf(apiVersion); group != "" {
		kind += "." + group
	}
	var texts []string
	for _, c := range causes {
		if text := c.Error(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	message := strings.Join(texts, ", ")
	if len(texts) > 1 {
		message = "[" + message + "]"
	}
	name := cmp.Or(document.MetaString(object, "name"), document.MetaString(object, "generateName"))
	return &InvalidError{
		Err:    &fieldmanager.RequestError{Status: httpstatus.Unprocessable, Message: fmt.Sprintf("%s %q is invalid: %s", kind, name, message)},
		Causes: causes,
		Object: object,
	}
}
