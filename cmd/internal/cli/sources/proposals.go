// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// Proposals holds the flags for behavior that was proposed for API servers. No released API server
// has it, so the zero value stands for released servers.
type Proposals struct {
	// DeclarativeDefaults lets merges use the defaults in the schema (KEP-1929).
	DeclarativeDefaults bool
	// ZeroIsAbsent makes a zero value in a built-in type the same as a missing value (KEP-1929).
	ZeroIsAbsent bool
	// NormalizeUnions removes fields of a union when its discriminator selects another field
	// (KEP-1027).
	NormalizeUnions bool
	// ImmutabilityMarkers enforces schema markers such as x-kubernetes-immutable (KEP-1101).
	ImmutabilityMarkers bool
	// EqualQuantities ignores the spelling of quantities, so that 1 and 1000m are equal. No
	// KEP proposes this.
	EqualQuantities bool

	// declaredBySchema is true if the file of --schema turns on DeclarativeDefaults. Such a schema
	// is for types that no API server has, so Note does not mention this proposal.
	declaredBySchema bool

	// flags is the flag set with --declarative-defaults. It is nil if the command lacks this flag.
	flags *pflag.FlagSet
}

const (
	declarativeFlag = "declarative-defaults"
	// MarkersFlag is the flag that sets ImmutabilityMarkers.
	MarkersFlag = "--immutability-markers"
	// ZeroFlag is the flag that sets ZeroIsAbsent.
	ZeroFlag = "--zero-is-absent"
)

// RegisterDeclarative adds the flag --declarative-defaults.
func (p *Proposals) RegisterDeclarative(flags *pflag.FlagSet) {
	p.flags = flags
	flags.BoolVar(&p.DeclarativeDefaults, declarativeFlag, false, "proposal KEP-1929: in merges and conflicts, treat an absent field and a null as the default in the schema; no released API server does this")
}

// RegisterZero adds the flag --zero-is-absent.
func (p *Proposals) RegisterZero(flags *pflag.FlagSet) {
	flags.BoolVar(&p.ZeroIsAbsent, ZeroFlag[2:], false,
		`proposal KEP-1929, for built-in types: if the live object lacks a field, treat an applied "", 0, false, [] or {} as absent; treat a list key "" or 0 as its default; turns on --declarative-defaults; no released API server does this`)
}

// RegisterUnions adds the flag --normalize-unions.
func (p *Proposals) RegisterUnions(flags *pflag.FlagSet) {
	flags.BoolVar(&p.NormalizeUnions, "normalize-unions", false, "proposal KEP-1027: remove the fields of a union that its discriminator no longer selects; released API servers keep these fields, and may reject the object")
}

// RegisterMarkers adds the flag --immutability-markers.
func (p *Proposals) RegisterMarkers(flags *pflag.FlagSet) {
	flags.BoolVar(&p.ImmutabilityMarkers, MarkersFlag[2:], false, "proposal KEP-1101: reject changes that schema markers such as x-kubernetes-immutable forbid; released API servers ignore these markers")
}

// RegisterServedMarkers adds the flag --immutability-markers to a command that runs a server.
func (p *Proposals) RegisterServedMarkers(flags *pflag.FlagSet) {
	flags.BoolVar(&p.ImmutabilityMarkers, MarkersFlag[2:], false, "proposal KEP-1101: store, publish and enforce the markers of CRDs, such as x-kubernetes-immutable; released API servers drop the markers")
}

// RegisterQuantities adds the flag --equal-quantities.
func (p *Proposals) RegisterQuantities(flags *pflag.FlagSet) {
	flags.BoolVar(&p.EqualQuantities, "equal-quantities", false, "compare quantities as numbers, so that 1 and 1000m are equal: applying an equal quantity then keeps the live spelling, and causes no change and no conflict (a proposal without a KEP; released API servers compare the text)")
}

// Names lists the enabled flags, together with their KEPs.
func (p *Proposals) Names() (names []string) {
	for _, f := range []struct {
		on   bool
		name string
	}{
		{p.DeclarativeDefaults, declarativeFlag + " (KEP-1929)"},
		{p.ZeroIsAbsent, ZeroFlag[2:] + " (KEP-1929)"},
		{p.NormalizeUnions, "normalize-unions (KEP-1027)"},
		{p.ImmutabilityMarkers, MarkersFlag[2:] + " (KEP-1101)"},
		{p.EqualQuantities, "equal-quantities"},
	} {
		if f.on {
			names = append(names, f.name)
		}
	}
	return names
}

// Note prints a note if any of the proposals is enabled with a flag.
func (p *Proposals) Note(r *command.Run) {
	byFlags := *p
	byFlags.DeclarativeDefaults = p.DeclarativeDefaults && !p.declaredBySchema
	switch names := byFlags.Names(); len(names) {
	case 0:
	case 1:
		r.Notef("%s is a proposal: a released API server may answer differently", names[0])
	default:
		r.Notef("%s are proposals: a released API server may answer differently", words.And(names))
	}
}

// turnOnDeclarative enables declarative defaults, unless the command line disables them.
func (p *Proposals) turnOnDeclarative() {
	if p.flags == nil || !p.flags.Changed(declarativeFlag) {
		p.DeclarativeDefaults = true
	}
}
