// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	yamlv2 "go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// maxPart is the number of values that one call of the YAML encoder may encode. The encoder holds
// several kilobytes for each value until the call returns, so a small number saves memory.
const maxPart = 2000

// YAML writes v with sorted keys. It does not wrap long lines.
func YAML(w io.Writer, v any) error { return new(Order).yaml(w, v) }

// Order speeds up writing YAML with sorted keys. It caches the sorted keys of the largest map so
// far, because sorting takes longer than writing and similar maps often have the same keys. The
// zero value is ready to use.
type Order struct{ names []string }

// init sets a global option of the encoder, which must not change while values are written.
func init() { yamlv2.FutureLineWrap() }

func (o *Order) yaml(w io.Writer, v any) error {
	return o.writePart(w, v, "", maxPart)
}

// writePart writes v with an indent. To save memory, it splits v into pieces, and calls the encoder
// once for each piece. The output is the same as from a single call. Each piece has about pieceSize
// values. pieceSize must be at least 2.
func (o *Order) writePart(w io.Writer, v any, indent string, pieceSize int) error {
	if data.CountUpTo(v, pieceSize) < pieceSize {
		return writeWhole(w, v, indent)
	}
	switch v := v.(type) {
	case map[string]any:
		return o.writeFields(w, v, indent, pieceSize)
	case []any:
		for len(v) > 0 {
			if data.CountUpTo(v[0], pieceSize) >= pieceSize {
				below := indent + "  "
				if err := o.writePart(&itemWriter{w: w, indent: indent, left: len(below)}, v[0], below, pieceSize); err != nil {
					return err
				}
				v = v[1:]
				continue
			}
			n, values := 0, 0
			for n < len(v) && values < pieceSize {
				count := data.CountUpTo(v[n], pieceSize)
				if count >= pieceSize {
					break
				}
				values += count
				n++
			}
			if err := writeWhole(w, v[:n], indent); err != nil {
				return err
			}
			v = v[n:]
		}
		return nil
	}
	return writeWhole(w, v, indent)
}

// itemWriter turns indented text into an item of a list: it puts a dash before the first line.
type itemWriter struct {
	w      io.Writer
	indent string
	left   int // bytes that remain of the first line's indent
}

func (w *itemWriter) Write(text []byte) (int, error) {
	n := min(w.left, len(text))
	if n > 0 {
		if w.left -= n; w.left == 0 {
			if _, err := io.WriteString(w.w, w.indent+"- "); err != nil {
				return 0, err
			}
		}
	}
	if _, err := w.w.Write(text[n:]); err != nil {
		return 0, err
	}
	return len(text), nil
}

func (o *Order) writeFields(w io.Writer, fields map[string]any, indent string, most int) error {
	names, err := o.sortedKeys(fields)
	if err != nil {
		return err
	}
	var some yamlv2.MapSlice
	values := 0
	flush := func() error {
		defer func() { some, values = some[:0], 0 }()
		if len(some) == 0 {
			return nil
		}
		return writeWhole(w, some, indent)
	}
	for _, name := range names {
		v := fields[name]
		n := data.CountUpTo(v, most)
		if n < most {
			some = append(some, yamlv2.MapItem{Key: name, Value: v})
			if values += n; values < most {
				continue
			}
			if err := flush(); err != nil {
				return err
			}
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		var key bytes.Buffer
		if err := writeWhole(&key, yamlv2.MapSlice{{Key: name}}, indent); err != nil {
			return err
		}
		if key.Bytes()[len(indent)] == '?' { // the encoder writes "? " before a key that is very long or has several lines
			if err := writeWhole(w, yamlv2.MapSlice{{Key: name, Value: v}}, indent); err != nil {
				return err
			}
			continue
		}
		if _, err := w.Write(append(bytes.TrimSuffix(key.Bytes(), []byte(" null\n")), '\n')); err != nil {
			return err
		}
		below := indent
		if _, isMap := v.(map[string]any); isMap {
			below += "  " // list items have the same indent as the name of the list
		}
		if err := o.writePart(w, v, below, most); err != nil {
			return err
		}
	}
	return flush()
}

// sortedKeys returns the keys of a map in YAML order, from the cache if possible.
func (o *Order) sortedKeys(fields map[string]any) ([]string, error) {
	known := len(o.names) == len(fields)
	for i := 0; known && i < len(o.names); i++ {
		_, known = fields[o.names[i]]
	}
	if known {
		return o.names, nil
	}
	names, err := yamlOrder(fields)
	if len(names) >= len(o.names) {
		o.names = names
	}
	return names, err
}

// yamlOrder returns the keys of a map in the order in which the YAML encoder writes them. The
// encoder compares numbers in keys by value, so a2 comes before a10.
func yamlOrder(fields map[string]any) ([]string, error) {
	bare := make(map[string]any, len(fields))
	for name := range fields {
		bare[name] = nil
	}
	text, err := yamlv2.Marshal(bare)
	if err != nil {
		return nil, err
	}
	var sorted yamlv2.MapSlice
	if err := yamlv2.Unmarshal(text, &sorted); err != nil {
		return nil, err
	}
	names := make([]string, len(sorted))
	for i := range sorted {
		names[i], _ = sorted[i].Key.(string) // each key was a string when it was encoded
	}
	return names, nil
}

func writeWhole(w io.Writer, v any, indent string) error {
	text, err := yamlv2.Marshal(v)
	if err != nil {
		return err
	}
	if indent == "" {
		_, err = w.Write(text)
		return err
	}
	for line := range bytes.Lines(text) {
		if len(line) > 1 {
			if _, err := io.WriteString(w, indent); err != nil {
				return err
			}
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// ThroughYAML converts a Go value that has YAML tags to maps, lists and scalars.
func ThroughYAML(v any) (any, error) {
	text, err := yamlv2.Marshal(v)
	if err != nil {
		return nil, err
	}
	docs, err := manifest.ReadValues("schema", text)
	if err != nil || len(docs) != 1 {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return docs[0], nil
}

// YAMLLines returns v as YAML, split into lines.
func YAMLLines(v any) []string { return strings.Split(new(Order).YAMLText(v), "\n") }

// YAMLText returns v as YAML, without the final line break. If v cannot be encoded, it returns
// the result of fmt.Sprint.
func (o *Order) YAMLText(v any) string {
	var b strings.Builder
	if err := o.yaml(&b, v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
