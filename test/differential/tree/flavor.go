// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"encoding/json"
	"strconv"
)

// Flavor selects the Go types in which the data of a base tree is represented.
type Flavor string

const (
	JSON    Flavor = "json"    // map[string]any, int64, float64
	YAML    Flavor = "yaml"    // a text for the engine to parse
	AnyMap  Flavor = "anymap"  // map[any]any and int, as yaml.v2 decodes
	OddKeys Flavor = "oddkeys" // like AnyMap, but keys that look like numbers are ints
	Mixed   Flavor = "mixed"   // both kinds of maps, all kinds of numbers
	Strange Flavor = "strange" // data with Go types that are not plain data
	Struct  Flavor = "struct"  // a pointer to a Go struct
)

// Build returns the data of a base tree in the Go types of a flavor. The flavor must not be
// YAML or Struct. All maps and lists are new.
func Build(v any, f Flavor) any {
	b := builder{flavor: f}
	return b.build(v)
}

type builder struct {
	flavor Flavor
	n      int
}

func (b *builder) build(v any) any {
	b.n++
	switch t := v.(type) {
	case bool:
		if b.flavor == Strange && b.n%2 == 0 {
			return complex(1, 2)
		}
	case int64:
		return b.integer(t)
	case float64:
		return b.float(t)
	case []any:
		out := make([]any, len(t))
		for i, item := range t {
			out[i] = b.build(item)
		}
		if b.flavor == Strange && b.n%3 == 0 {
			return strings(out)
		}
		return out
	case map[string]any:
		if b.asAnyMap() {
			out := make(map[any]any, len(t))
			for _, k := range Keys(t) {
				out[b.key(k)] = b.build(t[k])
			}
			return out
		}
		out := make(map[string]any, len(t))
		for _, k := range Keys(t) {
			out[k] = b.build(t[k])
		}
		return out
	}
	return v
}

func (b *builder) asAnyMap() bool {
	switch b.flavor {
	case AnyMap, OddKeys:
		return true
	case Mixed, Strange:
		return b.n%2 == 0
	}
	return false
}

func (b *builder) key(k string) any {
	if b.flavor == OddKeys && OddKey(k) {
		return int(k[0] - '0')
	}
	return k
}

// OddKey reports whether a key becomes an int in the flavor OddKeys.
func OddKey(k string) bool { return len(k) == 1 && k[0] >= '0' && k[0] <= '9' }

func (b *builder) integer(i int64) any {
	switch b.flavor {
	case AnyMap, OddKeys:
		return int(i)
	case Mixed:
		switch b.n % 8 {
		case 0:
			return int(i)
		case 1:
			return int32(i)
		case 2:
			return int16(i)
		case 3:
			return uint32(i)
		case 4:
			return uint8(i)
		case 5:
			return int8(i)
		case 6:
			return uint(uint16(i))
		}
	case Strange:
		switch b.n % 3 {
		case 0:
			return uint64(i)
		case 1:
			return json.Number(strconv.FormatInt(i, 10))
		}
	}
	return i
}

func (b *builder) float(f float64) any {
	if b.flavor == Mixed && b.n%2 == 0 {
		return float32(f)
	}
	return f
}

// strings converts a list of strings to a []string. It returns other lists unchanged.
func strings(list []any) any {
	out := make([]string, 0, len(list))
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return list
		}
		out = append(out, s)
	}
	return out
}
