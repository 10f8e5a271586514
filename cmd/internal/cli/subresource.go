// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/suggest"
)

// noteSubresource notes of a request to a subresource that an object of its type is not
// known to have what comes of it: all but status and scale are taken for the whole object.
func (m *requester) noteSubresource(o *outcome) {
	known := m.subresources(o)
	if m.subresource == "" || slices.Contains(known, m.subresource) {
		return
	}
	id := o.object.Identity()
	hint := didYouMean(suggest.Nearest(m.subresource, known))
	if hint == "" {
		hint = "; known are " + strings.Join(known, ", ")
	}
	o.warn("", fmt.Sprintf("%s %s is not known to have a subresource %s: it is taken for a request for the whole object, and the manager owns what it changes through %s%s",
		id.APIVersion, id.Kind, flow(m.subresource), flow(m.subresource), hint))
}

// subresources are those that a request for an object may go to: status and scale, of
// which not all sources tell, and what the type is known to have.
func (m *requester) subresources(o *outcome) []string {
	known := []string{"scale", "status"}
	if m.types.catalog != nil {
		id := o.object.Identity()
		k, _ := m.types.catalog.Kind(id.APIVersion, id.Kind)
		known = append(known, k.Subresources...)
	}
	slices.Sort(known)
	return slices.Compact(known)
}
