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

// Stream is a file of any length, of which one object is held at a time. The function [Read]
// reads the same objects of a file that fits into memory.
//
// A document with several values of JSON, as NDJSON is, and a List, in JSON or as kubectl
// writes it in YAML, are read value by value and item by item. So what is wrong in one does
// not keep the others from being read, and MaxSize bounds one object, not the file. A List
// whose items share anchors is held as a whole, as is a file of CBOR.
type Stream struct {
	name string
	r    io.ReaderAt
	size int64
}

// NewStream returns the stream of a file of so many bytes; name is its name for messages.
func NewStream(name string, r io.ReaderAt, size int64) *Stream { return &Stream{name, r, size} }

// Part is where a part of a stream stands: a document, a value of JSON, an item of a List.
type Part struct {
	at, size int64
	// line is that of the first byte, and column how many bytes stand before it there.
	line, column int
	form         partForm
	// index is that of an item of list.
	index int
	list  *listHead
}

// Size is how many bytes the part has.
func (p *Part) Size() int64 { return p.size }

// partForm says how a part is read.
type partForm uint8

const (
	// aDocument is read as a document is, also a value of JSON and an item of a List of it.
	aDocument partForm = iota
	// aRest stands behind a value of JSON, and is JSON or nothing.
	aRest
	// anItem is an item of a List of YAML, with its dash.
	anItem
	// aHead is a List without its items.
	aHead
	// noComma stands where there is to be one.
	noComma
)

// listHead is a List that is read item by item.
type listHead struct {
	apiVersion, kind string
	// from and to are where the items stand, on how many lines.
	from, to int64
	lines    int
	yaml     bool
}

// Parts ranges over the parts of the stream, in order. An error is one of reading, or Errors
// about a part that cannot be held.
func (s *Stream) Parts() iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		c := &cursor{s: s, line: 1, buf: make([]byte, cursorSize)}
		c.yield = func(p Part, err error) {
			c.stopped = c.stopped || !yield(p, err)
		}
		c.file()
		if c.err != nil && !c.stopped {
			yield(Part{}, c.err)
		}
	}
}

