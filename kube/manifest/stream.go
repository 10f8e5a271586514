// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Stream reads a file of any length, with only one object in memory at a time. It returns
// the same objects as the function [Read].
//
// Stream reads a document with several JSON values, such as NDJSON, value by value. It reads
// a List item by item if the List is JSON, or YAML in the format of kubectl's output. An
// error in one value or item therefore does not affect the others, and MaxSize limits each
// object instead of the file. Stream reads a CBOR file, or a List with anchors that several
// items share, into memory as a whole.
type Stream struct {
	name string
	r    io.ReaderAt
	size int64
}

// NewStream returns a stream of the file r, which has size bytes. name is the file name
// for messages.
func NewStream(name string, r io.ReaderAt, size int64) *Stream { return &Stream{name, r, size} }

// Part identifies a part of a stream: a document, a JSON value, or an item of a List.
type Part struct {
	at, size int64
	// line is the line number of the first byte. column is the number of bytes before the
	// part on that line.
	line, column int
	form         partForm
	// index is the index of a List item. list is the List.
	index int
	list  *listHead
}

// Size returns the number of bytes in the part.
func (p *Part) Size() int64 { return p.size }

// partForm determines how Stream reads a part.
type partForm uint8

const (
	// documentPart is a whole document, a JSON value, or an item of a JSON List.
	documentPart partForm = iota
	// restPart is text after a JSON value. It must be JSON.
	restPart
	// itemPart is an item of a YAML List, including its dash.
	itemPart
	// headPart is a List without its items.
	headPart
	// missingComma is a position in a JSON List at which a comma is missing.
	missingComma
)

// listHead is a List whose items are read one by one.
type listHead struct {
	apiVersion, kind string
	// from and to are the offsets at which the items start and end. lines is the number of lines
	// between these offsets.
	from, to int64
	lines    int
	yaml     bool
}

// Parts iterates over the parts of the stream in order. An error either comes from the
// reader, or has the type Errors and reports that a part is too large.
func (s *Stream) Parts() iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		c := &cursor{s: s, line: 1, buf: make([]byte, cursorSize)}
		c.yield = func(p Part, err error) {
			c.stopped = c.stopped || !yield(p, err)
		}
		c.yieldFile()
		if c.err != nil && !c.stopped {
			yield(Part{}, c.err)
		}
	}
}

// Read returns the objects in a part. It returns the same errors as the function Read.
func (s *Stream) Read(p *Part) ([]*Object, error) {
	data, err := s.bytes(p)
	if err != nil {
		return nil, err
	}
	d := &document{file: s.name, line: p.line, column: p.column, data: data}
	var (
		roots []root
		errs  Errors
		path  string
	)
	if p.list != nil && p.form != headPart {
		path = fmt.Sprintf(".items[%d]", p.index)
	}
	switch form := p.form; {
	case form == missingComma:
		errs = Errors{{File: s.name, Line: p.line, Column: p.column + 1, Message: fmt.Sprintf("not JSON: invalid character %q after array element", rune(data[0]))}}
	case form == restPart, form == documentPart && p.list != nil && !openedAsJSON(data):
		var found *Error
		if roots, found, _ = d.decodeValues(data, p.line); found != nil {
			errs = Errors{found}
		}
	default:
		roots, errs = d.decode()
	}
	for _, e := range errs {
		if p.form == headPart && e.Line > p.line+bytes.Count(data[:p.list.from-p.at], []byte("\n")) {
			e.Line += p.list.lines
			if p.list.yaml {
				e.Line-- // in place of the items, the data has a line with an empty list
			}
		}
		if p.form == itemPart {
			e.Path = strings.TrimPrefix(e.Path, "[0]")
		}
		if e.Path != "" {
			e.Path = path + e.Path
		}
	}
	switch {
	case len(errs) > 0:
		return nil, errs
	case p.form == headPart:
		return nil, nil
	case len(roots) == 0 && p.list != nil:
		roots = []root{{doc: d}}
	}
	var objects []*Object
	for _, r := range roots {
		o := &Object{root: r}
		var found []*Object
		var bad Errors
		if p.list == nil {
			found, bad = r.objects()
		} else {
			item := r.value
			if list, _ := item.([]any); p.form == itemPart && len(list) == 1 {
				item, o.steps = list[0], []any{0}
			}
			found, bad = o.item(item, p.list.apiVersion, p.list.kind)
		}
		objects, errs = append(objects, found...), append(errs, bad...)
	}
	if len(errs) > 0 {
		return objects, errs
	}
	return objects, nil
}

