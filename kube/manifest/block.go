// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"
)

// readBlock is a fast version of decodeYAML for the YAML that programs usually write. It
// supports block mappings and lists with string keys, and scalars that are plain, quoted or
// literal blocks. For any other document, valid or not, ok is false. readBlock needs about a
// tenth of the time that decodeYAML needs. TestBlock compares the results of both functions.
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
	return v, !b.unsupported && b.col < 0
}

// plainCharacters reports whether a text contains only characters that readBlock supports. It
// rejects invalid UTF-8, control characters except line feed and tab, and other characters that
// YAML treats as a line break or a byte order mark.
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

// blockReader reads a document line by line. The current position is where the content of a line
// begins, or where it continues after the dash of a list item.
type blockReader struct {
	text string
	// at and end delimit the unread part of the line, without surrounding spaces. col is the column in
	// which this part begins, or -1 at the end of the document.
	at, end, col int
	// pos is the start of the next line. afterGap is true if the current line follows blank lines
	// or comments.
	pos      int
	afterGap bool
	// unsupported is true if the document is not in the supported subset of YAML.
	unsupported bool
}

// maxBlockDepth limits the nesting, and maxBlockKey limits the length of a key. Both are far below
// the limits of the decoder, so readBlock need not check the decoder's limits.
const maxBlockDepth, maxBlockKey = 200, 1000

// giveUp marks the document as unsupported and stops reading it. It returns nil.
func (b *blockReader) giveUp() any {
	b.unsupported, b.col, b.pos = true, -1, len(b.text)
	return nil
}

// line returns the start and end of the next line.
func (b *blockReader) line() (start, end int) {
	start, end = b.pos, len(b.text)
	if n := strings.IndexByte(b.text[start:], '\n'); n >= 0 {
		end = start + n
	}
	return start, end
}

// next moves to the content of the next line that is neither blank nor a comment.
func (b *blockReader) next() {
	b.afterGap = false
	for ; b.pos < len(b.text); b.afterGap = true {
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
			b.giveUp()
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

// dash reports whether the current position is at the dash of a list item.
func (b *blockReader) dash() bool {
	return b.col >= 0 && b.text[b.at] == '-' && (b.at+1 == b.end || b.text[b.at+1] == ' ')
}

// collection reports whether a list or a mapping begins at the current position.
func (b *blockReader) collection() bool {
	if b.col < 0 || b.dash() {
		return b.col >= 0
	}
	_, n := b.key()
	return n > 0
}

// value reads the list or mapping that begins at the current position.
func (b *blockReader) value(depth int) any {
	switch {
	case depth > maxBlockDepth:
		return b.giveUp()
	case b.dash():
		return b.list(b.col, depth)
	}
	return b.mapping(b.col, depth)
}

// list reads the list whose dashes are in column col.
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
		return b.giveUp()
	}
	return list
}

// mapping reads the mapping whose keys are in column col.
func (b *blockReader) mapping(col, depth int) any {
	fields := map[string]any{}
	for b.col == col && !b.dash() {
		name, n := b.key()
		if _, twice := fields[name]; n == 0 || twice {
			return b.giveUp()
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
		return b.giveUp()
	}
	return fields
}

// below reads the value of a field or list item from the following lines. col is the column of the
// field name or of the dash. The result is nil if there is no value.
func (b *blockReader) below(col int, field bool, depth int) any {
	b.next()
	switch {
	case b.col > col:
		if !b.collection() {
			return b.giveUp() // readBlock does not support a scalar that begins on a line of its own
		}
		return b.value(depth + 1)
	case field && b.col == col && b.dash():
		return b.list(col, depth+1)
	}
	return nil
}

// key returns the name of the field at the current position, and its length including the
// colon. The length is 0 if there is no field.
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
	if !isStringScalar(name) {
		if v, ok := resolvePlain(name); !ok || v != any(name) {
			return "", 0
		}
	}
	return name, end + 1
}

// plainEnd returns the index at which a plain scalar ends: at the end of the line, or
// before a colon or comment.
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

// beginsPlain reports whether a text begins with a plain scalar, which has no quotes. It may return
// false negatives.
func beginsPlain(text string) bool {
	return text != "" && strings.IndexByte("-?:,[]{}#&*!|>'\"%@`", text[0]) < 0 ||
		len(text) > 1 && text[0] == '-' && text[1] != ' '
}

