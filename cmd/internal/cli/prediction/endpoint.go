// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"slices"

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

// noteSubresource adds a warning if the source of the types does not list the subresources of the
// object's kind, and the requested subresource is neither status nor scale. In this case, the request
// is predicted like one for the whole object. If the subresources are known, package predict checks
// the request.
func (m *Requester) noteSubresource(o *Outcome) {
	known := []string{"scale", "status"}
	id := o.Object.Identity()
	if m.Types.Catalog != nil {
		if k, _ := m.Types.Catalog.Kind(id.APIVersion, id.Kind); k.Resource != "" {
			return
		}
	}
	if m.subresource == "" || slices.Contains(known, m.subresource) {
		return
	}
	hint := words.DidYouMean(suggest.Nearest(m.subresource, known))
	o.Warn("", fmt.Sprintf("the subresource %[3]s of %[1]s %[2]s is unknown: the prediction treats the request as one for the whole object, and writes the subresource %[3]s into its managedFields entry%[4]s",
		id.APIVersion, id.Kind, words.Flow(m.subresource), hint))
}
