// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"
)

// readBlock returns what decodeYAML makes of a document that is written as programs write
// YAML: block mappings and lists, scalars that are plain, quoted, or literal
// blocks. ok is false of any other, whether it is YAML or not; so what is read here has
// neither errors nor keys that are no texts. It takes a tenth of the decoder's time, with
// which TestBlock compares it.
func readBlock(data []byte) (v any, ok bool) {
	b := &blockReader{text: string(data)}
	if !plainCharacters(b.text) {
		return nil, false
	}
	if rest, marked := strings.CutPrefix(b.text, "---"); marked {
		line, after, _ := strings.Cut(rest, "\n")
		if line = strings.TrimLeft(line, " "); line != "" && (line[0] != '#' || rest[0] != ' ') {
			return nil, false
		}
		b.pos = len(b.text) - len(after)
	}
	b.next()
	if !b.collection() {
		return nil, false
	}
	v = b.value(0)
	return v, !b.other && b.col < 0
}

// plainCharacters says whether a text has no control characters but line feeds and tabs, and
// no line breaks or marks that only YAML knows.
func plainCharacters(text string) bool {
	ascii := true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f:
			return false
		}
	}
	if ascii {
		return true
	}
	for i, r := range text {
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return false
			}
		case r >= 0x80 && r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
			return false
		}
	}
	return true
}

// blockReader is at a line of a document, or within one behind the dash of an item.
type blockReader struct {
	text string
	// at and end are what is to be read of the line, without spaces around it; col is where
	// that begins, -1 at the end of the document.
	at, end, col int
	// pos is where the next line begins. gap says that lines without content stand before
	// this one.
	pos int
	gap bool
	// other says that the document is not written as programs do.
	other bool
}

// maxBlockDepth and maxBlockKey are what the decoder's own limits cannot matter to.
const maxBlockDepth, maxBlockKey = 200, 1000

// stop says that the document is not for this reader.
func (b *blockReader) stop() any {
	b.other, b.col, b.pos = true, -1, len(b.text)
	return nil
}

// line returns the line that comes next, and where it ends.
func (b *blockReader) line() (start, end int) {
	start, end = b.pos, len(b.text)
	if n := strings.IndexByte(b.text[start:], '\n'); n >= 0 {
		end = start + n
	}
	return start, end
}

// next goes to the next line with content.
func (b *blockReader) next() {
	b.gap = false
	for ; b.pos < len(b.text); b.gap = true {
		start, end := b.line()
		b.pos = min(end+1, len(b.text))
		at := start
		for at < end && b.text[at] == ' ' {
			at++
		}
		if at == end || b.text[at] == '#' {
			continue
		}
		if strings.IndexByte(b.text[at:end], '\t') >= 0 {
			b.stop()
			return
		}
		for b.text[end-1] == ' ' {
			end--
		}
		b.at, b.end, b.col = at, end, at-start
		return
	}
	b.col = -1
}

// dash says whether an item of a list begins here.
func (b *blockReader) dash() bool {
	return b.col >= 0 && b.text[b.at] == '-' && (b.at+1 == b.end || b.text[b.at+1] == ' ')
}

// collection says whether a list or a mapping begins here.
func (b *blockReader) collection() bool {
	if b.col < 0 || b.dash() {
		return b.col >= 0
	}
	_, n := b.key()
	return n > 0
}

// value reads the list or the mapping that begins here.
func (b *blockReader) value(depth int) any {
	switch {
	case depth > maxBlockDepth:
		return b.stop()
	case b.dash():
		return b.list(b.col, depth)
	}
	return b.mapping(b.col, depth)
}

// list reads the items whose dashes stand at a column.
func (b *blockReader) list(col, depth int) any {
	list := []any{}
	for b.col == col && b.dash() {
		from := b.at
		for b.at++; b.at < b.end && b.text[b.at] == ' '; {
			b.at++
		}
		if b.at == b.end || b.text[b.at] == '#' {
			list = append(list, b.below(col, false, depth))
			continue
		}
		b.col += b.at - from
		if b.collection() {
			list = append(list, b.value(depth+1))
		} else {
			list = append(list, b.scalar(col))
		}
	}
	if b.col > col {
		return b.stop()
	}
	return list
}