// scalar reads the scalar at the current position and moves to the next line. col is the
// column of the surrounding collection.
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
			return b.giveUp()
		}
		b.next()
		if b.col > col {
			return b.giveUp()
		}
		return text
	case '{', '[':
		empty, close := any(map[string]any{}), byte('}')
		if line[0] == '[' {
			empty, close = []any{}, ']'
		}
		if len(line) < 2 || line[1] != close || !endsLine(line[2:]) {
			return b.giveUp()
		}
		b.next()
		if b.col > col {
			return b.giveUp()
		}
		return empty
	}
	end := plainEnd(line)
	if !beginsPlain(line) || end < len(line) && line[end] == ':' {
		return b.giveUp()
	}
	text := strings.TrimRight(line[:end], " ")
	b.next()
	for whole := end == len(line); b.col > col; b.next() {
		more := b.text[b.at:b.end]
		if !whole || b.afterGap || plainEnd(more) < len(more) || b.dash() {
			return b.giveUp()
		}
		text += " " + more
	}
	v, ok := resolvePlain(text)
	if !ok {
		return b.giveUp()
	}
	return v
}

// maxFolded is the maximum number of lines of a quoted text.
const maxFolded = 200

// folded appends the next line to a quoted text that continues on several lines. It separates the
// lines with a space. If there are empty lines in between, it uses a line feed for each of them
// instead. It returns false if readBlock does not support the text.
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

// endsLine reports whether the rest of a line is empty or a comment.
func endsLine(rest string) bool {
	text := strings.TrimLeft(rest, " ")
	return text == "" || text[0] == '#' && len(text) < len(rest)
}

// quotedText returns the quoted text at the start of a line, and its length including the
// quotes. The length is 0 if the text does not end on this line, or if it contains an
// unusual escape.
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

// literal reads a literal block. header is the text after the vertical bar.
func (b *blockReader) literal(col int, header string) any {
	if header != "" && header != "-" && header != "+" {
		return b.giveUp()
	}
	var out strings.Builder
	indent, blank := 0, 0
	ended := true // whether the last line with text ends with a line feed
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
			return b.giveUp() // a blank line with spaces could determine the indentation of the block
		case empty:
		case spaces <= col, b.text[start+spaces] == '\t':
			return b.giveUp()
		default:
			indent = spaces
		}
		if indent > 0 && spaces < indent && !empty {
			if b.text[start+spaces] == '\t' {
				return b.giveUp()
			}
			break
		}
		b.pos = min(end+1, len(b.text))
		if empty && (indent == 0 || spaces <= indent) {
			if end == len(b.text) && spaces > 0 {
				return b.giveUp() // the document ends with spaces
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
		return b.giveUp()
	}
	if header != "-" && ended {
		out.WriteByte('\n')
	}
	for ; header == "+" && blank > 0; blank-- {
		out.WriteByte('\n')
	}
	b.next()
	if b.col > col {
		return b.giveUp()
	}
	return out.String()
}

// specialScalars contains the plain scalars, except numbers, that YAML 1.1 does not read as
// strings. It maps them to their values.
var specialScalars = map[string]any{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "true": true, "True": true, "TRUE": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "false": false, "False": false, "FALSE": false, "off": false, "Off": false, "OFF": false,
	"~": nil, "null": nil, "Null": nil, "NULL": nil,
}

// isStringScalar reports whether the first characters of a plain scalar prove that it is a
// string.
func isStringScalar(text string) bool {
	switch c := text[0]; c {
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '-', '+', '.':
		return false
	case 'y', 'Y', 'n', 'N', 't', 'T', 'f', 'F', 'o', 'O', '~':
		if len(text) > len("false") {
			return true
		}
		_, ok := specialScalars[text]
		return !ok
	}
	return true
}

// resolvePlain returns the value of a plain scalar. ok is false if JSON has no such value.
func resolvePlain(text string) (v any, ok bool) {
	if isStringScalar(text) {
		return text, true
	}
	if v, ok := specialScalars[text]; ok {
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
	v, fault := new(document).toJSON(tree)
	return v, fault == nil
}
