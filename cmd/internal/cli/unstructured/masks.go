// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package unstructured

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Masks hides the values of Secrets. Commands mask an object as soon as they have read it, so that
// no output contains a value. When a command prints an object that users can apply, it restores
// the values. In one run, equal values have the same mask in all objects, in data and in
// stringData. Masks is safe for concurrent use.
type Masks struct {
	// off disables masks.
	off bool
	// masks maps each value to its mask. A value is in base64, as in the field data, or comes from
	// an annotation.
	masks map[string]string
	// values maps each mask to its value.
	values map[string]string
	// numbers maps numbers and booleans, as text, to their masks.
	numbers map[string]int64
	// others maps the masks of numbers and booleans to their values.
	others map[int64]any
	// kinds holds the API version and kind of each masked object that only looked like a Secret. A
	// merge may remove the field that made the object look like a Secret, so Reveal cannot
	// recognize the object without this list.
	kinds map[[2]string]bool
	mu    sync.RWMutex
}

// Register adds the flag --show-secrets.
func (m *Masks) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&m.off, "show-secrets", false, "show the values of Secrets in diffs, reports and messages; by default, these contain masks instead (equal values have the same mask)")
}

var maskForm = regexp.MustCompile(`^\*\*\* \(\d+\)$`)

// isMask reports whether a string in a Secret has the form of a mask.
func isMask(text string) bool { return maskForm.MatchString(text) }

// numberMasks is the first mask for a number or boolean. Each new mask is smaller by one. These
// masks are numbers themselves, so that validation still reports a number where a string is
// required.
const numberMasks, maxNumberMasks = -8_000_000_000_000_001, 1_000_000_000_000_000

// IsNumberMask reports whether a value in a Secret has the form of a mask for a number or boolean.
func IsNumberMask(v any) bool {
	n, ok := v.(int64)
	return ok && n <= numberMasks && n > numberMasks-maxNumberMasks
}

// Masked reports whether an object is a Secret whose values are masked.
func Masked(object map[string]any) bool {
	if !LooksLikeSecret(object) {
		return false
	}
	masked := false
	text := func(text string) string {
		masked = masked || isMask(text)
		return text
	}
	secretChange{text, text, func(v any) any {
		masked = masked || IsNumberMask(v)
		return v
	}}.apply(Shallow(object))
	return masked
}

// mask returns the mask for a value.
func (m *Masks) mask(text string) string {
	if text == "" {
		return "" // an empty value hides nothing, and validation rules treat empty values differently
	}
	if m.isKnownMask(text) {
		return text // already a mask
	}
	m.mu.Lock()
	mask, ok := m.masks[text]
	if !ok {
		if m.masks == nil {
			m.masks = map[string]string{}
		}
		mask = fmt.Sprintf("*** (%d)", len(m.masks)+1)
		m.masks[strings.Clone(text)] = mask // copy the text, which may keep a whole file in memory
	}
	m.mu.Unlock()
	if !ok {
		m.remember(mask, text)
	}
	return mask
}

// maskOther returns the mask for a number or boolean.
func (m *Masks) maskOther(v any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := v.(int64); ok && m.others[n] != nil {
		return v // already a mask
	}
	text := fmt.Sprintf("%T %v", v, v)
	mask, ok := m.numbers[text]
	if !ok {
		if m.numbers == nil {
			m.numbers, m.others = map[string]int64{}, map[int64]any{}
		}
		mask = numberMasks - int64(len(m.numbers))
		m.numbers[text], m.others[mask] = mask, v
	}
	return mask
}

// unmaskScalar returns the number or boolean that the mask v replaces. If v is not a mask, it
// returns v.
func (m *Masks) unmaskScalar(v any) any {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if n, ok := v.(int64); ok && m.others[n] != nil {
		return m.others[n]
	}
	return v
}

// isKnownMask reports whether a text is a mask that replaces a value.
func (m *Masks) isKnownMask(text string) bool {
	if !isMask(text) {
		return false
	}
	_, ok := m.valueOf(text)
	return ok
}

// valueOf returns the value that a mask replaces. It also reports whether the mask is known.
func (m *Masks) valueOf(mask string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.values[mask]
	return v, ok
}

func (m *Masks) remember(mask, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[string]string{}
	}
	m.values[mask] = strings.Clone(value)
}

func typeOf(object map[string]any) [2]string {
	return [2]string{Text(object, "apiVersion"), Text(object, "kind")}
}

func (m *Masks) rememberKind(object map[string]any) {
	if IsSecret(object) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kinds == nil {
		m.kinds = map[[2]string]bool{}
	}
	m.kinds[typeOf(object)] = true
}

// knownKind reports whether an earlier object of the same kind was masked although it was not a
// Secret.
func (m *Masks) knownKind(object map[string]any) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.kinds[typeOf(object)]
}

