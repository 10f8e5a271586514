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

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// decodeYAML returns the value of a YAML document as Kubernetes reads it: decoded as YAML
// 1.1 by sigs.k8s.io/yaml, then converted as if through JSON.
func (d *document) decodeYAML() (any, Errors) {
	if n := len(d.data); n > 0 && d.data[n-1] != '\n' {
		// kubectl adds a missing newline at the end of a file. A block scalar at the end of the
		// file then ends with a newline.
		d.data = append(d.data[:n:n], newlineOf(d.data)...)
	}
	if bytes.Contains(d.data, []byte("\r\r\n")) {
		d.data = bytes.ReplaceAll(d.data, []byte("\r\r\n"), []byte("\r\n")) // kubectl removes one \r from each line end
	}
	if v, ok := readBlock(d.data); ok {
		return v, nil
	}
	return d.decodeAny()
}

// decodeAny decodes a document in any YAML style. In contrast, readBlock supports only
// the common styles.
func (d *document) decodeAny() (any, Errors) {
	var tree any
	err := d.unmarshal(&tree, true)
	if err != nil && onlyDuplicates(err) {
		// A mapping may override a key that its merge key (<<) provides. The strict decoder
		// reports this as a duplicate, although YAML allows it.
		if dups := d.duplicates(); len(dups) > 0 {
			return nil, dups
		}
		tree = nil
		err = d.unmarshal(&tree, false)
	}
	if err != nil {
		return nil, d.syntaxErrors(err)
	}
	v, fault := d.toJSON(tree)
	if fault != nil {
		// Visit keys in alphabetical order, so that the reported error does not depend on map
		// order.
		d.sortKeys = true
		_, fault = d.toJSON(tree)
		at := root{d, 0, nil}.positionOfReversed(fault.steps)
		return nil, Errors{{File: d.file, Line: at.Line, Column: at.Column, Path: fault.path(), Message: fault.message}}
	}
	return v, nil
}

// unmarshal decodes the whole document. It does not call yamlv2.Unmarshal, because that
// function ignores text after the first value, such as further JSON values after a
// syntax error.
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

// duplicates returns an error for each duplicate key in the document.
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
						Message: fmt.Sprintf("duplicate key, first used on line %d%s", line, booleanHint(name, k)),
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

// booleanHint returns a hint for a key that YAML reads as a boolean. For such a key, name
// is "true" or "false".
func booleanHint(name string, key *yaml.Node) string {
	if name != "true" && name != "false" || key.Style != 0 {
		return ""
	}
	return flow.BooleanHint(key.Value)
}

