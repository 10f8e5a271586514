// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
)

// decodeYAML returns the value of a YAML document as Kubernetes reads it: with
// the YAML 1.1 decoder that sigs.k8s.io/yaml uses, then as if through JSON.
func (d *document) decodeYAML() (any, Errors) {
	if n := len(d.data); n > 0 && d.data[n-1] != '\n' {
		// kubectl ends every line, so a block scalar at the end of the file ends with a newline.
		d.data = append(d.data[:n:n], '\n')
	}
	if v, ok := readBlock(d.data); ok {
		return v, nil
	}
	return d.decodeAny()
}

// decodeAny is decodeYAML, however the document is written.
func (d *document) decodeAny() (any, Errors) {
	var tree any
	err := d.unmarshal(&tree, true)
	if err != nil && onlyDuplicates(err) {
		// The strict decoder also takes a key for a duplicate that overrides
		// one merged in with <<.
		if dups := d.duplicates(); len(dups) > 0 {
			return nil, dups
		}
		tree = nil
		err = d.unmarshal(&tree, false)
	}
	if err != nil {
		return nil, d.syntaxErrors(err)
	}
	v, fault := d.plain(tree)
	if fault != nil {
		// The first one by name: the same document is to have the same error.
		d.byName = true
		_, fault = d.plain(tree)
		at := root{d, 0, nil}.near(fault.steps)
		return nil, Errors{{File: d.file, Line: at.Line, Column: at.Column, Path: fault.path(), Message: fault.message}}
	}
	return v, nil
}

// unmarshal reads all of the document: yamlv2.Unmarshal would pass over what follows
// a first value, such as the rest of a stream of JSON of which one value is broken.
func (d *document) unmarshal(tree *any, strict bool) error {
	dec := yamlv2.NewDecoder(bytes.NewReader(d.data))
	dec.SetStrict(strict)
	if err := dec.Decode(tree); err != nil && err != io.EOF {
		return err
	}
	var more any
	switch err := dec.Decode(&more); err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("did not find expected <document start>")
	default:
		return err
	}
}

func onlyDuplicates(err error) bool {
	var te *yamlv2.TypeError
	if !errors.As(err, &te) {
		return false
	}
	for _, e := range te.Errors {
		if !strings.Contains(e, "already set in map") {
			return false
		}
	}
	return true
}

// duplicates returns an error for each key that its mapping has twice.
func (d *document) duplicates() Errors {
	n := d.node(0)
	if n == nil {
		return nil
	}
	var errs Errors
	var walk func(n *yaml.Node, path string)
	walk = func(n *yaml.Node, path string) {
		switch n.Kind {
		case yaml.SequenceNode:
			for i, c := range n.Content {
				walk(c, fmt.Sprintf("%s[%d]", path, i))
			}
		case yaml.MappingNode:
			first := map[string]int{}
			for i := 0; i+1 < len(n.Content); i += 2 {
				k := n.Content[i]
				if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" {
					continue
				}
				name := keyText(k)
				at := path + "." + name
				if line, ok := first[name]; ok {
					errs = append(errs, &Error{
						File: d.file, Line: k.Line, Column: k.Column, Path: at,
						Message: fmt.Sprintf("key given twice, first on line %d", line),
					})
				} else {
					first[name] = k.Line
				}
				walk(n.Content[i+1], at)
			}
		}
	}
	walk(n, "")
	return errs
}

// fault is a value that JSON does not have.
type fault struct {
	// steps lead to the value, from the inside out.
	steps   []any
	message string
}

func (f *fault) at(step any) *fault {
	f.steps = append(f.steps, step)
	return f
}

func (f *fault) path() string {
	var b strings.Builder
	for i := len(f.steps) - 1; i >= 0; i-- {
		switch s := f.steps[i].(type) {
		case string:
			b.WriteString("." + s)
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		}
	}
	return b.String()
}

// plain turns what the decoder made into what is left of it after a trip
// through JSON.
func (d *document) plain(v any) (any, *fault) {
	switch v := v.(type) {
	case map[any]any:
		out := make(map[string]any, len(v))
		for k, c := range d.entries(v) {
			name, ok := keyName(k)
			if !ok {
				return nil, &fault{message: fmt.Sprintf("want a string as key, got %s", kindOf(k))}
			}
			if _, isBool := k.(bool); isBool {
				d.boolKeys = true
			}
			if _, twice := out[name]; twice {
				return nil, (&fault{message: "key given twice, once as a string"}).at(name)
			}
			p, f := d.plain(c)
			if f != nil {
				return nil, f.at(name)
			}
			out[name] = p
		}
		return out, nil
	case []any:
		for i, c := range v {
			p, f := d.plain(c)
			if f != nil {
				return nil, f.at(i)
			}
			v[i] = p
		}
		return v, nil
	case int:
		return int64(v), nil
	case uint64:
		return float64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &fault{message: "NaN and infinity are no JSON numbers; quote it if it is a text"}
		}
		return number(v), nil
	}
	return v, nil
}

// entries are those of m, by name if something is wrong with the document.
func (d *document) entries(m map[any]any) iter.Seq2[any, any] {
	if !d.byName {
		return maps.All(m)
	}
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b any) int {
		return cmp.Or(cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)), cmp.Compare(fmt.Sprintf("%T", a), fmt.Sprintf("%T", b)))
	})
	return func(yield func(any, any) bool) {
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// number is an integer if JSON would write v like one.
func number(v float64) any {
	if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
		return int64(v)
	}
	return v
}

