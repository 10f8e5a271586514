// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/owners"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// yamlText returns v as YAML.
func yamlText(v any) string {
	var text strings.Builder
	if err := writeYAML(&text, v); err != nil {
		return "" // plain data can always be encoded
	}
	return text.String()
}

func writeYAML(w io.Writer, v any) error { return encode.YAML(w, v) }

type ownersArgs struct {
	Live json.RawMessage `json:"live"`
}

type ownersAnswer struct {
	result
	Managers []manager   `json:"managers"`
	Lines    []line      `json:"lines"`
	Places   []place     `json:"places"`
	Lost     []lostField `json:"lost"`
}

type manager struct {
	report.OwnerReport
	Time   *string `json:"time"`
	Fields int     `json:"fields"`
}

type line struct {
	Text   string `json:"text"`
	Path   string `json:"path"`
	Owners []int  `json:"owners"`
	Note   string `json:"note"`
	Part   bool   `json:"part"`
	Nobody bool   `json:"nobody"`
}

type place struct {
	Path     string          `json:"path"`
	Standing ownership.State `json:"standing"`
	Whole    bool            `json:"whole"`
	Owners   []int           `json:"owners"`
	Value    *any            `json:"value,omitempty"`
}

type lostField struct {
	Path    string `json:"path"`
	Manager int    `json:"manager"`
}

func (t *typeSet) owners(args ownersArgs) *ownersAnswer {
	a := &ownersAnswer{Managers: []manager{}, Lines: []line{}, Places: []place{}, Lost: []lostField{}}
	in := &inputs{}
	live, errs := in.requiredObject("live", args.Live)
	if a.Errors = errs; len(errs) > 0 {
		return finish(a)
	}
	b := owners.Blame(t.Types, live)
	a.Errors, a.Warnings = in.problemsOf(b.Outcome.Errors), in.warningsOf(b.Outcome)
	if b.BlameResult == nil {
		return finish(a)
	}
	for i, e := range b.Entries {
		m := manager{OwnerReport: report.ReportOwner(e.Owner), Fields: b.Fields[i]}
		if e.Time != nil {
			at := e.Time.UTC().Format(time.RFC3339)
			m.Time = &at
		}
		a.Managers = append(a.Managers, m)
	}
	for _, l := range b.Lines {
		a.Lines = append(a.Lines, line{l.Text, l.Path, append([]int{}, l.Owners...), l.Note, l.Part, l.Nobody})
	}
	for path, p := range b.All() {
		out := place{Path: path.String(), Standing: p.State, Whole: p.Whole, Owners: append([]int{}, p.Owners...)}
		if len(p.Children) == 0 {
			out.Value = &p.Value
		}
		a.Places = append(a.Places, out)
	}
	for _, c := range b.Lost {
		a.Lost = append(a.Lost, lostField{c.Path.String(), c.Entry})
	}
	return finish(a)
}

type validateArgs struct {
	Object json.RawMessage `json:"object"`
}

func (t *typeSet) validate(args validateArgs) *result {
	in := &inputs{}
	object, errs := in.requiredObject("object", args.Object)
	if len(errs) > 0 {
		return refused(errs...)
	}
	o := prediction.Validate(t.Types, object, &prediction.Duplicates{}, &unstructured.Masks{}, nil)
	return finish(&result{Errors: in.problemsOf(o.Errors), Warnings: in.warningsOf(o)})
}

type migrateArgs struct {
	Live        json.RawMessage `json:"live"`
	From        names           `json:"from"`
	To          string          `json:"to"`
	Subresource string          `json:"subresource"`
}

// names is a list of names. In JSON, it can also be a single name.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, (*[]string)(n))
	}
	*n = make(names, 1)
	return json.Unmarshal(text, &(*n)[0])
}

type migrateAnswer struct {
	result
	Object    map[string]any `json:"object,omitempty"`
	YAML      string         `json:"yaml,omitempty"`
	Changed   bool           `json:"changed"`
	Transfers []transfer     `json:"transfers"`
}

type transfer struct {
	From   report.OwnerReport `json:"from"`
	To     report.OwnerReport `json:"to"`
	Fields int                `json:"fields"`
}

func (t *typeSet) migrate(args migrateArgs) *migrateAnswer {
	a := &migrateAnswer{Transfers: []transfer{}}
	in := &inputs{}
	live, errs := in.requiredObject("live", args.Live)
	if len(args.From) == 0 || args.To == "" {
		errs = append(errs, badRequest("from and to are required: from names the managers that give their fields away, and to the manager that gets them"))
	}
	if a.Errors = errs; len(errs) > 0 {
		return finish(a)
	}
	o := prediction.ReadLive(t.Types, live)
	if len(o.Errors) == 0 {
		out, err := ownership.Migrate(t.FieldManager(nil), live.Content, ownership.MigrateOptions{From: args.From, To: args.To, Subresource: args.Subresource})
		if err != nil {
			o.Explain(err)
		} else {
			a.Object, a.Changed, a.YAML = out.Object, out.Changed, yamlText(out.Object)
			for _, w := range out.Warnings {
				o.Warn(w.Path, w.Message)
			}
			for _, h := range out.Transfers {
				a.Transfers = append(a.Transfers, transfer{report.ReportOwner(h.From), report.ReportOwner(out.To), h.Fields.Size()})
			}
		}
	}
	a.Errors, a.Warnings = in.problemsOf(o.Errors), in.warningsOf(o)
	return finish(a)
}
