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

// conflictReport is one conflict: the config would change a field that another manager owns.
type conflictReport struct {
	// Manager is the owner of the field.
	Manager    string                  `json:"manager"`
	Operation  managedfields.Operation `json:"operation"`
	APIVersion string                  `json:"apiVersion"`
	// Time is the time of the owner's last write in RFC 3339 format, or null if it is unknown.
	Time *string `json:"time"`
	Path string  `json:"path"`
	// Yours is the value in the config, or null if there is none.
	Yours any `json:"yours"`
	// Live is the value in the live object, or null if there is none.
	Live any `json:"live"`

	Object ObjectReport `json:"object"`
	File   string       `json:"file"`
	Line   int          `json:"line"`
	// Subresource is the subresource through which the owner wrote the field. It is empty for
	// the main resource.
	Subresource string `json:"subresource"`
	// Age is the time since the owner's last write, in human-readable form, such as 5m. It is
	// null if it is unknown.
	Age *string `json:"age"`
	// HasYours reports whether the config contains the field, possibly with the value null.
	HasYours bool `json:"hasYours"`
	// HasLive reports whether the live object contains the field.
	HasLive bool `json:"hasLive"`
	// LiveIsDefault reports whether the live value is the default of the schema.
	LiveIsDefault bool `json:"liveIsDefault"`
	// Note is a human-readable explanation of the conflict. It may be empty.
	Note string `json:"note"`
	// Migrate is a command that transfers the fields of the other manager to the manager that
	// applies. It is empty if such a command would not be useful.
	Migrate string `json:"migrate"`
	// Outcomes holds the results of the three ways to resolve only this conflict. It is null if
	// the object is large or has many conflicts.
	Outcomes *outcomesReport `json:"outcomes"`
}

// These limits keep reports small, because each outcome contains the config and the object. A
// report has no outcomes for single conflicts of an object with more than maxOutcomes conflicts. It
// also has no such outcomes if the number of conflicts times the number of values in the object
// reaches maxOutcomeValues. The outcomes of resolving all conflicts together are always in the
// report.
const (
	maxOutcomes      = 20
	maxOutcomeValues = 500_000
)

// hasOutcomes reports whether the report contains outcomes for the single conflicts.
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

// ReportObject converts the identity of an object for a report.
func ReportObject(id manifest.Identity) ObjectReport {
	return ObjectReport{id.APIVersion, id.Kind, id.Namespace, id.Name}
}

// outcomesReport is the outcome of each of the three ways to resolve conflicts.
type outcomesReport struct {
	Force outcomeReport `json:"force"`
	Yield outcomeReport `json:"yield"`
	Share outcomeReport `json:"share"`
}

// outcomeReport is one way to resolve conflicts, and its effect.
type outcomeReport struct {
	// Flag is the flag that resolves the conflicts in this way.
	Flag string `json:"flag"`
	// Config is the config to apply. It is null if the conflicts cannot be resolved in this way,
	// or if some conflicts remain.
	Config map[string]any `json:"config"`
	// Object is the object that the server would store. It is null if Config is null.
	Object map[string]any `json:"object"`
	// YAML is the config as YAML, with the comments and the field order of the file if
	// possible. It is left out for a single conflict.
	YAML string `json:"yaml,omitempty"`
	// KeysOnly lists the list items that have only their keys in the config, and no other fields.
	KeysOnly []string `json:"keysOnly"`
	// Left lists the paths of the remaining conflicts.
	Left []string `json:"left"`
	// Error explains why the conflicts cannot be resolved in this way. It is empty if they can.
	Error string `json:"error"`
}

// resolvedReport is one conflict that a flag resolved.
type resolvedReport struct {
	Path string `json:"path"`
	// Manager is the owner of the field before the request.
	Manager string `json:"manager"`
	Choice  string `json:"choice"`
	// Yours is the value in the config, or null if there is none.
	Yours any `json:"yours"`
	// Live is the value in the live object, or null if there is none.
	Live any `json:"live"`
}

func reportConflict(o *prediction.Outcome, c *fieldmanager.Conflict, own bool) conflictReport {
	path := c.Path.String()
	at := o.Object.Position(path)
	r := conflictReport{
		Manager: c.Manager, Operation: c.Operation, APIVersion: c.APIVersion, Path: path, Yours: c.Yours, Live: c.Live,
		Object: ReportObject(o.Object.Identity()), File: at.File, Line: at.Line,
		Subresource: c.Subresource, HasYours: c.HasYours, HasLive: c.HasLive, LiveIsDefault: c.LiveIsDefault,
		Note: c.Hint,
	}
	if m := migration(o, c); m != nil {
		r.Migrate = m.String()
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

// reportAll returns the outcomes of resolving all conflicts together, for a report.
func reportAll(o *prediction.Outcome) *outcomesReport {
	var ways []*prediction.Resolution
	for _, choice := range prediction.Choices {
		ways = append(ways, o.Resolution(choice))
	}
	all := reportOutcomes(ways, "")
	for i, r := range []*outcomeReport{&all.Force, &all.Yield, &all.Share} { // in the order of prediction.Choices
		if r.Config != nil {
			r.YAML = o.YAML(ways[i]).Text + "\n"
		}
	}
	return all
}

// reportOutcomes converts the ways to resolve conflicts for a report. The argument path is the
// value that their flags have in the report, such as "=.spec.replicas", or "".
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

// ReportResolved converts the conflicts that flags resolved for a report.
func ReportResolved(resolved []resolve.Resolution) *[]resolvedReport {
	all := []resolvedReport{}
	for i := range resolved {
		c := &resolved[i].Conflict
		all = append(all, resolvedReport{c.Path.String(), c.Manager, resolved[i].Choice.String(), c.Yours, c.Live})
	}
	return &all
}
