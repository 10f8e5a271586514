// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"io"

	"github.com/google/go-cmp/cmp"
)

// Count counts the writes of one turn by result. In the names of the fields, Upstream means the
// cluster that always uses structured-merge-diff.
type Count struct {
	Name                    string
	Writes, Refused         int
	Idle                    int // writes that change nothing on the model cluster
	Stored, StoredUpstream  int // writes that change nothing, but that the server stored: of the tested cluster, and of the upstream cluster
	Changed                 int // entries of other managers whose sets a write changed
	Reencoded               int // entries that a write encoded differently without changing their sets
	Differences, UpstreamIs int // writes whose result differs from the model, and those of them whose result differs upstream in the same way
}

// Report is the result of a run.
type Report struct {
	Options
	Turns       []Count
	Unexplained []string // unexplained differences; each text begins with the write that caused it
	Upstream    []string // the first differences that also occur on the upstream cluster
}

// OK reports whether there are no unexplained differences.
func (r *Report) OK() bool { return len(r.Unexplained) == 0 }

const mostExamples = 20

// compare compares the results of a write on the three clusters.
func (r *Report) compare(count *Count, w write, t Turn, out [3]outcome) {
	count.Writes++
	ours, smd, model := out[tested], out[upstream], out[model]
	if model.answer.Status >= 300 {
		count.Refused++
	}
	changed, reencoded := ours.after.owners.changed(ours.before.owners, w.manager)
	count.Changed += changed
	count.Reencoded += reencoded
	find := func(to *[]string, what, detail string) {
		*to = append(*to, fmt.Sprintf("%s, through %s: %s\n%s", w, t, what, detail))
	}

	// The result of Dovetail must equal the result of the same release with
	// structured-merge-diff.
	if ours.answer != smd.answer {
		find(&r.Unexplained, "the response differs from that of the SMD cluster", cmp.Diff(smd.answer, ours.answer))
	}
	if d := ours.after.owners.difference(smd.after.owners); d != "" {
		find(&r.Unexplained, "the owners differ from those in the SMD cluster", d)
	}
	if ours.after.object != smd.after.object {
		find(&r.Unexplained, "the object differs from that in the SMD cluster", cmp.Diff(smd.after.object, ours.after.object))
	}

	// The result should also equal the result on the model. If the upstream cluster has the
	// same difference from the model, the cause is the Kubernetes release.
	var differs string
	if ours.answer.Status != model.answer.Status {
		differs = fmt.Sprintf("  status %d, in the model %d\n", ours.answer.Status, model.answer.Status)
	}
	differs += ours.after.owners.difference(model.after.owners)
	if ours.after.object != model.after.object {
		differs += cmp.Diff(model.after.object, ours.after.object)
	}
	if differs != "" {
		count.Differences++
		if ours.answer.Status == smd.answer.Status && ours.after.object == smd.after.object && ours.after.owners.difference(smd.after.owners) == "" {
			count.UpstreamIs++
			if len(r.Upstream) < mostExamples {
				find(&r.Upstream, "the result differs from the model, and is the same in the SMD cluster", differs)
			}
		} else {
			find(&r.Unexplained, "the result differs from the model and from the SMD cluster", differs)
		}
	}

	// A write that changes nothing, or that the server rejects, must not change a field set.
	idle := model.answer.Status < 300 && model.after.revision == model.before.revision
	if idle {
		count.Idle++
		if ours.after.revision != ours.before.revision {
			count.Stored++
		}
		if smd.after.revision != smd.before.revision {
			count.StoredUpstream++
		}
	}
	if idle || ours.answer.Status >= 300 {
		if d := ours.after.owners.difference(ours.before.owners); d != "" {
			find(&r.Unexplained, "the write changes nothing or was rejected, but owners changed", d)
		}
	}
}

// Write prints the report.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "upgrade from %s, seed %d\n\n", r.From, r.Seed)
	fmt.Fprintln(w, "| server | writes | rejected writes | idle writes: they change nothing | idle writes that the server stored | field sets that changed only in their encoding |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|")
	total := Count{Name: "all servers"}
	for _, c := range append(r.Turns, total) {
		if c.Name == total.Name {
			c = total
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d |\n", c.Name, c.Writes, c.Refused, c.Idle, c.Stored, c.Reencoded)
		total.Writes += c.Writes
		total.Refused += c.Refused
		total.Changed += c.Changed
		total.Reencoded += c.Reencoded
		total.Idle += c.Idle
		total.Stored += c.Stored
		total.StoredUpstream += c.StoredUpstream
		total.Differences += c.Differences
		total.UpstreamIs += c.UpstreamIs
	}
	fmt.Fprintf(w, "\n%d field sets of other managers changed. The SMD cluster stored %d idle writes. %d writes had another result than in the\nmodel, %d of them the same result as in the SMD cluster.\n", total.Changed, total.StoredUpstream, total.Differences, total.UpstreamIs)
	fmt.Fprintf(w, "\n%d unexplained differences\n", len(r.Unexplained))
	for _, list := range [][]string{r.Unexplained, r.Upstream} {
		for _, d := range list[:min(len(list), mostExamples)] {
			fmt.Fprintln(w, " ", d)
		}
	}
}