// Hide returns a copy of a Secret in which masks replace all values, also in annotations. It treats
// objects that look like Secrets, and the items of a List, in the same way. It returns all other
// objects unchanged. A mask usually has the type of the value, but the mask of a boolean is a
// number.
func (m *Masks) Hide(object map[string]any) map[string]any {
	if m.off {
		return object
	}
	if !LooksLikeSecret(object) {
		return inItems(object, m.Hide)
	}
	m.rememberKind(object)
	out := Shallow(object)
	var texts []string // values to look for in annotations
	secretChange{
		text: func(text string) string {
			if m.isKnownMask(text) {
				return text
			}
			texts = append(texts, text)
			if plain, err := base64.StdEncoding.DecodeString(text); err == nil {
				texts = append(texts, string(plain))
			}
			return m.mask(text)
		},
		stringData: func(text string) string {
			if m.isKnownMask(text) {
				return text
			}
			encoded := base64.StdEncoding.EncodeToString([]byte(text))
			texts = append(texts, text, encoded)
			return m.mask(encoded)
		},
		other: func(v any) any {
			if _, ok := v.(bool); !ok {
				texts = append(texts, fmt.Sprint(v))
			}
			return m.maskOther(v)
		},
	}.apply(out)
	m.annotations(out, func(name, text string) string {
		masked, secret := withSecret(text, m.Hide)
		if masked != "" {
			if masked != text {
				m.remember(masked, text)
			}
			return masked
		}
		if secret || slices.Contains(copyAnnotations, name) || slices.ContainsFunc(texts, func(secret string) bool {
			return len(secret) >= minSecret && strings.Contains(text, secret)
		}) {
			return m.mask(text)
		}
		return text
	})
	return out
}

// inItems calls change for each item of a List, and returns a copy of the List with the results. If
// the object is not a List, it is returned unchanged. An object with items counts as a List if its
// API version is that of a built-in kind, even if the API version is misspelled.
func inItems(object map[string]any, change func(map[string]any) map[string]any) map[string]any {
	items, ok := object["items"].([]any)
	if !ok || !builtIn(object) {
		return object
	}
	changed := slices.Clone(items)
	for i, v := range items {
		if item, ok := v.(map[string]any); ok {
			changed[i] = change(item)
		}
	}
	object = Shallow(object)
	object["items"] = changed
	return object
}

// secretChange changes the values in a Secret. Values may have any type.
type secretChange struct {
	// text changes strings, and also the keys of maps inside a value. stringData changes the
	// strings in stringData.
	text, stringData func(string) string
	// other changes numbers and booleans.
	other func(any) any
}

// plainFields lists the fields of a Secret that cannot contain secret values. plainMetadata lists
// such fields in its metadata. All other fields may be misspelled or misplaced, so they may contain
// a secret value.
var (
	plainFields = []string{"apiVersion", "kind", "metadata", "type", "immutable"}
	// This list contains annotations, because another function masks them: Masks.annotations.
	plainMetadata = []string{
		"annotations", "clusterName", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
		"finalizers", "generateName", "generation", "labels", "managedFields", "name", "namespace",
		"ownerReferences", "resourceVersion", "selfLink", "uid",
	}
)

// apply changes object in place. It copies nested values before it changes them.
func (c secretChange) apply(object map[string]any) {
	c.fields(object, plainFields)
	if metadata, ok := object["metadata"].(map[string]any); ok {
		metadata = Shallow(metadata)
		c.fields(metadata, plainMetadata)
		object["metadata"] = metadata
	}
}

func (c secretChange) fields(object map[string]any, plain []string) {
	for _, field := range SortedKeys(object) {
		values, ok := object[field].(map[string]any)
		switch {
		case slices.Contains(plain, field):
		case ok:
			changed := make(map[string]any, len(values))
			for _, name := range SortedKeys(values) {
				if text, ok := values[name].(string); ok && field == SecretStringData {
					changed[name] = c.stringData(text)
				} else {
					changed[name] = c.value(values[name])
				}
			}
			object[field] = changed
		default:
			object[field] = c.value(object[field])
		}
	}
}

func (c secretChange) value(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return c.text(v)
	case map[string]any:
		changed := make(map[string]any, len(v))
		for _, name := range SortedKeys(v) {
			changed[c.text(name)] = c.value(v[name])
		}
		return changed
	case []any:
		changed := make([]any, len(v))
		for i := range v {
			changed[i] = c.value(v[i])
		}
		return changed
	}
	return c.other(v)
}

// minSecret is the minimum length in bytes of a value that is masked inside annotations and other
// texts. Shorter values occur everywhere by chance.
const minSecret = 4

// copyAnnotations lists annotations that contain a copy of the applied object. The copy may be
// compressed.
var copyAnnotations = []string{
	fieldmanager.LastAppliedAnnotation,
	"kapp.k14s.io/original",
	"objectset.rio.cattle.io/applied",
}

