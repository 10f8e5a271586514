// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"maps"
	"strings"
	"testing"
)

func dump(label, totals string) []byte {
	return []byte("# callgrind format\nthread: 1\ndesc: Trigger: Client Request: " + label + "\nevents: Ir\nsummary: 18446744073708070110\n\nfn=(1) f\n1 2\n\ntotals: " + totals + "\n")
}

func TestReadDump(t *testing.T) {
	c := Counts{}
	for _, text := range [][]byte{
		dump("a/Validate/Pod n=4", "8000"),
		dump("a/Validate/Pod n=4", "12"), // another thread
		dump("", "99999"),                // what came before
		[]byte("desc: Trigger: Program termination\ntotals: 7\n"),
	} {
		if err := c.ReadDump(text); err != nil {
			t.Fatal(err)
		}
	}
	if want := (Counts{"a/Validate/Pod": 2000}); !maps.Equal(c, want) {
		t.Errorf("got %v, want %v", c, want)
	}
	for _, text := range [][]byte{dump("a n=x", "1"), dump("a n=0", "1"), dump("a n=1", "many")} {
		if err := c.ReadDump(text); err == nil {
			t.Errorf("read without an error:\n%s", text)
		}
	}
}

func TestInstructionTable(t *testing.T) {
	up := Counts{"m/Merge/set/10": 40, "m/Merge/set/100": 400_000, "m/Merge/set/9": 20, "only/SMD": 1}
	ours := Counts{"m/Merge/set/10": 10, "m/Merge/set/100": 400, "m/Merge/set/9": 20, "only/ours": 1}
	var b strings.Builder
	if err := InstructionTable(&b, up, ours, true); err != nil {
		t.Fatal(err)
	}
	want := `| operation | SMD | ours | ratio |
|---|---:|---:|---:|
| m/Merge/set/9 | 20 | 20 | 1.00 |
| m/Merge/set/10 | 40 | 10 | 4.00 |
| m/Merge/set/100 | 400,000 | 400 | 1000.00 |

| mean of | objects | least | ratio |
|---|---:|---:|---:|
| m/Merge/set | 3 | 1.00 | 15.87 |
| all | 3 | 1.00 | 15.87 |
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	if err := InstructionTable(&b, up, ours, false); err != nil || !strings.Contains(b.String(), "400,000   400  1000.00 m/Merge/set/100\n") {
		t.Errorf("%v in\n%s", err, b.String())
	}
}