// openedAsJSON reports whether data begins like a JSON object or list.
func openedAsJSON(data []byte) bool { return data[0] == '{' || data[0] == '[' }

// bytes returns the bytes of a part. For a List without its items, the bytes contain an empty list in
// place of the items.
func (s *Stream) bytes(p *Part) ([]byte, error) {
	if p.form == headPart {
		h := p.list
		before, err := s.bytes(&Part{at: p.at, size: h.from - p.at})
		if err != nil {
			return nil, err
		}
		after, err := s.bytes(&Part{at: h.to, size: p.at + p.size - h.to})
		if h.yaml {
			before = append(before, "  []\n"...)
		}
		return append(before, after...), err
	}
	data := make([]byte, p.size)
	_, err := io.ReadFull(io.NewSectionReader(s.r, p.at, p.size), data)
	return data, err
}

// cursorSize is the buffer size of a cursor.
const cursorSize = 256 << 10

// cursor finds the parts of a stream. It examines only the syntax that separates parts.
// The method Read of Stream decodes a part later.
type cursor struct {
	s       *Stream
	yield   func(Part, error)
	stopped bool
	err     error
	// buf[pos:end] has the next bytes. buf[0] is at the offset base in the stream.
	buf      []byte
	base     int64
	pos, end int
	// line is the number of the current line. begin is the offset at which this line starts.
	line  int
	begin int64
}

// mark is a position in a stream to which the cursor can return.
type mark struct {
	at, begin int64
	line      int
}

func (c *cursor) at() int64  { return c.base + int64(c.pos) }
func (c *cursor) mark() mark { return mark{c.at(), c.begin, c.line} }

// seek moves the cursor to a position that the method mark returned.
func (c *cursor) seek(m mark) {
	if m.at >= c.base && m.at <= c.base+int64(c.end) {
		c.pos = int(m.at - c.base)
	} else {
		c.base, c.pos, c.end = m.at, 0, 0
	}
	c.begin, c.line = m.begin, m.line
}

// peek returns the next n bytes without moving. At the end of the stream, it may
// return fewer bytes.
func (c *cursor) peek(n int) []byte {
	if c.end-c.pos < n && c.base+int64(c.end) < c.s.size && c.err == nil {
		c.base, c.end = c.at(), copy(c.buf, c.buf[c.pos:c.end])
		c.pos = 0
		var got int
		got, c.err = c.s.r.ReadAt(c.buf[c.end:min(int64(len(c.buf)), c.s.size-c.base)], c.base+int64(c.end))
		if c.end += got; c.err == io.EOF {
			c.err = nil
			if c.at()+int64(c.end) < c.s.size {
				c.err = io.ErrUnexpectedEOF // the file became shorter while it was read
			}
		}
	}
	return c.buf[c.pos:min(c.end, c.pos+n)]
}

// next returns the next byte without moving. ok is false at the end.
func (c *cursor) next() (b byte, ok bool) {
	if c.pos == c.end && len(c.peek(1)) == 0 || c.err != nil {
		return 0, false
	}
	return c.buf[c.pos], true
}

// skip moves past the next byte.
func (c *cursor) skip() {
	if c.buf[c.pos] == '\n' {
		c.line++
		c.begin = c.at() + 1
	}
	c.pos++
}

// skipLine moves to the next line. It returns true if the skipped text may contain a YAML
// anchor.
func (c *cursor) skipLine() (anchor bool) {
	for {
		if _, ok := c.next(); !ok {
			return anchor
		}
		rest := c.buf[c.pos:c.end]
		i := bytes.IndexByte(rest, '\n')
		if i >= 0 {
			rest = rest[:i]
		}
		anchor = anchor || hasAnchor(rest)
		c.pos += len(rest)
		if i >= 0 {
			c.skip()
			return anchor
		}
	}
}

