// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// hasGoType reports whether the Go type of an object is known. Such an object is converted to the form
// of its Go type.
func (s *Server) hasGoType(object map[string]any) bool {
	if s.GoForm == nil {
		return false
	}
	_, custom := s.custom(object)
	return !custom && s.GoForm.Knows(document.TypeOf(object))
}

// goForm returns the Go types for converting objects. With DeclaredOnly, the objects may belong to
// another release. The conversion then keeps fields that the Go types lack, and adds only fields
// that the schema declares.
func (s *Server) goForm() *goform.Release {
	if !s.DeclaredOnly {
		return s.GoForm
	}
	return s.GoForm.WithTypes(func(apiVersion, kind string, path fieldpath.Path) bool {
		t, err := s.FieldManager.Types(apiVersion, kind)
		return err == nil && declared(t, path)
	})
}

// decoded returns an object as the server decodes it, and the fields that are dropped.
func (p *PreparedRequest) decoded(object map[string]any) (map[string]any, []goform.DroppedField) {
	if p.carries || !p.server.hasGoType(object) {
		return object, nil
	}
	release := p.server.goForm()
	if p.request.Verb.IsApply() {
		release = release.Wrapping()
	}
	after, dropped := release.NormaliseLike(object, p.canonicalLive)
	if list, ok := document.Metadata(object)["managedFields"].([]any); ok && len(list) == 0 {
		after = withManagedFields(after, object) // an update with an empty list of managed fields resets them, so keep that list
	}
	return after, dropped
}

// fromStore returns an object as the server reads it back after storing it.
func (p *PreparedRequest) fromStore(object map[string]any) (map[string]any, []goform.DroppedField) {
	if p.carries || !p.server.hasGoType(object) {
		return object, nil
	}
	return p.server.goForm().StoredLike(object, p.canonicalLive)
}

// emptyGo returns a new object of a kind as its Go type writes it, or nil if the Go type
// is not known.
func (s *Server) emptyGo(apiVersion, kind string) map[string]any {
	object := map[string]any{"apiVersion": apiVersion, "kind": kind}
	if !s.hasGoType(object) {
		return nil
	}
	object, _ = s.goForm().Normalise(object)
	return object
}

// warnDropped warns about fields that the Go type of an object lacks. The argument live is true if
// the fields are in the live object.
func (p *PreparedRequest) warnDropped(all []goform.DroppedField, live bool) {
	for _, d := range all {
		p.Warnings = append(p.Warnings, managedfields.Warning{Path: d.Path.String(), Live: live,
			Message: fmt.Sprintf("removed: Kubernetes %s does not have this field", p.server.GoForm.Version())})
	}
}
