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

// mergeOptions returns a copy of options that has the settings for the request.
func (m *Requester) mergeOptions(o *Outcome, options fieldmanager.Options) fieldmanager.Options {
	id, proposals := o.Object.Identity(), m.Types.Proposals
	options.StripManagedFields = !m.asGiven
	options.IgnoreItemOrder = m.anyOrder
	options.ZeroIsAbsent = proposals.ZeroIsAbsent && m.Types.Builtin(id.APIVersion, id.Kind)
	options.CarryUnknown = !m.strictLive
	options.EqualQuantities = proposals.EqualQuantities
	options.DescribeType = m.Types.Describe
	options.Unions = proposals.NormalizeUnions
	options.CheckTransitions = proposals.ImmutabilityMarkers
	return options
}

// noteSubresource adds a warning if the kind of the object does not seem to have the requested
// subresource. In this case, the request is predicted like one for the whole object.
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
	o.Warn("", fmt.Sprintf("the subresource %[3]s of %[1]s %[2]s is unknown: the prediction treats the request as one for the whole object, and writes the subresource %[4]s into its managedFields entry%[5]s",
		id.APIVersion, id.Kind, words.Flow(m.subresource), words.Flow(m.subresource), hint))
}

// subresources returns the subresources that a request for the outcome may use, sorted. They always
// include status and scale, because not all sources of types list these two.
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