// hasAnchor reports whether part of a line may contain a YAML anchor.
func hasAnchor(line []byte) bool {
	for {
		i := bytes.IndexByte(line, '&')
		if i < 0 || i+1 == len(line) {
			return i == 0 // an ampersand alone may begin an anchor that continues in the next part of the line
		}
		before := bytes.TrimRight(line[:i], " ")
		if line[i+1] > ' ' && line[i+1] != '&' && (len(before) == 0 || bytes.IndexByte([]byte(":-?[{,"), before[len(before)-1]) >= 0) {
			return true
		}
		line = line[i+1:]
	}
}

// skipSpace skips white space. If it reaches a line that separates documents, it
// stops before the line and returns true.
func (c *cursor) skipSpace() (marked bool) {
	for {
		if c.separator() {
			return true
		}
		b, ok := c.next()
		if !ok || b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return false
		}
		c.skip()
	}
}

// boundary classifies the line that begins at the cursor. If the cursor is not at the
// beginning of a line, it returns noBoundary.
func (c *cursor) boundary() boundary {
	if c.at() != c.begin {
		return noBoundary
	}
	if line := c.peek(1); len(line) == 0 || line[0] != '-' && line[0] != '.' {
		return noBoundary
	}
	return boundaryOf(c.peek(maxBoundary))
}

// separator reports whether a line that separates documents begins at the cursor.
func (c *cursor) separator() bool { return c.boundary() != noBoundary }

// yieldPart yields the part from the given place to the cursor.
func (c *cursor) yieldPart(from mark, form partForm) {
	c.yieldPartOf(from, Part{form: form})
}

func (c *cursor) yieldPartOf(from mark, p Part) {
	p.at, p.size, p.line, p.column = from.at, c.at()-from.at, from.line, int(from.at-from.begin)
	size := p.size
	if p.form == headPart {
		size -= p.list.to - p.list.from
	}
	switch {
	case c.stopped || c.err != nil:
	case size > MaxSize:
		subject := "the file"
		if p.at > 0 || c.at() < c.s.size {
			subject = "an object"
		}
		message := fmt.Sprintf("%s is larger than %d MiB", subject, MaxSize>>20)
		c.yield(Part{}, Errors{{File: c.s.name, Line: p.line, Message: message}})
	default:
		c.yield(p, nil)
	}
}

// yieldFile yields all parts of the stream.
func (c *cursor) yieldFile() {
	if bytes.Equal(c.peek(3), byteOrderMark) {
		c.pos, c.begin = 3, 3
	}
	switch head := c.peek(3); {
	case isCBOR(head):
		from := c.mark()
		from.line = 0
		c.base, c.pos, c.end = c.s.size, 0, 0
		c.yieldPart(from, documentPart)
		return
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		c.yield(Part{}, Errors{{File: c.s.name, Line: 1, Message: "the file is UTF-16; convert it to UTF-8"}})
		return
	}
	for !c.stopped && c.err == nil {
		if _, ok := c.next(); !ok {
			return
		}
		c.yieldDocument()
	}
}

// yieldDocument yields the parts of one document, including the line that separates it
// from the previous document.
func (c *cursor) yieldDocument() {
	from := c.mark()
	before := c.boundary()
	marked := before != noBoundary
	if marked {
		line := bytes.Clone(c.peek(maxBoundary))
		c.skipLine()
		if before != separator {
			c.yieldLines(from)
			return
		}
		if n, ok := unreadable(line, c.peek(3)); ok {
			c.pos += n
			c.begin = c.at()
			from, marked = c.mark(), false
		}
	}
	separated := c.skipSpace()
	switch b, ok := c.next(); {
	case separated || !ok:
		if marked {
			c.yieldPart(from, documentPart) // the document is empty or begins with a tab
		}
	case b == '{' || b == '[':
		c.yieldValues(from, marked || from.line > 1)
	default:
		c.yieldLines(from)
	}
}

// yieldLines yields the parts of a YAML document.
func (c *cursor) yieldLines(from mark) {
	list := listLines{}
	for !c.separator() {
		if _, ok := c.next(); !ok {
			break
		}
		list.line(c)
		if c.skipLine() {
			list.notList = true
		}
	}
	if end := c.mark(); list.isList(end) {
		list.yieldItems(c, from, end)
		return
	}
	c.yieldPart(from, documentPart)
}

// listLines collects the top-level fields of a YAML document, as long as the document may
// be a List that can be read item by item.
type listLines struct {
	// notList is true if the document is not a List, or cannot be read item by item.
	notList          bool
	apiVersion, kind string
	names            []string
	// The items of the List lie between from and to. dashed is true if the items begin with a dash.
	from, to mark
	dashed   bool
}