// fault describes a value that JSON cannot represent.
type fault struct {
	// steps is the path of the value in reverse order.
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

// toJSON converts a value from the types that the YAML decoder uses to the types that the JSON decoder
// uses.
func (d *document) toJSON(v any) (any, *fault) {
	switch v := v.(type) {
	case map[any]any:
		out := make(map[string]any, len(v))
		for k, c := range d.entries(v) {
			name, ok := keyName(k)
			if !ok {
				return nil, &fault{message: fmt.Sprintf("want a string as a key, got %s", kindOf(k))}
			}
			if _, isString := k.(string); !isString {
				d.otherKeys = true
			}
			if _, twice := out[name]; twice {
				return nil, (&fault{message: "duplicate key, once as a string"}).at(name)
			}
			p, f := d.toJSON(c)
			if f != nil {
				return nil, f.at(name)
			}
			out[name] = p
		}
		return out, nil
	case []any:
		for i, c := range v {
			p, f := d.toJSON(c)
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
			return nil, &fault{message: "NaN and infinity are not JSON numbers; quote the value if it is a string"}
		}
		return number(v), nil
	}
	return v, nil
}

// entries iterates over the entries of a map. If sortKeys is set, it visits them in the order of the
// keys.
func (d *document) entries(m map[any]any) iter.Seq2[any, any] {
	if !d.sortKeys {
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

// number returns v as an integer if the JSON text of v has neither a fraction nor
// an exponent.
func number(v float64) any {
	if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
		return int64(v)
	}
	return v
}

// keyName returns the JSON field name for a key. ok is false if the key cannot be a field
// name.
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

// syntaxErrors converts the decoder's messages to errors. Each error contains its line in the
// file and, if one is known, a fix.
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

// fromParser matches the decoder messages that count lines from 0. All other messages
// count lines from 1.
var fromParser = regexp.MustCompile(`^did not find expected (key|',' or|node content|'-' indicator|<)`)

// valueIn matches decoder messages that contain a value but no line. The value may be secret, so
// syntaxError removes it from the message and reports the line of the value instead.
var valueIn = regexp.MustCompile("(?s)^(unknown anchor|cannot decode !!\\w+) ['`](.+)['`]( referenced| as a)")

func (d *document) syntaxError(message string) *Error {
	if strings.HasPrefix(message, "invalid map key: ") {
		return d.keyError()
	}
	n := 1
	if found := lineNumber.FindStringSubmatch(message); found != nil {
		n, _ = strconv.Atoi(found[1]) // the pattern matches only digits
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
	hint, column := suggestFix(message, string(lines[n-1]))
	if open := openQuote(lines[:n]); open > 0 && strings.HasPrefix(message, "did not find expected key") {
		hint = fmt.Sprintf("%s, and that the quote on line %d is closed", hint, d.line+open-1)
	}
	if column == 0 {
		if text, ok := template(lines); ok {
			n, column, hint = text.Line, text.Column, templateHint
		}
	}
	return &Error{File: d.file, Line: d.line + n - 1, Column: column, Message: "not YAML: " + message + hint}
}

const templateHint = ": {{ }} is template syntax; render the template first, for example with helm template"

// template returns the position of the first {{ in a document.
func template(lines [][]byte) (at Position, ok bool) {
	for i, line := range lines {
		if at := bytes.Index(line, []byte("{{")); at >= 0 {
			return Position{Line: i + 1, Column: column(string(line), at)}, true
		}
	}
	return Position{}, false
}

// suggestFix returns a fix for a line that the decoder cannot read, and the column of the
// error. The column is 0 if it is not known.
func suggestFix(message, line string) (hint string, at int) {
	body := strings.TrimLeft(line, " \t")
	indent := line[:len(line)-len(body)]
	tab := strings.IndexByte(indent, '\t')
	switch {
	case tab >= 0 && (strings.Contains(message, "tab character") || strings.Contains(message, "cannot start any token")):
		return ": indent with spaces instead of tabs", column(line, tab)
	case strings.Contains(message, "cannot start any token"):
		if i := strings.IndexAny(line, "@`%\t"); i >= 0 {
			return ": quote a string that begins with " + strconv.Quote(line[i:i+1]), column(line, i)
		}
	case strings.Contains(message, "mapping values are not allowed"):
		first := strings.Index(line, ": ")
		if second := strings.Index(line[first+1:], ": "); first >= 0 && second >= 0 {
			return `: the line has ": " twice; quote the string that contains it`, column(line, first+1+second)
		}
		return ": the line above has a value already; check the indentation of this line", column(line, len(indent))
	case strings.Contains(message, "did not find expected key"), strings.Contains(message, "'-' indicator"):
		return ": check that the line has the same indentation as those above it", column(line, len(indent))
	case strings.Contains(message, "<document start>"):
		return ": the value above this line is complete; separate two documents with the line \"---\"", column(line, len(indent))
	case strings.Contains(message, "unexpected end of stream"):
		return ": close the quote", 0
	case strings.Contains(message, "unknown anchor"):
		return `: quote a string that begins with "*"`, 0
	}
	return "", 0
}

// quotedValue matches a line whose value starts with a quote, and captures the quote and the text
// after it.
var quotedValue = regexp.MustCompile(`^[^"'#]*(?::|-) +(["'])(.*)$`)

// openQuote searches the lines above the last line for a quote that is probably not closed. It returns
// the number of the line with the quote, or 0. It finds only a quote whose next matching quote is on
// the last line.
func openQuote(lines [][]byte) int {
	last := len(lines) - 1
	for i := last - 1; i >= 0; i-- {
		found := quotedValue.FindSubmatch(lines[i])
		if found == nil {
			continue
		}
		quote := found[1]
		if bytes.Contains(found[2], quote) || !bytes.Contains(lines[last], quote) || bytes.Contains(bytes.Join(lines[i+1:last], nil), quote) {
			return 0
		}
		return i + 1
	}
	return 0
}

// column converts a byte index in a line to a column. Columns are counted in characters,
// starting at 1.
func column(line string, at int) int { return utf8.RuneCountInString(line[:at]) + 1 }

// keyError returns the error for a document that has a mapping or a list as a key.
func (d *document) keyError() *Error {
	e := &Error{File: d.file, Line: d.line, Message: "not YAML: want a string as a key"}
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
