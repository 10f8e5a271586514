// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"errors"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// conflictReport is a conflict in a report: a field that the config would change and that
// another manager owns.
type conflictReport struct {
	// Manager owns the field.
	Manager    string                  `json:"manager"`
	Operation  managedfields.Operation `json:"operation"`
	APIVersion string                  `json:"apiVersion"`
	// Time is the last write of the owner in RFC 3339, null if it is unknown.
	Time *string `json:"time"`
	Path string  `json:"path"`
	// Yours is the value in the config, null if there is none.
	Yours any `json:"yours"`
	// Live is the value in the live object, null if there is none.
	Live any `json:"live"`

	Object ObjectReport `json:"object"`
	File   string       `json:"file"`
	Line   int          `json:"line"`
	// Subresource is the subresource of the owner, empty for the main resource.
	Subresource string `json:"subresource"`
	// Age is the time since the last write of the owner, for people.
	Age *string `json:"age"`
	// HasYours reports whether the config has the field. The value in the config may be null.
	HasYours bool `json:"hasYours"`
	// HasLive says whether the live object has the field.
	HasLive bool `json:"hasLive"`
	// LiveIsDefault reports whether the live value is the default of the schema.
	LiveIsDefault bool `json:"liveIsDefault"`
	// Note has more information for people.
	Note string `json:"note"`
	// Migrate is a command that hands the fields of the other manager over to the applier, empty
	// if it does not apply.
	Migrate string `json:"migrate"`
	// Outcomes are the ways out of this conflict alone. They are null if the object has many
	// conflicts or is large.
	Outcomes *outcomesReport `json:"outcomes"`
}

// A report always contains the outcomes of resolving all conflicts together. It contains
// outcomes for each single conflict under two conditions. The object has at most maxOutcomes
// conflicts, and the number of its values times the number of conflicts is less than
// maxOutcomeValues. The limits are necessary because each outcome contains the config and the
// object.
const (
	maxOutcomes      = 20
	maxOutcomeValues = 500_000
)

// hasOutcomes reports whether each conflict of o has outcomes of its own.
func hasOutcomes(o *prediction.Outcome) bool {
	n := len(o.Conflicts)
	return n <= maxOutcomes && n*data.CountUpTo(o.Before, maxOutcomeValues) < maxOutcomeValues
}

// ObjectReport identifies an object.
type ObjectReport struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// ReportObject returns an object for a report.
func ReportObject(id manifest.Identity) ObjectReport {
	return ObjectReport{id.APIVersion, id.Kind, id.Namespace, id.Name}
}

// outcomesReport has the ways out of conflicts.
type outcomesReport struct {
	Force outcomeReport `json:"force"`
	Yield outcomeReport `json:"yield"`
	Share outcomeReport `json:"share"`
}

// outcomeReport is one way out of conflicts.
type outcomeReport struct {
	// Flag is the flag that takes this way out with the given config.
	Flag string `json:"flag"`
	// Config is the config to apply. It is null if a conflict remains, or if there is an error.
	Config map[string]any `json:"config"`
	// Object is the object that is stored, null if Config is.
	Object map[string]any `json:"object"`
	// YAML is the config, with the comments and the order of the file if possible. A single
	// conflict has no YAML.
	YAML string `json:"yaml,omitempty"`
	// KeysOnly are the items with only their keys in the config.
	KeysOnly []string `json:"keysOnly"`
	// Left are the paths of the remaining conflicts.
	Left []string `json:"left"`
	// Error is the reason why this way out is not possible, empty if it is.
	Error string `json:"error"`
}

// resolvedReport is a conflict that a flag resolved.
type resolvedReport struct {
	Path string `json:"path"`
	// Manager owned the field.
	Manager string `json:"manager"`
	Choice  string `json:"choice"`
	// Yours is the value in the config, null if there is none.
	Yours any `json:"yours"`
	// Live is the value in the live object, null if there is none.
	Live any `json:"live"`
}

func reportConflict(o *prediction.Outcome, c *fieldmanager.Conflict, own bool) conflictReport {
	path := c.Path.String()
	at := o.Object.Position(path)
	r := conflictReport{
		Manager: c.Manager, Operation: c.Operation, APIVersion: c.APIVersion, Path: path, Yours: c.Yours, Live: c.Live,
		Object: ReportObject(o.Object.Identity()), File: at.File, Line: at.Line,
		Subresource: c.Subresource, HasYours: c.HasYours, HasLive: c.HasLive, LiveIsDefault: c.LiveIsDefault,
		Note: c.Hint, Migrate: migration(o, c),
	}
	if r.Note == "" {
		r.Note = notDefault(o, c)
	}
	if c.Time != nil {
		at, ago := c.Time.UTC().Format(time.RFC3339), words.Age(o.Maker.Now(), c.Time)
		r.Time, r.Age = &at, &ago
	}
	if !own {
		return r
	}
	var ways []*prediction.Resolution
	for _, choice := range prediction.Choices {
		ways = append(ways, o.ResolutionOf(c, choice))
	}
	r.Outcomes = reportOutcomes(ways, "="+path)
	return r
}

// reportAll reports the outcomes of all conflicts of o.
func reportAll(o *prediction.Outcome) *outcomesReport {
	var ways []*prediction.Resolution
	for _, choice := range prediction.Choices {
		ways = append(ways, o.Resolution(choice))
	}
	all := reportOutcomes(ways, "")
	for i, r := range []*outcomeReport{&all.Force, &all.Yield, &all.Share} { // as choices has them
		if r.Config != nil {
			r.YAML = o.YAML(ways[i]).Text + "\n"
		}
	}
	return all
}

// reportOutcomes reports ways out. path is the value of their flags, "" or "=PATH".
func reportOutcomes(ways []*prediction.Resolution, path string) *outcomesReport {
	all := &outcomesReport{}
	for _, w := range ways {
		r := outcomeReport{Config: w.Config, KeysOnly: []string{}, Left: []string{}}
		for _, p := range w.Bare {
			r.KeysOnly = append(r.KeysOnly, p.String())
		}
		if w.Result != nil {
			r.Object = w.Result.Object
		}
		var left *fieldmanager.ConflictError
		if errors.As(w.Err, &left) {
			for i := range left.Conflicts {
				r.Left = append(r.Left, left.Conflicts[i].Path.String())
			}
		} else if w.Err != nil {
			r.Error = w.Err.Error()
		}
		switch w.Choice {
		case resolve.Force:
			r.Flag = "--" + command.ForceFlag + path
			all.Force = r
		case resolve.Yield:
			r.Flag = "--" + command.YieldFlag + path
			all.Yield = r
		default:
			r.Flag = "--" + command.ShareFlag + path
			all.Share = r
		}
	}
	return all
}

// ReportResolved reports the conflicts that were resolved.
func ReportResolved(resolved []resolve.Resolution) *[]resolvedReport {
	all := []resolvedReport{}
	for i := range resolved {
		c := &resolved[i].Conflict
		all = append(all, resolvedReport{c.Path.String(), c.Manager, resolved[i].Choice.String(), c.Yours, c.Live})
	}
	return &all
}