// dash reports whether a list item begins on a line. indent is the number of spaces before
// the dash.
func dash(line []byte) (indent int, ok bool) {
	rest := bytes.TrimLeft(line, " ")
	return len(line) - len(rest), isMarker(rest, "-")
}

// maxListLine limits the length of a line with a top-level field of a List.
const maxListLine = 256

// line processes the line that begins at the cursor.
func (l *listLines) line(c *cursor) {
	if l.notList || c.at() != c.begin {
		return
	}
	if len(l.names) > 0 && l.names[len(l.names)-1] == "items" && l.from.line == 0 {
		l.from = c.mark()
	}
	text := c.peek(maxListLine)
	if l.from.line > 0 && !l.dashed {
		_, l.dashed = dash(text)
		rest := bytes.TrimLeft(text, " \r")
		l.notList = !l.dashed && len(rest) > 0 && rest[0] != '#' && rest[0] != '\n'
	}
	if text[0] == ' ' || text[0] == '#' || isMarker(text, "-") || text[0] == '\n' || text[0] == '\r' || text[0] == '\t' {
		return
	}
	text, _, ended := bytes.Cut(text, []byte("\n"))
	name, value, found := strings.Cut(strings.TrimRight(string(text), " \r"), ":")
	for _, n := range l.names {
		l.notList = l.notList || n == name
	}
	if l.from.line > 0 && l.to.line == 0 {
		l.to = c.mark()
	}
	l.names = append(l.names, name)
	value = strings.TrimLeft(value, " ")
	switch name {
	case "apiVersion":
		l.apiVersion = value
	case "kind":
		l.kind = value
	case "items":
		l.notList = l.notList || value != ""
	}
	l.notList = l.notList || !found || len(l.names) > 8 || !ended && value != "" && len(text) == maxListLine
}

// isList reports whether the document is a List that can be read item by item. The argument end is
// the place where the document ends.
func (l *listLines) isList(end mark) bool {
	if l.to.line == 0 {
		l.to = end
	}
	if l.notList || !l.dashed || !strings.HasSuffix(l.kind, "List") {
		return false
	}
	for _, text := range []string{l.apiVersion, l.kind} {
		if text == "" || strings.Trim(text, "/.-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return false
		}
		if v, ok := resolvePlain(text); !ok || v != any(text) {
			return false
		}
	}
	return true
}

// yieldItems yields the items of the List, and moves to the end of the document.
func (l *listLines) yieldItems(c *cursor, from, end mark) {
	h := &listHead{apiVersion: l.apiVersion, kind: l.kind, from: l.from.at, to: l.to.at, lines: l.to.line - l.from.line, yaml: true}
	c.seek(end)
	c.yieldPartOf(from, Part{form: headPart, list: h})
	c.seek(l.from)
	indent, index, item := -1, 0, l.from
	for c.at() < l.to.at && !c.stopped && c.err == nil {
		spaces, dashed := dash(c.peek(maxListLine))
		if dashed && indent < 0 {
			indent = spaces
		} else if dashed && spaces == indent {
			c.yieldPartOf(item, Part{form: itemPart, list: h, index: index})
			index++
			item = c.mark()
		}
		c.skipLine()
	}
	c.yieldPartOf(item, Part{form: itemPart, list: h, index: index})
	c.seek(end)
}

// yieldValues yields the values of a JSON document. If single is true, text after the
// first value is an error.
func (c *cursor) yieldValues(from mark, single bool) {
	for first := true; !c.stopped; first = false {
		start := c.mark()
		var list listFields
		if !c.skipValue(&list) {
			if first {
				start = from
			}
			c.yieldRest(start, first)
			return
		}
		if list.isList() {
			list.yieldItems(c, start)
		} else {
			c.yieldPart(start, documentPart)
		}
		if c.skipSpace() {
			return
		}
		switch b, ok := c.next(); {
		case !ok, b == '#' && first && c.endsInComment():
			return
		case single:
			c.yield(Part{}, Errors{{File: c.s.name, Line: c.line, Column: int(c.at()-c.begin) + 1, Message: secondValue}})
			c.skipDocument()
			return
		case b != '{' && b != '[':
			c.yieldRest(c.mark(), false)
			return
		}
	}
}

