// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// managedStats is the size of an object's managed fields, in total and for each entry.
type managedStats struct {
	// Bytes is the size of all managed fields as JSON.
	Bytes int `json:"bytes"`
	// ObjectBytes is the size of the whole object as JSON.
	ObjectBytes int          `json:"objectBytes"`
	Entries     []entryStats `json:"entries"`
}

// entryStats is the size of one entry of managed fields.
type entryStats struct {
	// Owner is the owner of the entry. It is null if the entry cannot be read.
	Owner *report.OwnerReport `json:"owner"`
	// Time is the time of the owner's last write in RFC 3339 format, or null if it is unknown.
	Time  *string `json:"time"`
	Bytes int     `json:"bytes"`
	// Paths is the number of paths in the entry.
	Paths int `json:"paths"`
	// Problems lists the rules of the problems that were found in the entry.
	Problems []string `json:"problems"`

	written *time.Time
}

// stats measures the managed fields of an object, as they were before repairs.
func (x *examinedObject) stats(m *unstructured.Masks) *managedStats {
	metadata, _ := x.outcome.Object.Content["metadata"].(map[string]any)
	list, _ := metadata["managedFields"].([]any)
	s := &managedStats{ObjectBytes: sizeOf(m.Reveal(x.outcome.Object.Content)), Entries: []entryStats{}}
	if list != nil {
		s.Bytes = sizeOf(list)
	}
	for i, item := range list {
		e := entryStats{Bytes: sizeOf(item), Problems: []string{}}
		if managed, err := managedfields.DecodeEntries([]any{item}); err == nil {
			entry := managed.Entries()[0]
			owner := report.ReportOwner(entry.Owner)
			e.Owner, e.Paths, e.written = &owner, entry.Set.Size(), entry.Time
			if entry.Time != nil {
				at := entry.Time.UTC().Format(time.RFC3339)
				e.Time = &at
			}
		}
		for _, p := range x.Problems {
			if p.Index == i && !slices.Contains(e.Problems, string(p.Rule)) {
				e.Problems = append(e.Problems, string(p.Rule))
			}
		}
		s.Entries = append(s.Entries, e)
	}
	return s
}

// sizeOf returns the size of a value as JSON, in bytes.
func sizeOf(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return 0 // data from JSON or YAML can always be encoded
	}
	return len(text)
}

// write writes the sizes as a human-readable table. object is the name of the object.
func (s *managedStats) write(w io.Writer, object string, now time.Time) error {
	share := 0
	if s.ObjectBytes > 0 {
		share = 100 * s.Bytes / s.ObjectBytes
	}
	fmt.Fprintln(w, words.OneLine(fmt.Sprintf("%s: managed fields of %s take %d of %d bytes (%d %%)", object, words.Count(len(s.Entries), "owner"), s.Bytes, s.ObjectBytes, share)))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  BYTES\tPATHS\tWRITTEN\tMANAGER\tPROBLEMS")
	for _, e := range s.Entries {
		owner := "?"
		if e.Owner != nil {
			o := managedfields.Owner{Manager: e.Owner.Manager, Operation: e.Owner.Operation, APIVersion: e.Owner.APIVersion, Subresource: e.Owner.Subresource}
			owner = words.OneLine(words.Owner(o, nil))
		}
		problems := "-"
		if len(e.Problems) > 0 {
			problems = strings.Join(e.Problems, ", ")
		}
		fmt.Fprintf(t, "  %d\t%d\t%s\t%s\t%s\n", e.Bytes, e.Paths, words.Age(now, e.written), owner, problems)
	}
	return t.Flush()
}
