// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/linediff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// unified writes a unified diff of the YAML without managed fields, for diff viewers and programs
// such as patch. It writes the notes before the diff, where these programs ignore text.
func (p *printer) unified(o *prediction.Outcome, d *difference, hunks []linediff.Hunk) {
	p.line(words.Bold, "# %s", words.OneLine(o.Object.Identity().String()))
	p.notes("# ", o, d)
	if len(hunks) == 0 {
		return
	}
	name := fileName(o)
	if d.isNew {
		p.line(words.Bold, "--- /dev/null")
	} else {
		p.line(words.Bold, "--- a/%s", name)
	}
	p.line(words.Bold, "+++ b/%s", name)
	p.hunks(hunks)
}

// hunks writes hunks in the format that the program patch reads.
func (p *printer) hunks(hunks []linediff.Hunk) {
	for i := range hunks {
		h := &hunks[i]
		p.line(words.Cyan, "@@ -%s +%s @@", span(h.OldFrom, h.Olds), span(h.NewFrom, h.News))
		for _, l := range h.Lines {
			p.line(colourOf(l.Sign), "%c%s", l.Sign, l.Text)
		}
	}
}

func span(from, count int) string {
	if count == 1 {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d,%d", from, count)
}

func colourOf(sign byte) int {
	switch sign {
	case '-':
		return words.Red
	case '+':
		return words.Green
	}
	return words.Plain
}

// fileName returns the file name of an object in a diff, such as apps.v1.Deployment.shop.web.
func fileName(o *prediction.Outcome) string {
	id := o.Object.Identity()
	var parts []string
	for _, part := range []string{id.APIVersion, id.Kind, id.Namespace, id.Name} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Map(func(c rune) rune {
		switch {
		case c == '/':
			return '.'
		case c == '-' || c == '.' || c == '_' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			return c
		}
		return '_'
	}, strings.Join(parts, "."))
}