// endsInComment reports whether only white space and comments remain in the document. If the result is
// true, endsInComment has skipped them.
func (c *cursor) endsInComment() bool {
	for start := c.mark(); ; {
		if c.skipSpace() {
			return true
		}
		b, ok := c.next()
		if !ok {
			return true
		}
		if b != '#' {
			c.seek(start)
			return false
		}
		c.skipLine()
	}
}

// skipDocument moves to the end of the document.
func (c *cursor) skipDocument() {
	for !c.separator() {
		if _, ok := c.next(); !ok {
			return
		}
		c.skipLine()
	}
}

// yieldRest yields the text from the given place to the end of the document as one part, because this
// text is not JSON. The argument first is true if the part is the whole document, and false if JSON
// values precede it.
func (c *cursor) yieldRest(from mark, first bool) {
	c.seek(from)
	if first && c.separator() {
		c.skipLine()
	}
	c.skipDocument()
	form := documentPart
	if !first {
		form = restPart
	}
	if _, more := c.next(); !more && c.at()-from.at > MaxSize {
		c.yield(Part{}, Errors{{File: c.s.name, Line: c.line, Message: "not JSON: the text ends too early, or is not JSON from line " + fmt.Sprint(from.line) + " on"}})
		return
	}
	c.yieldPart(from, form)
}

// listFields collects the top-level fields of a JSON value, as long as the value may be a
// List.
type listFields struct {
	notList          bool
	apiVersion, kind string
	names            []string
	from, to         mark
	// expected is the token that must come next at the top level of the value.
	expected token
}

// token is a kind of token in a JSON object.
type token uint8

const (
	nameToken token = iota
	colonToken
	valueToken
	commaToken
)

// token records a token at the top level of the value, and sets the token that must come next. An
// unexpected token is a syntax error, so from then on the value does not count as a List.
func (l *listFields) token(found, next token) {
	if l == nil {
		return
	}
	l.notList = l.notList || l.expected != found
	l.expected = next
}

func (l *listFields) name(text string) {
	for _, n := range l.names {
		l.notList = l.notList || n == text
	}
	l.names = append(l.names, text)
	l.notList = l.notList || len(l.names) > 8 || strings.Contains(text, "\\")
}

// text records a string at the top level of the value. The string is either a field name or the
// value of the current field.
func (l *listFields) text(text string) {
	if l == nil {
		return
	}
	if l.expected == nameToken {
		l.name(text)
		l.token(nameToken, colonToken)
		return
	}
	switch l.last() {
	case "kind":
		l.kind = text
	case "apiVersion":
		l.apiVersion = text
	}
	l.token(valueToken, commaToken)
}

// last returns the name of the current field.
func (l *listFields) last() string {
	if len(l.names) == 0 {
		return ""
	}
	return l.names[len(l.names)-1]
}

func (l *listFields) isList() bool {
	return !l.notList && l.to.line > 0 && strings.HasSuffix(l.kind, "List") && !strings.Contains(l.kind+l.apiVersion, "\\") && l.apiVersion != ""
}

// skipValue skips one JSON value. It returns false if brackets do not match, or if text outside of
// strings contains a character that JSON does not allow. The decoder reports all other syntax
// errors later.
//
// If the value is an object, skipValue records its fields in list, to find out whether it is a
// List. list may be nil.
func (c *cursor) skipValue(list *listFields) bool {
	var open brackets
	for {
		b, ok := c.next()
		if !ok || c.separator() {
			return false
		}
		fields := list.topLevel(open)
		switch b {
		case ' ', '\t', '\r', '\n':
			c.skip()
			continue
		case '{', '[':
			c.skip()
			fields.open(b, c.mark())
			if open = append(open, b); len(open) > maxDepth {
				return false
			}
			continue
		case '}', ']':
			if !open.closedBy(b) {
				return false
			}
			open = open[:len(open)-1]
			list.topLevel(open).close(b, c.mark())
			c.skip()
		case '"':
			text, ok := c.skipString(fields != nil)
			if !ok {
				return false
			}
			fields.text(text)
		case ',', ':':
			if len(open) == 0 {
				return false
			}
			fields.separator(b)
			c.skip()
			continue
		default:
			if !c.skipWord() {
				return false
			}
			fields.token(valueToken, commaToken)
		}
		if len(open) == 0 {
			return true
		}
	}
}