// Reveal returns a copy of a masked Secret with its real values. It returns all other objects
// unchanged.
func (m *Masks) Reveal(object map[string]any) map[string]any {
	if m.off {
		return object
	}
	if !LooksLikeSecret(object) && !m.knownKind(object) {
		return inItems(object, m.Reveal)
	}
	out := Shallow(object)
	value := func(text string) string {
		if v, ok := m.valueOf(text); ok {
			return v
		}
		return text
	}
	secretChange{
		text: value,
		stringData: func(text string) string {
			plain, err := base64.StdEncoding.DecodeString(value(text))
			if !isMask(text) || err != nil {
				return text
			}
			return string(plain)
		},
		other: m.unmaskScalar,
	}.apply(out)
	m.annotations(out, func(_, text string) string {
		if v, ok := m.valueOf(text); ok {
			return v
		}
		if revealed, _ := withSecret(text, m.Reveal); revealed != "" {
			return revealed
		}
		return text
	})
	return out
}

// annotations calls change for each text in the annotations of an object, and stores the results.
// The caller must pass a shallow copy of the object, because annotations changes it. The maps in
// the object are copied before they are changed.
func (m *Masks) annotations(object map[string]any, change func(name, text string) string) {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return
	}
	annotations, ok := metadata["annotations"].(map[string]any)
	if !ok {
		return
	}
	changed := Shallow(annotations)
	for _, name := range SortedKeys(annotations) {
		changed[name] = changeScalars(annotations[name], func(text string) string { return change(name, text) })
	}
	metadata = Shallow(metadata)
	metadata["annotations"] = changed
	object["metadata"] = metadata
}

// changeScalars returns a copy of v after calling change for each string and number. v is the
// value of an annotation. It should be a string, but an invalid annotation of another type may
// also contain the value of a Secret.
func changeScalars(v any, change func(string) string) any {
	switch v := v.(type) {
	case nil, bool:
		return v
	case string:
		return change(v)
	case map[string]any:
		changed := Shallow(v)
		for _, name := range SortedKeys(v) {
			changed[name] = changeScalars(v[name], change)
		}
		return changed
	case []any:
		changed := make([]any, len(v))
		for i := range v {
			changed[i] = changeScalars(v[i], change)
		}
		return changed
	}
	if text := fmt.Sprint(v); change(text) != text {
		return change(text)
	}
	return v
}

// withSecret calls change for a Secret that is encoded in a JSON text, and returns the changed
// JSON. It returns "" if the text contains no Secret, if a value in the Secret is not a string, or
// if change is nil. It also reports whether the text seems to contain a Secret.
func withSecret(text string, change func(map[string]any) map[string]any) (changed string, secret bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "", false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil || !LooksLikeSecret(object) {
		return "", false
	}
	if change == nil || d.More() || !hasOnlyStrings(object) {
		return "", true
	}
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(change(object)); err != nil {
		return "", true
	}
	if !strings.HasSuffix(text, "\n") {
		out.Truncate(out.Len() - 1)
	}
	return out.String(), true
}

// hasOnlyStrings reports whether all values of a Secret are strings.
func hasOnlyStrings(secret map[string]any) bool {
	for field, v := range secret {
		values, ok := v.(map[string]any)
		switch {
		case slices.Contains(plainFields, field) || v == nil:
			continue
		case !ok:
			return false
		}
		for _, v := range values {
			if _, ok := v.(string); !ok && v != nil {
				return false
			}
		}
	}
	return true
}

// HideInText masks the values of Secrets in a text, both encoded and decoded. It does not mask
// values shorter than minSecret.
func (m *Masks) HideInText(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, value := range slices.SortedFunc(maps.Keys(m.masks), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		plain, _ := base64.StdEncoding.DecodeString(value)
		for _, secret := range []string{value, string(plain)} {
			if len(secret) >= minSecret {
				text = strings.ReplaceAll(text, secret, m.masks[value])
			}
		}
	}
	for mask, v := range m.others {
		if number := fmt.Sprint(v); len(number) >= minSecret && v != true && v != false {
			text = strings.ReplaceAll(text, number, fmt.Sprint(mask))
		}
	}
	return text
}

// HideIn masks objects in place.
func (m *Masks) HideIn(objects []*manifest.Object) {
	for _, o := range objects {
		o.Content = m.Hide(o.Content)
	}
}

// SecretPlace reports whether the value at a path of an object can be secret. In a Secret, the
// annotations can also contain secret values.
func SecretPlace(o *manifest.Object, path string) bool {
	if !LooksLikeSecret(o.Content) {
		return false
	}
	field, rest := firstField(path)
	if field == "metadata" {
		field, _ = firstField(rest)
		return field == "annotations" || field != "" && !slices.Contains(plainMetadata, field)
	}
	return field != "" && !slices.Contains(plainFields, field)
}

// firstField splits a path into its first field and the rest.
func firstField(path string) (field, rest string) {
	path = strings.TrimPrefix(path, ".")
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end], path[end:]
	}
	return path, ""
}