// Read returns the objects of a part and its errors, as the function Read does for a file.
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
	if p.list != nil && p.form != aHead {
		path = fmt.Sprintf(".items[%d]", p.index)
	}
	switch form := p.form; {
	case form == noComma:
		errs = Errors{{File: s.name, Line: p.line, Column: p.column + 1, Message: fmt.Sprintf("not JSON: invalid character %q after array element", rune(data[0]))}}
	case form == aRest, form == aDocument && p.list != nil && !openedAsJSON(data):
		var found *Error
		if roots, found, _ = d.decodeValues(data, p.line); found != nil {
			errs = Errors{found}
		}
	default:
		roots, errs = d.decode()
	}
	for _, e := range errs {
		if p.form == aHead && e.Line > p.line+bytes.Count(data[:p.list.from-p.at], []byte("\n")) {
			e.Line += p.list.lines
			if p.list.yaml {
				e.Line-- // that of the empty list
			}
		}
		if p.form == anItem {
			e.Path = strings.TrimPrefix(e.Path, "[0]")
		}
		if e.Path != "" {
			e.Path = path + e.Path
		}
	}
	switch {
	case len(errs) > 0:
		return nil, errs
	case p.form == aHead:
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
			if list, _ := item.([]any); p.form == anItem && len(list) == 1 {
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

// openedAsJSON says whether an object or a list of JSON may begin.
func openedAsJSON(data []byte) bool { return data[0] == '{' || data[0] == '[' }

// bytes returns the text of a part.
func (s *Stream) bytes(p *Part) ([]byte, error) {
	if p.form == aHead {
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

// cursorSize is how much of a stream is looked at at once.
const cursorSize = 256 << 10

// cursor goes over a stream to find its parts. It looks at what encloses them, and leaves what
// is in them to those who read them.
type cursor struct {
	s       *Stream
	yield   func(Part, error)
	stopped bool
	err     error
	// buf[pos:end] is what comes next, the byte at base and so on.
	buf      []byte
	base     int64
	pos, end int
	// line is the number of the line, which begins at begin.
	line  int
	begin int64
}

// mark is a place in a stream.
type mark struct {
	at, begin int64
	line      int
}

func (c *cursor) at() int64  { return c.base + int64(c.pos) }
func (c *cursor) here() mark { return mark{c.at(), c.begin, c.line} }

// to goes to a place.
func (c *cursor) to(m mark) {
	if m.at >= c.base && m.at <= c.base+int64(c.end) {
		c.pos = int(m.at - c.base)
	} else {
		c.base, c.pos, c.end = m.at, 0, 0
	}
	c.begin, c.line = m.begin, m.line
}

// ahead returns what comes next, n bytes of it unless the stream ends before.
func (c *cursor) ahead(n int) []byte {
	if c.end-c.pos < n && c.base+int64(c.end) < c.s.size && c.err == nil {
		c.base, c.end = c.at(), copy(c.buf, c.buf[c.pos:c.end])
		c.pos = 0
		var got int
		got, c.err = c.s.r.ReadAt(c.buf[c.end:min(int64(len(c.buf)), c.s.size-c.base)], c.base+int64(c.end))
		if c.end += got; c.err == io.EOF {
			c.err = nil
			if c.at()+int64(c.end) < c.s.size {
				c.err = io.ErrUnexpectedEOF // it is shorter than it was
			}
		}
	}
	return c.buf[c.pos:min(c.end, c.pos+n)]
}

// next returns the byte that comes next; ok is false at the end.
func (c *cursor) next() (b byte, ok bool) {
	if c.pos == c.end && len(c.ahead(1)) == 0 || c.err != nil {
		return 0, false
	}
	return c.buf[c.pos], true
}

// skip goes over the byte that comes next.
func (c *cursor) skip() {
	if c.buf[c.pos] == '\n' {
		c.line++
		c.begin = c.at() + 1
	}
	c.pos++
}

// skipLine goes to the next line. It says whether an anchor may be in what it went over.
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

// hasAnchor says whether an anchor of YAML may be in part of a line.
func hasAnchor(line []byte) bool {
	for {
		i := bytes.IndexByte(line, '&')
		if i < 0 || i+1 == len(line) {
			return i == 0 // nobody knows what is around it
		}
		before := bytes.TrimRight(line[:i], " ")
		if line[i+1] > ' ' && line[i+1] != '&' && (len(before) == 0 || bytes.IndexByte([]byte(":-?[{,"), before[len(before)-1]) >= 0) {
			return true
		}
		line = line[i+1:]
	}
}

// skipSpace goes over white space; marked says that a line which separates documents follows.
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

// separator says whether a line begins here that separates documents.
func (c *cursor) separator() bool {
	if c.at() != c.begin {
		return false
	}
	line := c.ahead(4)
	return isMarker(line, "---") || isMarker(line, "...")
}

// part yields what stands between a place and here.
func (c *cursor) part(from mark, form partForm) {
	c.partOf(from, Part{form: form})
}

func (c *cursor) partOf(from mark, p Part) {
	p.at, p.size, p.line, p.column = from.at, c.at()-from.at, from.line, int(from.at-from.begin)
	size := p.size
	if p.form == aHead {
		size -= p.list.to - p.list.from
	}
	switch {
	case c.stopped || c.err != nil:
	case size > MaxSize:
		message := fmt.Sprintf("larger than %d MiB", MaxSize>>20)
		if p.at > 0 || c.at() < c.s.size {
			message = "an object is " + message
		}
		c.yield(Part{}, Errors{{File: c.s.name, Line: p.line, Message: message}})
	default:
		c.yield(p, nil)
	}
}

// file goes over the stream.
func (c *cursor) file() {
	if bytes.Equal(c.ahead(3), []byte("\xef\xbb\xbf")) {
		c.pos, c.begin = 3, 3
	}
	switch head := c.ahead(3); {
	case isCBOR(head):
		from := c.here()
		from.line = 0
		c.base, c.pos, c.end = c.s.size, 0, 0
		c.part(from, aDocument)
		return
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		c.yield(Part{}, Errors{{File: c.s.name, Line: 1, Message: "is UTF-16; want UTF-8"}})
		return
	}
	for !c.stopped && c.err == nil {
		if _, ok := c.next(); !ok {
			return
		}
		c.document()
	}
}

// document goes over a document, and the line that closes it.
func (c *cursor) document() {
	from := c.here()
	marked := c.separator()
	if marked {
		if c.buf[c.pos] == '.' { // what it closes is done
			c.skipLine()
			return
		}
		c.pos += 3
	}
	separated := c.skipSpace()
	switch b, ok := c.next(); {
	case separated || !ok:
		if marked {
			c.part(from, aDocument) // it is empty, or has a tab
		}
	case b == '{' || b == '[':
		c.values(from)
	default:
		c.lines(from)
	}
}

// lines goes over a document of YAML.
func (c *cursor) lines(from mark) {
	list := listLines{}
	for !c.separator() {
		if _, ok := c.next(); !ok {
			break
		}
		list.line(c)
		if c.skipLine() {
			list.other = true
		}
	}
	if end := c.here(); list.is(end) {
		list.items(c, from, end)
		return
	}
	c.part(from, aDocument)
}

// listLines are the lines of a document of YAML that begin in its first column, as far as
// they may be a List of objects.
type listLines struct {
	// other says that it is none, or is to be read as a whole.
	other            bool
	apiVersion, kind string
	names            []string
	// from is where the items begin, to where the field behind them does; dashed says that
	// they begin as a list does.
	from, to mark
	dashed   bool
}

// dash says whether an item of a list begins in a line, behind how many spaces.
func dash(line []byte) (indent int, ok bool) {
	rest := bytes.TrimLeft(line, " ")
	return len(line) - len(rest), isMarker(rest, "-")
}

// maxListLine is how long a line of a List outside of its items may be, but for others than
// apiVersion, kind and items.
const maxListLine = 256

// line looks at the line that begins at c.
func (l *listLines) line(c *cursor) {
	if l.other || c.at() != c.begin {
		return
	}
	if len(l.names) > 0 && l.names[len(l.names)-1] == "items" && l.from.line == 0 {
		l.from = c.here()
	}
	text := c.ahead(maxListLine)
	if l.from.line > 0 && !l.dashed {
		_, l.dashed = dash(text)
		rest := bytes.TrimLeft(text, " \r")
		l.other = !l.dashed && len(rest) > 0 && rest[0] != '#' && rest[0] != '\n'
	}
	if text[0] == ' ' || text[0] == '#' || isMarker(text, "-") || text[0] == '\n' || text[0] == '\r' || text[0] == '\t' {
		return
	}
	text, _, ended := bytes.Cut(text, []byte("\n"))
	name, value, found := strings.Cut(strings.TrimRight(string(text), " \r"), ":")
	for _, n := range l.names {
		l.other = l.other || n == name
	}
	if l.from.line > 0 && l.to.line == 0 {
		l.to = c.here()
	}
	l.names = append(l.names, name)
	value = strings.TrimLeft(value, " ")
	switch name {
	case "apiVersion":
		l.apiVersion = value
	case "kind":
		l.kind = value
	case "items":
		l.other = l.other || value != ""
	}
	l.other = l.other || !found || len(l.names) > 8 || !ended && value != "" && len(text) == maxListLine
}

// is says whether it is a List that can be read item by item; end is where the document ends.
func (l *listLines) is(end mark) bool {
	if l.to.line == 0 {
		l.to = end
	}
	if l.other || !l.dashed || !strings.HasSuffix(l.kind, "List") {
		return false
	}
	for _, text := range []string{l.apiVersion, l.kind} {
		if text == "" || strings.Trim(text, "/.-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return false
		}
		if v, ok := resolved(text); !ok || v != any(text) {
			return false
		}
	}
	return true
}

// items goes over the items, and to the end of the document.
func (l *listLines) items(c *cursor, from, end mark) {
	h := &listHead{apiVersion: l.apiVersion, kind: l.kind, from: l.from.at, to: l.to.at, lines: l.to.line - l.from.line, yaml: true}
	c.to(end)
	c.partOf(from, Part{form: aHead, list: h})
	c.to(l.from)
	indent, index, item := -1, 0, l.from
	for c.at() < l.to.at && !c.stopped && c.err == nil {
		spaces, dashed := dash(c.ahead(maxListLine))
		if dashed && indent < 0 {
			indent = spaces
		} else if dashed && spaces == indent {
			c.partOf(item, Part{form: anItem, list: h, index: index})
			index++
			item = c.here()
		}
		c.skipLine()
	}
	c.partOf(item, Part{form: anItem, list: h, index: index})
	c.to(end)
}

// values goes over a document of JSON, value by value.
func (c *cursor) values(from mark) {
	for first := true; !c.stopped; first = false {
		start := c.here()
		var list listFields
		if !c.value(&list) {
			if first {
				start = from
			}
			c.rest(start, first)
			return
		}
		if list.is() {
			list.items(c, start)
		} else {
			c.part(start, aDocument)
		}
		if c.skipSpace() {
			return
		}
		switch b, ok := c.next(); {
		case !ok:
			return
		case b != '{' && b != '[':
			c.rest(c.here(), false)
			return
		}
	}
}

// rest goes over the rest of a document that is not JSON.
func (c *cursor) rest(from mark, first bool) {
	c.to(from)
	if first && c.separator() {
		c.skipLine()
	}
	for !c.separator() {
		if _, ok := c.next(); !ok {
			break
		}
		c.skipLine()
	}
	form := aDocument
	if !first {
		form = aRest
	}
	if _, more := c.next(); !more && c.at()-from.at > MaxSize {
		c.yield(Part{}, Errors{{File: c.s.name, Line: c.line, Message: "not JSON: it ends too early, or is no JSON from line " + fmt.Sprint(from.line) + " on"}})
		return
	}
	c.part(from, form)
}

// listFields are the fields of a value of JSON, as far as it may be a List of objects.
type listFields struct {
	other            bool
	apiVersion, kind string
	names            []string
	from, to         mark
	// due is what is to come in the object itself.
	due due
}

// due is a token of an object.
type due uint8

const (
	aName due = iota
	aColon
	aFieldValue
	aComma
)

// token records a token and the kind of token that must follow it. A token that is not due
// is a syntax error, so the value is no List.
func (l *listFields) token(is, behind due) {
	if l == nil {
		return
	}
	l.other = l.other || l.due != is
	l.due = behind
}

func (l *listFields) name(text string) {
	for _, n := range l.names {
		l.other = l.other || n == text
	}
	l.names = append(l.names, text)
	l.other = l.other || len(l.names) > 8 || strings.Contains(text, "\\")
}

// text records a string: the name of a field or its value.
func (l *listFields) text(text string) {
	if l == nil {
		return
	}
	if l.due == aName {
		l.name(text)
		l.token(aName, aColon)
		return
	}
	switch l.last() {
	case "kind":
		l.kind = text
	case "apiVersion":
		l.apiVersion = text
	}
	l.token(aFieldValue, aComma)
}

// last is the name of the field that the cursor is in.
func (l *listFields) last() string {
	if len(l.names) == 0 {
		return ""
	}
	return l.names[len(l.names)-1]
}

func (l *listFields) is() bool {
	return !l.other && l.to.line > 0 && strings.HasSuffix(l.kind, "List") && !strings.Contains(l.kind+l.apiVersion, "\\") && l.apiVersion != ""
}

// value skips one JSON value. It reports whether the brackets match and only characters of
// JSON occur outside of strings; the decoder reports other errors later. If the value is an
// object, value collects in list the fields that make it a List. list may be nil.
func (c *cursor) value(list *listFields) bool {
	var open brackets
	for {
		b, ok := c.next()
		if !ok || c.separator() {
			return false
		}
		fields := list.in(open)
		switch b {
		case ' ', '\t', '\r', '\n':
			c.skip()
			continue
		case '{', '[':
			c.skip()
			fields.open(b, c.here())
			if open = append(open, b); len(open) > maxDepth {
				return false
			}
			continue
		case '}', ']':
			if !open.closedBy(b) {
				return false
			}
			open = open[:len(open)-1]
			list.in(open).close(b, c.here())
			c.skip()
		case '"':
			text, ok := c.text(fields != nil)
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
			if !c.word() {
				return false
			}
			fields.token(aFieldValue, aComma)
		}
		if len(open) == 0 {
			return true
		}
	}
}

// brackets are the opening brackets of the maps and lists around a place.
type brackets []byte

// closedBy reports whether the closing bracket b matches the innermost opening one.
func (o brackets) closedBy(b byte) bool {
	return len(o) > 0 && o[len(o)-1] == b-2 // in ASCII, ] is [ + 2, and } is { + 2
}

// in returns l if a place inside these brackets is directly inside the outermost object, else
// nil. The methods that value calls on the result do nothing for nil.
func (l *listFields) in(open brackets) *listFields {
	if len(open) != 1 || open[0] != '{' {
		return nil
	}
	return l
}

// open records that the value of a field opens with bracket b, before the given mark.
func (l *listFields) open(b byte, behind mark) {
	if l == nil {
		return
	}
	l.token(aFieldValue, aComma)
	if b == '[' && l.last() == "items" {
		l.from = behind
	}
}

// close records that the value of a field closes with bracket b at the given mark.
func (l *listFields) close(b byte, at mark) {
	if l == nil || l.last() != "items" {
		return
	}
	l.to = at
	l.other = l.other || b != ']'
}

// separator records a colon or a comma.
func (l *listFields) separator(b byte) {
	if b == ':' {
		l.token(aColon, aFieldValue)
	} else {
		l.token(aComma, aName)
	}
}

// text goes over a string, and returns what is in its quotes if that is wanted and short.
func (c *cursor) text(wanted bool) (text string, ok bool) {
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

// word goes over a number, true, false or null, or what looks like one.
func (c *cursor) word() bool {
	n := 0
	for ; ; n++ {
		b, ok := c.next()
		if !ok || b != '-' && b != '+' && b != '.' && (b < '0' || b > '9') && (b < 'a' || b > 'z') && b != 'E' {
			return n > 0
		}
		c.pos++
	}
}

// items goes over the items of a List that ends here and begins at start.
func (l *listFields) items(c *cursor, start mark) {
	end := c.here()
	h := &listHead{apiVersion: l.apiVersion, kind: l.kind, from: l.from.at, to: l.to.at, lines: l.to.line - l.from.line}
	c.partOf(start, Part{form: aHead, list: h})
	c.to(l.from)
	for index := 0; !c.stopped && c.err == nil; index++ {
		c.skipSpace()
		if c.at() == l.to.at {
			break // behind a comma, YAML has no item either
		}
		item := c.here()
		if !c.value(nil) || c.at() > l.to.at {
			c.to(l.to)
			c.partOf(item, Part{list: h, index: index})
			break
		}
		c.partOf(item, Part{list: h, index: index})
		c.skipSpace()
		if c.at() == l.to.at {
			break
		}
		comma := c.here()
		if b, _ := c.next(); b != ',' {
			c.pos++
			c.partOf(comma, Part{form: noComma, list: h, index: index + 1})
			break
		}
		c.skip()
	}
	c.to(end)
}

// Contains says whether a text is in a part, as it is spelled there.
func (s *Stream) Contains(p *Part, text string) bool {
	data, err := s.bytes(p)
	return err != nil || bytes.Contains(data, []byte(text))
}