// brackets lists the opening brackets around the current position, from the outermost to
// the innermost.
type brackets []byte

// closedBy reports whether the closing bracket b matches the innermost opening one.
func (o brackets) closedBy(b byte) bool {
	return len(o) > 0 && o[len(o)-1] == b-2 // in ASCII, a closing bracket is its opening bracket plus 2
}

// topLevel returns l if the position is directly inside the outermost object, and nil if it is not.
// listFields records only the fields of the outermost object. skipValue calls methods on the result,
// which do nothing if the result is nil.
func (l *listFields) topLevel(open brackets) *listFields {
	if len(open) != 1 || open[0] != '{' {
		return nil
	}
	return l
}

// open records that the value of the current field begins with a bracket. The argument behind is the
// place after the bracket.
func (l *listFields) open(b byte, behind mark) {
	if l == nil {
		return
	}
	l.token(valueToken, commaToken)
	if b == '[' && l.last() == "items" {
		l.from = behind
	}
}

// close records that the value of the current field ends with a bracket. The argument at is the place
// of the bracket.
func (l *listFields) close(b byte, at mark) {
	if l == nil || l.last() != "items" {
		return
	}
	l.to = at
	l.notList = l.notList || b != ']'
}

// separator records a colon or a comma between fields.
func (l *listFields) separator(b byte) {
	if b == ':' {
		l.token(colonToken, valueToken)
	} else {
		l.token(commaToken, nameToken)
	}
}

// skipString skips a string. If wanted is true and the text is short, it returns the text
// between the quotes.
func (c *cursor) skipString(wanted bool) (text string, ok bool) {
	c.skip()
	var kept []byte
	for escaped := false; ; {
		if _, ok := c.next(); !ok {
			return "", false
		}
		rest := c.buf[c.pos:c.end]
		i := 0
		if escaped {
			i, escaped = 1, false
		} else if i = bytes.IndexAny(rest, "\"\\\n"); i < 0 {
			i = len(rest)
		}
		if wanted && len(kept) < maxListLine {
			kept = append(kept, rest[:min(i, maxListLine)]...)
		}
		c.pos += i
		if i == len(rest) {
			continue
		}
		switch c.buf[c.pos] {
		case '"':
			c.pos++
			return string(kept), true
		case '\n':
			return "", false
		case '\\':
			if escaped = true; wanted {
				kept = append(kept, '\\')
			}
			c.pos++
		}
	}
}

// skipWord skips a number, true, false, null, or other text without quotes.
func (c *cursor) skipWord() bool {
	n := 0
	for ; ; n++ {
		b, ok := c.next()
		if !ok || b != '-' && b != '+' && b != '.' && (b < '0' || b > '9') && (b < 'a' || b > 'z') && b != 'E' {
			return n > 0
		}
		c.pos++
	}
}

// yieldItems yields the items of a List that begins at start and ends at the cursor.
func (l *listFields) yieldItems(c *cursor, start mark) {
	end := c.mark()
	h := &listHead{apiVersion: l.apiVersion, kind: l.kind, from: l.from.at, to: l.to.at, lines: l.to.line - l.from.line}
	c.yieldPartOf(start, Part{form: headPart, list: h})
	c.seek(l.from)
	for index := 0; !c.stopped && c.err == nil; index++ {
		c.skipSpace()
		if c.at() == l.to.at {
			break // the list is empty, or the last item has a comma after it, which YAML allows
		}
		item := c.mark()
		if !c.skipValue(nil) || c.at() > l.to.at {
			c.seek(l.to)
			c.yieldPartOf(item, Part{list: h, index: index})
			break
		}
		c.yieldPartOf(item, Part{list: h, index: index})
		c.skipSpace()
		if c.at() == l.to.at {
			break
		}
		comma := c.mark()
		if b, _ := c.next(); b != ',' {
			c.pos++
			c.yieldPartOf(comma, Part{form: missingComma, list: h, index: index + 1})
			break
		}
		c.skip()
	}
	c.seek(end)
}

// Contains reports whether the bytes of a part contain the given text. It returns true if the
// part cannot be read.
func (s *Stream) Contains(p *Part, text string) bool {
	data, err := s.bytes(p)
	return err != nil || bytes.Contains(data, []byte(text))
}
