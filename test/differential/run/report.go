// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"strings"
)

// String returns a text that reproduces the difference: the case, which the command ssadiff can
// run again, and the results of both engines as a comment.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# difference in step %d, %s\n", d.Step, d.Key())
	comment(&b, "upstream", d.Want)
	comment(&b, "ours", d.Have)
	b.WriteString(d.Case.String())
	return b.String()
}

func comment(b *strings.Builder, title, text string) {
	fmt.Fprintf(b, "# %s:\n", title)
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(b, "#   %s\n", line)
	}
}
