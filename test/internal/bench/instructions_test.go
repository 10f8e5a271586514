// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"strings"
	"testing"
)

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
