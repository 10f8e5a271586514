// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/diff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// conflictChoice selects conflicts. In JSON, the value true selects all conflicts. A list of paths
// selects the conflicts at or below these paths.
type conflictChoice struct{ prediction.GivenChoice }

func (c *conflictChoice) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &c.Paths)
	}
	return json.Unmarshal(text, &c.All)
}

// requestArgs holds the arguments that all requests have.
type requestArgs struct {
	Live        json.RawMessage `json:"live"`
	Manager     string          `json:"manager"`
	Subresource string          `json:"subresource"`
	Time        string          `json:"time"`
}

type applyArgs struct {
	requestArgs
	Config json.RawMessage `json:"config"`
	Force  conflictChoice  `json:"force"`
	Yield  conflictChoice  `json:"yield"`
	Share  conflictChoice  `json:"share"`
}

type updateArgs struct {
	requestArgs
	Object json.RawMessage `json:"object"`
}

type applyAnswer struct {
	result
	// Status is the HTTP status of the server's response, or 0 if it is unknown.
	Status int `json:"status,omitempty"`
	// Object is the stored object. It is nil if nothing is stored.
	Object     map[string]any  `json:"object,omitempty"`
	YAML       string          `json:"yaml,omitempty"`
	Changed    bool            `json:"changed"`
	Conflicts  any             `json:"conflicts"`
	Outcomes   any             `json:"outcomes,omitempty"`
	Resolved   any             `json:"resolved"`
	Immutable  any             `json:"immutable"`
	Defaulted  []filledDefault `json:"defaulted"`
	OnlyServer []string        `json:"onlyServer"`
	Staying    any             `json:"staying"`
}

type diffAnswer struct {
	applyAnswer
	Differences any    `json:"differences"`
	Unified     string `json:"unified"`
}

type conflictsAnswer struct {
	result
	Status    int `json:"status,omitempty"`
	Conflicts any `json:"conflicts"`
	Outcomes  any `json:"outcomes,omitempty"`
}

// filledDefault is a default in the stored object, with a description of where it comes from.
type filledDefault struct {
	Path   string `json:"path"`
	Origin string `json:"origin,omitempty"`
}

func (t *typeSet) apply(args applyArgs) *applyAnswer {
	in := &inputs{}
	o, errs := in.apply(t, args)
	return in.applyAnswer(o, nil, errs)
}

func (t *typeSet) update(args updateArgs) *applyAnswer {
	in := &inputs{}
	o, errs := in.request(t, "object", args.Object, args.requestArgs, prediction.Given{Update: true})
	return in.applyAnswer(o, nil, errs)
}

func (t *typeSet) diff(args applyArgs) *diffAnswer {
	in := &inputs{}
	o, errs := in.apply(t, args)
	if o == nil {
		return &diffAnswer{applyAnswer: *in.applyAnswer(nil, nil, errs), Differences: []any{}}
	}
	r, unified := diff.Compare(o)
	a := &diffAnswer{applyAnswer: *in.applyAnswer(o, &r.Report, errs), Unified: unified, Differences: []any{}}
	if r.Differences != nil {
		a.Differences = *r.Differences
	}
	return a
}

func (t *typeSet) conflicts(args applyArgs) *conflictsAnswer {
	all := t.apply(args)
	a := &conflictsAnswer{result: all.result, Status: all.Status, Conflicts: all.Conflicts, Outcomes: all.Outcomes}
	a.OK = all.OK
	return a
}

// apply predicts an apply. If the arguments have errors, the outcome is nil.
func (in *inputs) apply(t *typeSet, args applyArgs) (*prediction.Outcome, []*problem) {
	return in.request(t, "config", args.Config, args.requestArgs, prediction.Given{
		Force: args.Force.GivenChoice, Yield: args.Yield.GivenChoice, Share: args.Share.GivenChoice,
	})
}

// request predicts a request. The parameter sent has the object to send, and name is the name of this
// argument in the call, for errors. If the arguments have errors, the outcome is nil.
func (in *inputs) request(t *typeSet, name string, sent json.RawMessage, args requestArgs, given prediction.Given) (*prediction.Outcome, []*problem) {
	object, errs := in.requiredObject(name, sent)
	live, more := in.object("live", args.Live)
	errs = append(errs, more...)
	given.Manager, given.Subresource, given.Time = args.Manager, args.Subresource, time.Now()
	if args.Manager == "" {
		errs = append(errs, badRequest("manager is missing: name the manager that makes the request"))
	}
	if args.Time != "" {
		var err error
		if given.Time, err = time.Parse(time.RFC3339, args.Time); err != nil {
			errs = append(errs, badRequest("time: write a time in RFC 3339, such as 2026-01-31T12:00:00Z, not %q", args.Time))
		}
	}
	m, err := prediction.NewRequester(t.Types, given)
	if err != nil {
		errs = append(errs, in.errorProblems(err)...)
	}
	if len(errs) == 0 && live != nil {
		errs = in.checkPair(object, live)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	o := m.Make(prediction.Pair{Object: object, Live: live}, false)
	if err := m.CheckPaths(o); err != nil {
		return nil, in.errorProblems(err)
	}
	return o, nil
}

// checkPair returns an error if the kind or the name of the live object differs from that of the
// object to send.
func (in *inputs) checkPair(object, live *manifest.Object) []*problem {
	sent, there := object.Identity(), live.Identity()
	if sent.Kind != there.Kind || sent.Name != there.Name {
		return in.problemsOf(manifest.Errors{object.Errorf("", "differs from the object in live: %v and %v", sent, there)})
	}
	return nil
}

// applyAnswer returns the answer for an outcome. r is the report of the outcome, or nil.
func (in *inputs) applyAnswer(o *prediction.Outcome, r *report.Report, errs []*problem) *applyAnswer {
	a := &applyAnswer{
		Conflicts: []any{}, Resolved: []any{}, Immutable: []any{}, Defaulted: []filledDefault{}, OnlyServer: []string{}, Staying: []any{},
	}
	a.Errors = errs
	if o == nil {
		return finish(a)
	}
	if r == nil {
		made := report.Of(o)
		r = &made
	}
	a.Errors, a.Warnings = append(errs, in.problemsOf(o.Errors)...), in.warningsOf(o)
	if o.Result != nil && len(o.Errors) == 0 {
		a.Object, a.Changed = r.Object, r.Changed
		a.YAML = yamlText(r.Object)
	}
	a.Conflicts, a.Immutable = r.Conflicts, r.Immutable
	if r.Outcomes != nil {
		a.Outcomes = r.Outcomes
	}
	a.Status = o.HTTPStatus()
	a.Resolved = report.ReportResolved(o.Resolved)
	if r.Staying != nil {
		a.Staying = r.Staying
	}
	for _, path := range r.Defaulted {
		a.Defaulted = append(a.Defaulted, filledDefault{path, r.Origins[path]})
	}
	if r.OnlyServer != nil {
		a.OnlyServer = slices.Clone(*r.OnlyServer)
	}
	finish(a)
	a.OK = o.Status() == 0 && len(a.Errors) == 0
	return a
}
