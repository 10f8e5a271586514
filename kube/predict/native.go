// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/native"
)

// Native processes objects of built-in kinds with the code of a Kubernetes release.
// *native.Engine implements it.
type Native interface {
	Ask(*native.Request) (*native.Response, error)
}

// NativeError means that Server.Native failed, so there is no prediction.
type NativeError struct{ Err error }

func (e *NativeError) Error() string {
	return "the program with the code of the Kubernetes release failed: " + e.Err.Error()
}

func (e *NativeError) Unwrap() error { return e.Err }

// usesNative reports whether the code of the release handles the request.
func (p *PreparedRequest) usesNative() bool {
	return p.server.Native != nil && !p.carries && p.server.predicts(p.request.Object)
}

// callNative sends an object to Native. The live object may be nil. For the subresource scale, object
// is the object being scaled and not the Scale.
func (s *Server) callNative(verb native.Verb, object, live map[string]any, subresource string) (*native.Response, error) {
	if subresource == scaleSubresource {
		verb, object = native.Update, scaleOf(object, scaleReplicas)
	}
	request := &native.Request{Verb: verb, Subresource: subresource, Object: document.WithoutManagedFields(object)}
	if live != nil {
		request.Live = document.WithoutManagedFields(live)
	}
	response, err := s.Native.Ask(request)
	if err != nil {
		return nil, &NativeError{err}
	}
	return response, nil
}

// DecodeNative returns an object as the release's code decodes it: with its defaults and
// in the form of its Go type. It returns nil if Native is not set or does not know the
// kind. If the object cannot be decoded, the error is a *fieldmanager.RequestError. If
// Native fails, the error is a *NativeError. DecodeNative does not modify the object.
func (s *Server) DecodeNative(object map[string]any) (map[string]any, error) {
	if s.Native == nil || !s.predicts(object) {
		return nil, nil
	}
	response, err := s.callNative(native.Default, object, nil, "")
	switch {
	case err != nil:
		return nil, err
	case response.Unknown:
		return nil, nil
	case response.Status != nil:
		return nil, &fieldmanager.RequestError{Status: response.Status.Code, Message: response.Status.Message}
	}
	return withManagedFields(response.Object, object), nil
}

// causesOf returns the causes for which a server rejects object with the given status. The result
// contains at least one cause. A server reports an invalid label with the path of the whole map, so
// causesOf finds the key of the label with the simple rules. If several labels have the same invalid
// value, the server reports one cause, and causesOf returns it with the first key.
func (s *Server) causesOf(status *native.Status, object map[string]any) (causes []Cause) {
	if status.Code != httpstatus.Unprocessable || len(status.Causes) == 0 {
		return []Cause{{Message: status.Message, Undecodable: status.Code == httpstatus.BadRequest}}
	}
	simple := s.InvalidMetadata(object)
	for _, c := range status.Causes {
		cause := Cause{Type: c.Reason, Field: c.Field, Message: c.Message}
		same := func(c Cause) bool { return c.Field == cause.Field && c.Message == cause.Message }
		if i := slices.IndexFunc(simple, same); i >= 0 {
			cause.Key = simple[i].Key
		}
		causes = append(causes, cause)
	}
	return causes
}

// NativeAnswered reports whether Server.Native handled the last merge.
func (p *PreparedRequest) NativeAnswered() bool { return p.nativeAnswered }

// nativeStored sends object to the release's code and returns the object that the code would
// store. called is false if the code does not handle this request. If the code rejects the
// request, the error is an *InvalidError or a *fieldmanager.RequestError. If Native fails, the
// error is a *NativeError.
func (p *PreparedRequest) nativeStored(object map[string]any) (stored map[string]any, called bool, err error) {
	if !p.usesNative() {
		return nil, false, nil
	}
	verb := native.Update
	switch {
	case p.request.Verb.IsApply():
		verb = native.Apply
	case p.Live == nil:
		verb = native.Create
	}
	sent, _ := withEmpties(document.WithoutManagedFields(object), document.WithoutManagedFields(p.undecoded)).(map[string]any)
	response, err := p.server.callNative(verb, sent, p.Live, p.request.Subresource)
	if err != nil || response.Unknown {
		return nil, false, err
	}
	p.nativeAnswered, p.nativeWarnings = true, response.Warnings
	if response.Status != nil {
		return nil, true, p.server.refusedByNative(object, response.Status)
	}
	// withEmpties added empty lists to the request, and the response can contain them. A server does not
	// store these lists.
	stored, _ = p.fromStore(withManagedFields(response.Object, object))
	return stored, true, nil
}

func (s *Server) refusedByNative(object map[string]any, status *native.Status) error {
	refused := &fieldmanager.RequestError{Status: status.Code, Message: status.Message}
	if status.Code != httpstatus.Unprocessable || len(status.Causes) == 0 {
		return refused
	}
	return &InvalidError{Err: refused, Object: object, Causes: s.causesOf(status, object), Native: true}
}

// withEmpties restores empty maps and lists in a value. undecoded is the same value before its
// conversion to the form of its Go type, which omits empty maps and lists. A server's Go code
// distinguishes an empty map from an absent one, and some of its messages show the difference.
// withEmpties returns a copy and does not modify its arguments.
func withEmpties(value, undecoded any) any {
	switch undecoded := undecoded.(type) {
	case map[string]any:
		m, ok := value.(map[string]any)
		switch {
		case value == nil && len(undecoded) == 0:
			return undecoded
		case value != nil && !ok:
			return value
		}
		m = maps.Clone(m)
		for name, below := range undecoded {
			if with := withEmpties(m[name], below); with != nil {
				if m == nil {
					m = map[string]any{}
				}
				m[name] = with
			}
		}
		if m != nil {
			return m
		}
	case []any:
		list, _ := value.([]any)
		switch {
		case value == nil && len(undecoded) == 0:
			return undecoded
		case len(list) == len(undecoded):
			list = slices.Clone(list)
			for i := range list {
				list[i] = withEmpties(list[i], undecoded[i])
			}
			return list
		}
	}
	return value
}
