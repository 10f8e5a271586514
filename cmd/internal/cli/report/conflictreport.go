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
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// conflictReport is a conflict in a report: a field that the config would change and that
// another manager owns.
type conflictReport struct {
	// Manager is who owns the field.
	Manager    string                  `json:"manager"`
	Operation  managedfields.Operation `json:"operation"`
	APIVersion string                  `json:"apiVersion"`
	// Time is when the owner wrote last, RFC 3339; null if that is not known.
	Time *string `json:"time"`
	Path string  `json:"path"`
	// Yours is what the config has there, null if nothing.
	Yours any `json:"yours"`
	// Live is what the live object has there, null if nothing.
	Live any `json:"live"`

	Object objectReport `json:"object"`
	File   string       `json:"file"`
	Line   int          `json:"line"`
	// Subresource is that of the owner, empty for the object itself.
	Subresource string `json:"subresource"`
	// Age is how long ago the owner wrote, for people.
	Age *string `json:"age"`
	// HasYours says whether the config has the field, whose value may be null.
	HasYours bool `json:"hasYours"`
	// HasLive says whether the live object has the field.
	HasLive bool `json:"hasLive"`
	// LiveIsDefault says whether the live value is the default of the schema.
	LiveIsDefault bool `json:"liveIsDefault"`
	// Note is what else there is to say, for people.
	Note string `json:"note"`
	// Migrate is a command that hands over what the applier owns by updates, empty if the
	// conflict is about something else.
	Migrate string `json:"migrate"`
	// Outcomes are what becomes of this conflict alone. They are null if the object has
	// many conflicts, or is large.
	Outcomes *outcomesReport `json:"outcomes"`
}

// maxOutcomes is how many conflicts of one object have outcomes of their own, and
// maxOutcomeValues how many values the object may have as often as there are conflicts:
// each outcome holds the config and the object. Those of all conflicts are always there.
const (
	maxOutcomes      = 20
	maxOutcomeValues = 500_000
)

// hasOutcomes says whether each conflict of o has outcomes of its own.
func hasOutcomes(o *prediction.Outcome) bool {
	n := len(o.Conflicts)
	return n <= maxOutcomes && n*data.CountUpTo(o.Before, maxOutcomeValues) < maxOutcomeValues
}

// objectReport names an object.
type objectReport struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// objectReportOf says which object o is about, if any.
func objectReportOf(o *prediction.Outcome) objectReport {
	if o.Object == nil {
		return objectReport{}
	}
	id := o.Object.Identity()
	return objectReport{id.APIVersion, id.Kind, id.Namespace, id.Name}
}

// outcomesReport is what becomes of conflicts by each choice.
type outcomesReport struct {
	Force outcomeReport `json:"force"`
	Yield outcomeReport `json:"yield"`
	Share outcomeReport `json:"share"`
}

// outcomeReport is what becomes of conflicts by one choice.
type outcomeReport struct {
	// Flag gets it with the config given, "" if only another config does.
	Flag string `json:"flag"`
	// Config is what is to be applied; null if something is left or there is an error.
	Config map[string]any `json:"config"`
	// Object is what is stored then; null as the config.
	Object map[string]any `json:"object"`
	// YAML is the config, with the comments and the order of the file if they could be
	// kept; "" of one conflict among others.
	YAML string `json:"yaml,omitempty"`
	// KeysOnly are the items of which the config has the keys only.
	KeysOnly []string `json:"keysOnly"`
	// Left are the paths of conflicts that there are still.
	Left []string `json:"left"`
	// Error is why the choice is refused, empty if it is not.
	Error string `json:"error"`
}

// resolvedReport is a conflict that a flag chose.
type resolvedReport struct {
	Path string `json:"path"`
	// Manager is who owned the field.
	Manager string `json:"manager"`
	Choice  string `json:"choice"`
	// Yours is what the config had there, null if nothing.
	Yours any `json:"yours"`
	// Live is what the live object had there, null if nothing.
	Live any `json:"live"`
}

func reportConflict(o *prediction.Outcome, c *fieldmanager.Conflict, own bool) conflictReport {
	path := c.Path.String()
	at := o.Object.Position(path)
	r := conflictReport{
		Manager: c.Manager, Operation: c.Operation, APIVersion: c.APIVersion, Path: path, Yours: c.Yours, Live: c.Live,
		Object: objectReportOf(o), File: at.File, Line: at.Line,
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
	r.Outcomes = reportOutcomes(ways, "--"+command.ForceFlag+"="+path, "--"+command.YieldFlag+"="+path)
	return r
}

// reportAll reports the outcomes of all conflicts of o.
func reportAll(o *prediction.Outcome) *outcomesReport {
	var ways []*prediction.Resolution
	for _, choice := range prediction.Choices {
		ways = append(ways, o.Resolution(choice))
	}
	all := reportOutcomes(ways, "--"+command.ForceFlag, "--"+command.YieldFlag)
	for i, r := range []*outcomeReport{&all.Force, &all.Yield, &all.Share} { // as choices has them
		if r.Config != nil {
			r.YAML = o.YAML(ways[i]).Text + "\n"
		}
	}
	return all
}

func reportOutcomes(ways []*prediction.Resolution, force, yield string) *outcomesReport {
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
			r.Flag = force
			all.Force = r
		case resolve.Yield:
			r.Flag = yield
			all.Yield = r
		default:
			all.Share = r
		}
	}
	return all
}

func reportResolved(resolved []resolve.Resolution) *[]resolvedReport {
	all := []resolvedReport{}
	for i := range resolved {
		c := &resolved[i].Conflict
		all = append(all, resolvedReport{c.Path.String(), c.Manager, resolved[i].Choice.String(), c.Yours, c.Live})
	}
	return &all
}