// keyName is how a key that is no string is spelled once it is one.
func keyName(k any) (string, bool) {
	switch k := k.(type) {
	case string:
		return k, true
	case int:
		return strconv.Itoa(k), true
	case int64:
		return strconv.FormatInt(k, 10), true
	case bool:
		return strconv.FormatBool(k), true
	case float64:
		switch {
		case math.IsInf(k, 1):
			return ".inf", true
		case math.IsInf(k, -1):
			return "-.inf", true
		case math.IsNaN(k):
			return ".nan", true
		}
		return strconv.FormatFloat(k, 'g', -1, 32), true
	}
	return "", false
}

var lineNumber = regexp.MustCompile(`^line (\d+): `)

// syntaxErrors are the messages of the decoder with the lines of the file, and with
// what mends them where that is known.
func (d *document) syntaxErrors(err error) Errors {
	messages := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	var te *yamlv2.TypeError
	if errors.As(err, &te) {
		messages = te.Errors
	}
	errs := make(Errors, len(messages))
	for i, m := range messages {
		errs[i] = d.syntaxError(m)
	}
	return errs
}

// fromParser begins the messages of the decoder that count lines from 0; others count
// from 1.
var fromParser = regexp.MustCompile(`^did not find expected (key|',' or|node content|'-' indicator|<)`)

// valueIn finds the value in messages of the decoder that have one and no line. What is
// said instead is its line: it may be what a Secret holds.
var valueIn = regexp.MustCompile("(?s)^(unknown anchor|cannot decode !!\\w+) ['`](.+)['`]( referenced| as a)")

func (d *document) syntaxError(message string) *Error {
	if strings.HasPrefix(message, "invalid map key: ") {
		return d.keyError()
	}
	n := 1
	if found := lineNumber.FindStringSubmatch(message); found != nil {
		n, _ = strconv.Atoi(found[1]) // the pattern allows digits only
		message = message[len(found[0]):]
		if fromParser.MatchString(message) {
			n++
		}
	}
	lines := bytes.Split(bytes.TrimRight(d.data, " \t\r\n"), []byte("\n"))
	if found := valueIn.FindStringSubmatchIndex(message); found != nil {
		value := []byte(message[found[4]:found[5]])
		message = message[:found[3]] + message[found[6]:]
		if at := slices.IndexFunc(lines, func(line []byte) bool { return bytes.Contains(line, value) }); at >= 0 {
			n = at + 1
		}
	}
	n = min(n, len(lines))
	hint, column := mend(message, string(lines[n-1]))
	if column == 0 {
		if text, ok := template(lines); ok {
			n, column, hint = text.Line, text.Column, templateHint
		}
	}
	return &Error{File: d.file, Line: d.line + n - 1, Column: column, Message: "not YAML: " + message + hint}
}

const templateHint = ": {{ }} belongs to a template; render it first, as helm template does"

// template returns where the first {{ stands.
func template(lines [][]byte) (at Position, ok bool) {
	for i, line := range lines {
		if at := bytes.Index(line, []byte("{{")); at >= 0 {
			return Position{Line: i + 1, Column: column(string(line), at)}, true
		}
	}
	return Position{}, false
}

// mend returns what would mend a line that the decoder cannot read, and the column
// where it goes wrong; 0 if that is not known.
func mend(message, line string) (hint string, at int) {
	body := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(body)]
	tab := strings.IndexByte(indent, '\t')
	switch {
	case tab >= 0 && (strings.Contains(message, "tab character") || strings.Contains(message, "cannot start any token")):
		return ": YAML is indented with spaces, not tabs", column(line, tab)
	case strings.Contains(message, "cannot start any token"):
		if i := strings.IndexAny(line, "@`%\t"); i >= 0 {
			return ": quote a text that begins with " + strconv.Quote(line[i:i+1]), column(line, i)
		}
	case strings.Contains(message, "mapping values are not allowed"):
		first := strings.Index(line, ": ")
		if second := strings.Index(line[first+1:], ": "); first >= 0 && second >= 0 {
			return `: there is a ": " too many in the line; quote the text that has it`, column(line, first+1+second)
		}
		return ": the line above has a value already; is this one indented too far?", column(line, len(indent))
	case strings.Contains(message, "did not find expected key"), strings.Contains(message, "'-' indicator"):
		return ": is the line indented as those above it?", column(line, len(indent))
	case strings.Contains(message, "<document start>"):
		return ": the value before this line is whole; a line --- goes between two", column(line, len(indent))
	case strings.Contains(message, "unexpected end of stream"):
		return ": a quote is opened and not closed", 0
	case strings.Contains(message, "unknown anchor"):
		return `: quote a text that begins with "*"`, 0
	}
	return "", 0
}

// column counts the characters of line before the byte at, and one.
func column(line string, at int) int { return utf8.RuneCountInString(line[:at]) + 1 }

// keyError says which key is no text, of a document that has one.
func (d *document) keyError() *Error {
	e := &Error{File: d.file, Line: d.line, Message: "not YAML: want a string as key"}
	var walk func(n *yaml.Node, path string) bool
	walk = func(n *yaml.Node, path string) bool {
		for i, c := range n.Content {
			at := path
			switch n.Kind {
			case yaml.SequenceNode:
				at += "[" + strconv.Itoa(i) + "]"
			case yaml.MappingNode:
				if k := n.Content[i&^1]; i%2 == 0 && (c.Kind == yaml.MappingNode || c.Kind == yaml.SequenceNode) {
					e.Line, e.Column, e.Path = c.Line, c.Column, path
					e.Message += ", got " + map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list"}[c.Kind]
					if n.Style&c.Style&yaml.FlowStyle != 0 {
						e.Message += templateHint
					}
					return true
				} else if i%2 == 1 {
					at += "." + keyText(k)
				}
			}
			if walk(c, at) {
				return true
			}
		}
		return false
	}
	if n := d.node(0); n != nil {
		walk(n, "")
	}
	return e
}
