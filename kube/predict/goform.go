// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// inGo says whether an object is written as its Go type does.
func (s *Server) inGo(object map[string]any) bool {
	if s.GoForm == nil || s.DeclaredOnly {
		return false
	}
	_, custom := s.custom(object)
	return !custom && s.GoForm.Knows(document.TypeOf(object))
}

// decoded is an object as the server decodes it, and the fields that are lost with that.
func (p *PreparedRequest) decoded(object map[string]any) (map[string]any, []goform.DroppedField) {
	if p.carries || !p.server.inGo(object) {
		return object, nil
	}
	after, dropped := p.server.GoForm.NormaliseLike(object, p.read)
	if list, ok := document.Metadata(object)["managedFields"].([]any); ok && len(list) == 0 {
		after = withManagedFields(after, object) // it says that an update resets them
	}
	return after, dropped
}

// fromStore is an object as the server reads it once it is stored.
func (p *PreparedRequest) fromStore(object map[string]any) (map[string]any, []goform.DroppedField) {
	if p.carries || !p.server.inGo(object) {
		return object, nil
	}
	return p.server.GoForm.StoredLike(object, p.read)
}

// emptyGo is a new object of a kind before anything is read into it, nil if its Go type is
// not known.
func (s *Server) emptyGo(apiVersion, kind string) map[string]any {
	object := map[string]any{"apiVersion": apiVersion, "kind": kind}
	if !s.inGo(object) {
		return nil
	}
	object, _ = s.GoForm.Normalise(object)
	return object
}

// noteDropped warns of fields that the Go type of an object does not have.
func (p *PreparedRequest) noteDropped(all []goform.DroppedField, live bool) {
	for _, d := range all {
		p.Warnings = append(p.Warnings, managedfields.Warning{Path: d.Path.String(), Live: live,
			Message: fmt.Sprintf("is left out: Kubernetes %s does not have this field", p.server.GoForm.Version())})
	}
}
