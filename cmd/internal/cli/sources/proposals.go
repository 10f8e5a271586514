// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// Proposals are the flags for behavior that no released API server has. The zero value selects the
// behavior of released API servers.
type Proposals struct {
	// DeclarativeDefaults lets the defaults of the schema take part in merges (KEP-1929).
	DeclarativeDefaults bool
	// ZeroIsAbsent lets zero values of built-in types count as absent (KEP-1929).
	ZeroIsAbsent bool
	// NormalizeUnions removes the members of a union that its discriminator no longer names (KEP-1027).
	NormalizeUnions bool
	// ImmutabilityMarkers checks markers such as x-kubernetes-immutable (KEP-1101).
	ImmutabilityMarkers bool
	// EqualQuantities ignores how equal quantities are spelled. There is no KEP for it.
	EqualQuantities bool

	// flags has the flag of DeclarativeDefaults, if the command has it.
	flags *pflag.FlagSet
}

const (
	declarativeFlag = "declarative-defaults"
	// MarkersFlag is the flag for ImmutabilityMarkers.
	MarkersFlag = "--immutability-markers"
	// ZeroFlag is the flag for ZeroIsAbsent.
	ZeroFlag = "--zero-is-absent"
)

// RegisterDeclarative adds the flag --declarative-defaults.
func (p *Proposals) RegisterDeclarative(flags *pflag.FlagSet) {
	p.flags = flags
	flags.BoolVar(&p.DeclarativeDefaults, declarativeFlag, false, "proposal KEP-1929: merges and conflicts use the defaults of the schema, and null means the default; released API servers do not do this")
}

// RegisterZero adds the flag --zero-is-absent.
func (p *Proposals) RegisterZero(flags *pflag.FlagSet) {
	flags.BoolVar(&p.ZeroIsAbsent, ZeroFlag[2:], false,
		`proposal KEP-1929, for built-in types: an applied "", 0, false, [] or {} that is not stored is shared and no change, and a list key "" or 0 takes the default; includes --declarative-defaults; released API servers see a change`)
}

// RegisterUnions adds the flag --normalize-unions.
func (p *Proposals) RegisterUnions(flags *pflag.FlagSet) {
	flags.BoolVar(&p.NormalizeUnions, "normalize-unions", false, "proposal KEP-1027: remove the members of a union that its discriminator no longer selects; released API servers keep these members, and may reject the object")
}

// RegisterMarkers adds the flag --immutability-markers.
func (p *Proposals) RegisterMarkers(flags *pflag.FlagSet) {
	flags.BoolVar(&p.ImmutabilityMarkers, MarkersFlag[2:], false, "proposal KEP-1101: reject changes that markers of the schema forbid, such as x-kubernetes-immutable; released API servers ignore the markers")
}

// RegisterQuantities adds the flag --equal-quantities.
func (p *Proposals) RegisterQuantities(flags *pflag.FlagSet) {
	flags.BoolVar(&p.EqualQuantities, "equal-quantities", false, "proposal without a KEP: equal quantities such as 1 and 1000m are not a change and not a conflict, and the live form stays; released API servers compare the text")
}

// Names lists the flags that are on, each with its KEP.
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

// note prints a note if proposals are turned on.
func (p *Proposals) note(r *command.Run) {
	switch names := p.Names(); len(names) {
	case 0:
	case 1:
		r.Notef("%s is a proposal: a released API server may answer differently", names[0])
	default:
		r.Notef("%s are proposals: a released API server may answer differently", words.And(names))
	}
}

// turnOnDeclarative turns declarative defaults on, unless the command line turns them off.
func (p *Proposals) turnOnDeclarative() {
	if p.flags == nil || !p.flags.Changed(declarativeFlag) {
		p.DeclarativeDefaults = true
	}
}