// mapping reads the fields whose keys stand at a column.
func (b *blockReader) mapping(col, depth int) any {
	fields := map[string]any{}
	for b.col == col && !b.dash() {
		name, n := b.key()
		if _, twice := fields[name]; n == 0 || twice {
			return b.stop()
		}
		for b.at += n; b.at < b.end && b.text[b.at] == ' '; {
			b.at++
		}
		if b.at == b.end || b.text[b.at] == '#' {
			fields[name] = b.below(col, true, depth)
		} else {
			fields[name] = b.scalar(col)
		}
	}
	if b.col > col {
		return b.stop()
	}
	return fields
}

// below reads the value of a field or an item that has nothing in its line.
func (b *blockReader) below(col int, field bool, depth int) any {
	b.next()
	switch {
	case b.col > col:
		if !b.collection() {
			return b.stop() // a scalar in a line of its own
		}
		return b.value(depth + 1)
	case field && b.col == col && b.dash():
		return b.list(col, depth+1)
	}
	return nil
}

// key returns the name of the field that begins here, and its length with the colon; 0 if
// none does.
func (b *blockReader) key() (name string, n int) {
	line := b.text[b.at:b.end]
	if line[0] == '"' || line[0] == '\'' {
		text, n := quotedText(line)
		if n == 0 || n > maxBlockKey || n == len(line) || line[n] != ':' || n+1 < len(line) && line[n+1] != ' ' {
			return "", 0
		}
		return text, n + 1
	}
	end := plainEnd(line)
	name = line[:end]
	if end == len(line) || line[end] != ':' || end > maxBlockKey || !beginsPlain(name) || line[end-1] == ' ' || name == "<<" {
		return "", 0
	}
	if !isText(name) {
		if v, ok := resolved(name); !ok || v != any(name) {
			return "", 0
		}
	}
	return name, end + 1
}

// plainEnd returns where a plain scalar ends in a line: before a colon or a comment.
func plainEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ':':
			if i+1 == len(line) || line[i+1] == ' ' {
				return i
			}
		case '#':
			if i > 0 && line[i-1] == ' ' {
				return i
			}
		}
	}
	return len(line)
}

// beginsPlain says whether a text begins as only plain scalars do.
func beginsPlain(text string) bool {
	return text != "" && strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", text[0]) < 0 ||
		len(text) > 1 && text[0] == '-' && text[1] != ' '
}

// scalar reads the scalar that begins here and goes to the next line; col is where what it
// is in stands.
func (b *blockReader) scalar(col int) any {
	line := b.text[b.at:b.end]
	switch line[0] {
	case '|':
		return b.literal(col, line[1:])
	case '"', '\'':
		text, n := quotedText(line)
		for more := 0; n == 0 && more < maxFolded && b.folded(&line, col); more++ {
			text, n = quotedText(line)
		}
		if n == 0 || !endsLine(line[n:]) {
			return b.stop()
		}
		b.next()
		if b.col > col {
			return b.stop()
		}
		return text
	case '{', '[':
		empty, close := any(map[string]any{}), byte('}')
		if line[0] == '[' {
			empty, close = []any{}, ']'
		}
		if len(line) < 2 || line[1] != close || !endsLine(line[2:]) {
			return b.stop()
		}
		b.next()
		if b.col > col {
			return b.stop()
		}
		return empty
	}
	end := plainEnd(line)
	if !beginsPlain(line) || end < len(line) && line[end] == ':' {
		return b.stop()
	}
	text := strings.TrimRight(line[:end], " ")
	b.next()
	for whole := end == len(line); b.col > col; b.next() {
		more := b.text[b.at:b.end]
		if !whole || b.gap || plainEnd(more) < len(more) || b.dash() {
			return b.stop()
		}
		text += " " + more
	}
	v, ok := resolved(text)
	if !ok {
		return b.stop()
	}
	return v
}

// maxFolded is how many lines a text in quotes goes on.
const maxFolded = 200

// folded adds the next line to one in which a text in quotes goes on. Line feeds stand for
// empty lines between the two, or else a space.
func (b *blockReader) folded(line *string, col int) bool {
	start, end := b.line()
	between := " "
	for ; start == end && start < len(b.text); start, end = b.line() {
		between = "\n" + strings.TrimPrefix(between, " ")
		b.pos++
	}
	next := b.text[start:end]
	more := strings.Trim(next, " ")
	if more == "" || len(next)-len(strings.TrimLeft(next, " ")) <= col || strings.IndexByte(more, '\t') >= 0 || strings.HasSuffix(*line, "\\") {
		return false
	}
	b.pos = min(end+1, len(b.text))
	*line += between + more
	return true
}

