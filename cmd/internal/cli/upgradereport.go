// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/typed"
)

// upgradeReport is what upgrade-check -o report prints.
type upgradeReport struct {
	Changes  []changeReport  `json:"changes"`
	Moves    []moveReport    `json:"moves"`
	Warnings []warningReport `json:"warnings"`
	Errors   []errorReport   `json:"errors"`
}

type changeReport struct {
	File       string `json:"file"`
	Line       int    `json:"line"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Path       string `json:"path"`
	Rule       string `json:"rule"`
	Old        any    `json:"old"`
	New        any    `json:"new"`
	Message    string `json:"message"`
}

type moveReport struct {
	File       string        `json:"file"`
	Line       int           `json:"line"`
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Namespace  string        `json:"namespace"`
	Name       string        `json:"name"`
	Reason     string        `json:"reason"`
	Old        string        `json:"old"`
	New        string        `json:"new"`
	Message    string        `json:"message"`
	Note       string        `json:"note"`
	Owners     []ownerReport `json:"owners"`
}

type ownerReport struct {
	Manager     string `json:"manager"`
	Operation   string `json:"operation"`
	APIVersion  string `json:"apiVersion"`
	Subresource string `json:"subresource"`
}

func (u *upgradeCheck) report() upgradeReport {
	p := upgradeReport{Changes: []changeReport{}, Moves: []moveReport{}, Warnings: []warningReport{}, Errors: errorReports(u.errors)}
	for _, c := range u.changes {
		p.Changes = append(p.Changes, changeReport{c.at.File, c.at.Line, c.apiVersion, c.kind, c.path, c.rule, c.old, c.now, c.message})
	}
	for _, m := range u.moves {
		now := m.now
		if now == "" {
			now = m.path
		}
		move := moveReport{
			File: m.at.File, Line: m.at.Line,
			APIVersion: m.object.APIVersion, Kind: m.object.Kind, Namespace: m.object.Namespace, Name: m.object.Name,
			Reason: m.reason, Old: m.path, New: now, Message: m.why, Note: m.note(),
		}
		for _, o := range m.owners {
			move.Owners = append(move.Owners, ownerReport{o.Manager, string(o.Operation), o.APIVersion, o.Subresource})
		}
		p.Moves = append(p.Moves, move)
	}
	return p
}

// finishUpgrade writes what was found.
func (r *run) finishUpgrade(u *upgradeCheck, form *output) error {
	for _, e := range u.errors {
		fmt.Fprintln(r.env.Stderr, visible(e.Error()))
	}
	switch {
	case len(u.errors) > 0:
		r.status = StatusInvalid
	case len(u.changes)+len(u.moves) > 0:
		r.status = StatusDifference
	}
	if form.form == formReport {
		return writeJSON(&r.out, u.report())
	}
	say := func(format string, args ...any) {
		fmt.Fprintln(&r.out, visible(fmt.Sprintf(format, args...)))
	}
	for _, c := range u.changes {
		say("%v: %s %s: %s: %s: %s", c.at, c.apiVersion, c.kind, c.path, c.rule, c.message)
	}
	for _, m := range u.moves {
		say("%v: %v: %s: %s", m.at, m.object, m.path, m.reason)
		if m.now != "" {
			say("  is      %s", m.now)
		}
		say("  why     %s", m.why)
		owners := make([]string, len(m.owners))
		for i, o := range m.owners {
			owners[i] = describeOwner(o, nil)
		}
		say("  owners  %s", strings.Join(slices.Compact(owners), ", "))
		if note := m.note(); note != "" {
			say("  note    %s", note)
		}
	}
	return nil
}

// note says what a move means to those it happens to, where the reason does not.
func (m *objectMove) note() string {
	switch {
	case m.reason == string(typed.MoveBecameAtomic) && len(m.owners) > 1:
		return "each of them owns all of it: one conflicts with the others when it applies another value"
	case m.reason == string(typed.MoveBecameGranular):
		return "if the managed fields are not carried over, nobody owns what is there: it stays when it is not applied any more, and anybody can change it"
	}
	return ""
}
