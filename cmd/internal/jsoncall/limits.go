// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoncall

import (
	"bytes"
	"fmt"
	"regexp"
)

// These limits for each call are necessary because a WebAssembly program cannot recover from an
// exhausted stack, and stacks in browsers are small. For comparison: an object in etcd has at most
// 1.5 MiB.
const (
	maxSize  = 16 << 20
	maxDepth = 400
)

func tooLarge(format string, args ...any) *problem {
	return &problem{Message: fmt.Sprintf(format, args...), Reason: reasonTooLarge}
}

// checkJSON checks the size and the nesting depth of a call.
func checkJSON(text []byte) *problem {
	if len(text) > maxSize {
		return tooLarge("the input has %d bytes, more than %d", len(text), maxSize)
	}
	d := depth{}
	d.flow(text, false)
	return d.check()
}

// checkText checks the nesting depth of a YAML or JSON text before it is parsed. In unusual YAML,
// the computed depth is only approximate, for example if an unquoted string has several lines.
func checkText(text []byte) *problem {
	d := depth{literal: -1}
	for line := range bytes.Lines(text) {
		d.line(bytes.TrimRight(line, "\r\n"))
	}
	return d.check()
}

// depth computes the nesting depth of a text.
type depth struct {
	most int
	// indents holds the indents of the block lists and mappings that contain the current line.
	indents []int
	// open is the number of open brackets.
	open int
	// quote is the open quotation mark, or 0 outside quotes.
	quote byte
	// literal is the indent of the line that starts the current block of literal text, such as
	// "text: |". It is -1 outside such a block.
	literal int
}

func (d *depth) check() *problem {
	if d.most > maxDepth {
		return tooLarge("the input is nested more than %d levels deep", maxDepth)
	}
	return nil
}

// startsLiteral matches a line after which a block of literal text follows, such as "text: |".
var startsLiteral = regexp.MustCompile(`(^|[:?-][ \t]+|[ \t])([&!]\S*[ \t]+)*[|>][-+0-9]*[ \t]*(#.*)?$`)

func (d *depth) line(line []byte) {
	column := len(line) - len(bytes.TrimLeft(line, " "))
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	if d.literal >= 0 && column > d.literal {
		return
	}
	d.literal = -1
	if d.open == 0 && d.quote == 0 {
		for len(d.indents) > 0 && d.indents[len(d.indents)-1] >= column {
			d.indents = d.indents[:len(d.indents)-1]
		}
		// Each dash starts a list, and the text after it can start a mapping.
		at := column
		d.indents = append(d.indents, at)
		for at+1 < len(line) && (line[at] == '-' || line[at] == '?' || line[at] == ':') && (line[at+1] == ' ' || line[at+1] == '\t') {
			at++
			for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
				at++
			}
			d.indents = append(d.indents, at)
		}
		if startsLiteral.Match(line) {
			d.literal = column
		}
	}
	d.flow(line, true)
	d.most = max(d.most, len(d.indents)+d.open)
}

// flow counts brackets outside quotes, until it finds a comment. In YAML, brackets and quotation
// marks can also be part of an unquoted string. Therefore, flow counts brackets and quotation marks
// only at the start of a value.
func (d *depth) flow(text []byte, yaml bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case d.quote == '"' && c == '\\':
			i++
		case d.quote == '\'' && c == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case d.quote != 0:
			if c == d.quote {
				d.quote = 0
			}
		case c == '"' || yaml && c == '\'':
			if !yaml || d.beginsValue(text[:i]) {
				d.quote = c
			}
		case yaml && c == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t'):
			return
		case c == '[' || c == '{':
			if yaml && !d.beginsValue(text[:i]) {
				break // part of an unquoted string
			}
			d.open++
			d.most = max(d.most, len(d.indents)+d.open)
		case (c == ']' || c == '}') && d.open > 0:
			d.open--
		}
	}
}

// beginsValue reports whether a YAML value can start at a position in a line. The argument before
// is the part of the line that precedes this position.
func (d *depth) beginsValue(before []byte) bool {
	trimmed := bytes.TrimRight(before, " \t")
	if len(trimmed) == 0 {
		return true
	}
	last := trimmed[len(trimmed)-1]
	if d.open > 0 && bytes.IndexByte([]byte("[{,:"), last) >= 0 {
		return true
	}
	if len(trimmed) == len(before) {
		return false
	}
	// A tag or an anchor may come before the value.
	word := trimmed[bytes.LastIndexAny(trimmed, " \t")+1:]
	return last == ':' || last == '-' || last == '?' || word[0] == '!' || word[0] == '&'
}
