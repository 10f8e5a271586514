// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
)

// options say how the request for o is merged, besides what they are already.
func (m *Requester) options(o *Outcome, options fieldmanager.Options) fieldmanager.Options {
	id, proposals := o.Object.Identity(), m.Types.Proposals
	options.StripManagedFields = true
	options.IgnoreItemOrder = m.anyOrder
	options.ZeroIsAbsent = proposals.ZeroIsAbsent && m.Types.Builtin(id.APIVersion, id.Kind)
	options.CarryUnknown = !m.strictLive
	options.EqualQuantities = proposals.EqualQuantities
	options.DescribeType = m.Types.Describe
	options.Unions = proposals.NormalizeUnions
	options.CheckTransitions = proposals.ImmutabilityMarkers
	return options
}

// noteSubresource notes of a request to a subresource that an object of its type is not
// known to have what comes of it: all but status and scale are taken for the whole object.
func (m *Requester) noteSubresource(o *Outcome) {
	known := m.subresources(o)
	if m.subresource == "" || slices.Contains(known, m.subresource) {
		return
	}
	id := o.Object.Identity()
	hint := words.DidYouMean(suggest.Nearest(m.subresource, known))
	if hint == "" {
		hint = "; known are " + strings.Join(known, ", ")
	}
	o.Warn("", fmt.Sprintf("%s %s is not known to have a subresource %s: it is taken for a request for the whole object, and the manager owns what it changes through %s%s",
		id.APIVersion, id.Kind, words.Flow(m.subresource), words.Flow(m.subresource), hint))
}

// subresources are those that a request for an object may go to: status and scale, of
// which not all sources tell, and what the type is known to have.
func (m *Requester) subresources(o *Outcome) []string {
	known := []string{"scale", "status"}
	if m.Types.Catalog != nil {
		id := o.Object.Identity()
		k, _ := m.Types.Catalog.Kind(id.APIVersion, id.Kind)
		known = append(known, k.Subresources...)
	}
	slices.Sort(known)
	return slices.Compact(known)
}
