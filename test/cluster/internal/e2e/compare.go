// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/google/go-cmp/cmp"
)

// Report is the result of Compare.
type Report struct {
	Scenarios, Answers int
	Differences        []string
	// Known lists the differences that docs/test-server.md explains.
	Known []string
}

// known explains the known differences between the test server and a real server. A key
// consists of the name of the scenario and the note of the step.
var known = map[string]string{
	"kubectl, diff through the server":   "a Service gets no addresses, so the diff starts at another line",
	"kubectl, what a field is":           "fields have no descriptions",
	"versions, and now as v1, with less": "the generation of an autoscaler, which is stored in v2 and written through v1",
	"versions, an update through v1":     "the generation of an autoscaler, which is stored in v2 and written through v1",
	"versions, stored, as v2":            "the generation of an autoscaler, which is stored in v2 and written through v1",
}

// Compare runs all scenarios on both servers. The bytes of all answers must be equal, except
// values that always differ between two servers. Compare fails if a step has an unexpected
// result on one of the servers.
func Compare(ctx context.Context, base, other Target) (*Report, error) {
	scenarios, err := Scenarios()
	if err != nil {
		return nil, err
	}
	r := &Report{}
	for _, s := range scenarios {
		notes := func(i int) string { return s.Steps[i].Note }
		if err := r.compare(base, other, s.Name, notes, func(t Target) ([]Answer, error) { return t.Run(ctx, s) }); err != nil {
			return r, err
		}
	}
	notes := func(i int) string { return fmt.Sprintf("answer %d", i+1) }
	err = r.compare(base, other, TypedClient, notes, func(t Target) ([]Answer, error) { return t.RunTyped(ctx) })
	if err == nil && other.Sorted && len(r.Known) != len(known) {
		err = fmt.Errorf("%d of %d known differences occurred: remove the others from the variable known", len(r.Known), len(known))
	}
	return r, err
}

func (r *Report) compare(base, other Target, name string, note func(int) string, run func(Target) ([]Answer, error)) error {
	want, err := run(base)
	if err != nil {
		return err
	}
	got, err := run(other)
	if err != nil {
		return err
	}
	if len(want) != len(got) {
		return fmt.Errorf("%s: %d answers of %s, %d of %s", name, len(want), base.Name, len(got), other.Name)
	}
	r.Scenarios++
	for i := range want {
		r.Answers++
		if want[i] == got[i] {
			continue
		}
		d := fmt.Sprintf("%s, %s", name, note(i))
		if why := known[d]; other.Sorted && why != "" && want[i].Status == got[i].Status {
			r.Known = append(r.Known, d+": "+why)
			continue
		}
		if other.Declarative {
			r.Differences = append(r.Differences, d)
			continue
		}
		r.Differences = append(r.Differences, fmt.Sprintf("%s: status %d, %d\n%s", d, want[i].Status, got[i].Status,
			cmp.Diff(pretty(want[i].Body), pretty(got[i].Body))))
	}
	return nil
}

func pretty(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", " ") != nil {
		return text
	}
	return b.String()
}

// Write prints the report.
func (r *Report) Write(w io.Writer, title string) {
	fmt.Fprintf(w, "%s: %d scenarios, %d answers, %d differ\n", title, r.Scenarios, r.Answers, len(r.Differences))
	for _, d := range r.Known {
		fmt.Fprintln(w, "  known:", d)
	}
	for _, d := range r.Differences {
		fmt.Fprintln(w, " ", d)
	}
}
