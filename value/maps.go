// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

// stringMap is a map of plain data.
type stringMap map[string]interface{}

func (m stringMap) Set(key string, val Value) {
	m[key] = val.Unstructured()
}

func (m stringMap) Get(key string) (Value, bool) {
	v, ok := m[key]
	if !ok {
		return nil, false
	}
	return NewValueInterface(v), true
}

func (m stringMap) GetUsing(_ Allocator, key string) (Value, bool) {
	return m.Get(key)
}

func (m stringMap) Has(key string) bool {
	_, ok := m[key]
	return ok
}

func (m stringMap) Delete(key string) {
	delete(m, key)
}

func (m stringMap) Equals(other Map) bool {
	switch o := other.(type) {
	case stringMap:
		return equalMaps(m, o, 0)
	case interfaceMap:
		return equalToAnyMap(m, o, 0)
	}
	return hasEqualEntries(m, other)
}

func (m stringMap) EqualsUsing(_ Allocator, other Map) bool {
	return m.Equals(other)
}

func (m stringMap) Iterate(fn func(key string, value Value) bool) bool {
	if len(m) == 0 {
		return true
	}
	box := &valueUnstructured{}
	for k, v := range m {
		box.Value = v
		if !fn(k, box) {
			return false
		}
	}
	return true
}

func (m stringMap) IterateUsing(_ Allocator, fn func(key string, value Value) bool) bool {
	return m.Iterate(fn)
}

func (m stringMap) Length() int {
	return len(m)
}

func (m stringMap) Empty() bool {
	return len(m) == 0
}

func (m stringMap) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

func (m stringMap) ZipUsing(_ Allocator, other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

// interfaceMap is a map of plain data as YAML decodes it. Keys that are no
// strings are not there.
type interfaceMap map[interface{}]interface{}

func (m interfaceMap) Set(key string, val Value) {
	m[key] = val.Unstructured()
}

func (m interfaceMap) Get(key string) (Value, bool) {
	v, ok := m[key]
	if !ok {
		return nil, false
	}
	return NewValueInterface(v), true
}

func (m interfaceMap) GetUsing(_ Allocator, key string) (Value, bool) {
	return m.Get(key)
}

func (m interfaceMap) Has(key string) bool {
	_, ok := m[key]
	return ok
}

func (m interfaceMap) Delete(key string) {
	delete(m, key)
}

func (m interfaceMap) Equals(other Map) bool {
	switch o := other.(type) {
	case stringMap:
		return equalFromAnyMap(m, o, 0)
	case interfaceMap:
		return equalAnyMaps(m, o, 0)
	}
	return hasEqualEntries(m, other)
}

func (m interfaceMap) EqualsUsing(_ Allocator, other Map) bool {
	return m.Equals(other)
}

func (m interfaceMap) Iterate(fn func(key string, value Value) bool) bool {
	if len(m) == 0 {
		return true
	}
	box := &valueUnstructured{}
	for k, v := range m {
		name, ok := k.(string)
		if !ok {
			continue
		}
		box.Value = v
		if !fn(name, box) {
			return false
		}
	}
	return true
}

func (m interfaceMap) IterateUsing(_ Allocator, fn func(key string, value Value) bool) bool {
	return m.Iterate(fn)
}

func (m interfaceMap) Length() int {
	return stringKeys(m)
}

func (m interfaceMap) Empty() bool {
	for k := range m {
		if _, ok := k.(string); ok {
			return false
		}
	}
	return true
}

func (m interfaceMap) Zip(other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

func (m interfaceMap) ZipUsing(_ Allocator, other Map, order MapTraverseOrder, fn func(key string, lhs, rhs Value) bool) bool {
	return zip(m, other, order, fn)
}

// hasEqualEntries reports whether m has as many entries as other and an equal
// one for each of other's.
func hasEqualEntries(m, other Map) bool {
	if m.Length() != other.Length() {
		return false
	}
	if m.Empty() {
		return true
	}
	return other.Iterate(func(key string, want Value) bool {
		v, ok := m.Get(key)
		return ok && Equals(v, want)
	})
}