// endsLine says whether there is nothing but a comment.
func endsLine(rest string) bool {
	text := strings.TrimLeft(rest, " ")
	return text == "" || text[0] == '#' && len(text) < len(rest)
}

// quotedText returns the text that a line begins with in quotes, and the length of both; 0
// if it does not end there or has an escape of the rarer kind.
func quotedText(line string) (text string, n int) {
	quote := line[0]
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == quote && quote == '\'' && i+1 < len(line) && line[i+1] == quote:
			i++
		case line[i] == quote:
			text = line[1:i]
			if quote == '\'' {
				return strings.ReplaceAll(text, "''", "'"), i + 1
			}
			text, ok := unescaped(text)
			if !ok {
				return "", 0
			}
			return text, i + 1
		case line[i] == '\\' && quote == '"':
			i++
		}
	}
	return "", 0
}

func unescaped(text string) (string, bool) {
	if strings.IndexByte(text, '\\') < 0 {
		return text, true
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' {
			i++
			switch text[i] {
			case '"', '\\':
				c = text[i]
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'r':
				c = '\r'
			default:
				return "", false
			}
		}
		out.WriteByte(c)
	}
	return out.String(), true
}

// literal reads a literal block; header is what stands behind its |.
func (b *blockReader) literal(col int, header string) any {
	if header != "" && header != "-" && header != "+" {
		return b.stop()
	}
	var out strings.Builder
	indent, blank := 0, 0
	ended := true // the last line with text has its line feed
	for b.pos < len(b.text) {
		start, end := b.line()
		spaces := 0
		for start+spaces < end && b.text[start+spaces] == ' ' {
			spaces++
		}
		empty := start+spaces == end
		switch {
		case indent > 0:
		case empty && spaces > 0:
			return b.stop() // which may say how far the block is indented
		case empty:
		case spaces <= col, b.text[start+spaces] == '\t':
			return b.stop()
		default:
			indent = spaces
		}
		if indent > 0 && spaces < indent && !empty {
			if b.text[start+spaces] == '\t' {
				return b.stop()
			}
			break
		}
		b.pos = min(end+1, len(b.text))
		if empty && (indent == 0 || spaces <= indent) {
			if end == len(b.text) && spaces > 0 {
				return b.stop() // spaces at the very end
			}
			blank++
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		for ; blank > 0; blank-- {
			out.WriteByte('\n')
		}
		out.WriteString(b.text[start+indent : end])
		ended = end < len(b.text)
	}
	if indent == 0 {
		return b.stop()
	}
	if header != "-" && ended {
		out.WriteByte('\n')
	}
	for ; header == "+" && blank > 0; blank-- {
		out.WriteByte('\n')
	}
	b.next()
	if b.col > col {
		return b.stop()
	}
	return out.String()
}

// words are the plain scalars that mean something else than they say, but for numbers.
var words = map[string]any{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "true": true, "True": true, "TRUE": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "false": false, "False": false, "FALSE": false, "off": false, "Off": false, "OFF": false,
	"~": nil, "null": nil, "Null": nil, "NULL": nil,
}

// isText says whether a plain scalar, by its beginning, can only be a text.
func isText(text string) bool {
	switch c := text[0]; c {
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '+', '.':
		return false
	case 'y', 'Y', 'n', 'N', 't', 'T', 'f', 'F', 'o', 'O', '~':
		if len(text) > len("false") {
			return true
		}
		_, ok := words[text]
		return !ok
	}
	return true
}

// resolved returns what a plain scalar means; ok is false if JSON has no such value.
func resolved(text string) (v any, ok bool) {
	if isText(text) {
		return text, true
	}
	if v, ok := words[text]; ok {
		return v, true
	}
	digits := strings.TrimPrefix(text, "-")
	if len(digits) > 0 && len(digits) <= 18 && (digits[0] != '0' || text == "0") && strings.Trim(digits, "0123456789") == "" {
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	}
	if strings.HasPrefix(text, "--") || strings.HasPrefix(text, "..") || text == "." ||
		text[0] != '.' && strings.Trim(text[1:], "0123456789abcdefABCDEFxXoOtTZ_.+-: ") != "" && text[1] != '.' {
		return text, true
	}
	var tree any
	if yamlv2.Unmarshal([]byte(text), &tree) != nil {
		return nil, false
	}
	v, fault := new(document).plain(tree)
	return v, fault == nil
}
