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

// Masks stand for the values of Secrets. An object is masked when it is read, so that
// nothing that is shown of it can hold a value; one that is printed to be applied gets
// its values back. The same value has the same mask in all objects of one run, whether
// it is written in data or in stringData.
type Masks struct {
	// off leaves all values as they are.
	off bool
	// of has the mask of each value, as it stands in data or in an annotation, and values
	// the value of each mask.
	of, values map[string]string
	mu         sync.RWMutex
}

// Register adds the flag --show-secrets.
func (m *Masks) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&m.off, "show-secrets", false, "show the values of Secrets, instead of masks that are the same for equal values")
}

var maskForm = regexp.MustCompile(`^\*\*\* \(\d+\)$`)

// isMask says whether a text in a Secret is a mask.
func isMask(text string) bool { return maskForm.MatchString(text) }

// Masked says whether an object is a Secret with masks.
func Masked(object map[string]any) bool {
	if !IsSecret(object) {
		return false
	}
	for _, field := range []string{SecretData, SecretStringData} {
		values, _ := object[field].(map[string]any)
		for _, v := range values {
			if text, ok := v.(string); ok && isMask(text) {
				return true
			}
		}
	}
	return false
}

// mask returns what stands for a value.
func (m *Masks) mask(text string) string {
	if text == "" {
		return "" // nothing to hide, and empty values have rules of their own
	}
	if m.known(text) {
		return text // it is hidden already
	}
	m.mu.Lock()
	mask, ok := m.of[text]
	if !ok {
		if m.of == nil {
			m.of = map[string]string{}
		}
		mask = fmt.Sprintf("*** (%d)", len(m.of)+1)
		m.of[strings.Clone(text)] = mask // a value may be part of the text of its object
	}
	m.mu.Unlock()
	if !ok {
		m.remember(mask, text)
	}
	return mask
}

// known says whether a text is a mask that stands for a value.
func (m *Masks) known(text string) bool {
	if !isMask(text) {
		return false
	}
	_, ok := m.valueOf(text)
	return ok
}

// valueOf is the value of a mask.
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

// Hide returns a Secret with masks in place of its values and of the annotations that
// hold a copy of them; another object is returned as it is. Values that are no texts
// stay: they are errors, which must not say them (see SecretPlace).
func (m *Masks) Hide(object map[string]any) map[string]any {
	if m.off || !IsSecret(object) {
		return object
	}
	out := Shallow(object)
	var texts []string // what an annotation must not hold
	each(out, SecretData, func(text string) string {
		texts = append(texts, text)
		if plain, err := base64.StdEncoding.DecodeString(text); err == nil {
			texts = append(texts, string(plain))
		}
		return m.mask(text)
	})
	each(out, SecretStringData, func(text string) string {
		if m.known(text) {
			return text
		}
		encoded := base64.StdEncoding.EncodeToString([]byte(text))
		texts = append(texts, text, encoded)
		return m.mask(encoded)
	})
	m.annotations(out, func(name, text string) string {
		if masked, ok := withSecret(text, m.Hide); ok {
			if masked != text {
				m.remember(masked, text)
			}
			return masked
		}
		if slices.Contains(copyAnnotations, name) || slices.ContainsFunc(texts, func(secret string) bool {
			return len(secret) >= minSecret && strings.Contains(text, secret)
		}) {
			return m.mask(text)
		}
		return text
	})
	return out
}

// minSecret is how many bytes a value has at least that is looked for in annotations:
// shorter ones are found everywhere.
const minSecret = 4

// copyAnnotations hold the object as somebody applied it, also in forms that are not
// plain text.
var copyAnnotations = []string{
	fieldmanager.LastAppliedAnnotation,
	"kapp.k14s.io/original",
	"objectset.rio.cattle.io/applied",
}

// Reveal returns a masked Secret with its values; another object is returned as it is.
func (m *Masks) Reveal(object map[string]any) map[string]any {
	if m.off || !IsSecret(object) {
		return object
	}
	out := Shallow(object)
	value := func(text string) string {
		if v, ok := m.valueOf(text); ok {
			return v
		}
		return text
	}
	each(out, SecretData, value)
	each(out, SecretStringData, func(text string) string {
		plain, err := base64.StdEncoding.DecodeString(value(text))
		if !isMask(text) || err != nil {
			return text
		}
		return string(plain)
	})
	m.annotations(out, func(_, text string) string {
		if v, ok := m.valueOf(text); ok {
			return v
		}
		if revealed, ok := withSecret(text, m.Reveal); ok {
			return revealed
		}
		return text
	})
	return out
}

// each changes the texts of a mapping in object, which is the caller's own; the
// mapping is not.
func each(object map[string]any, field string, change func(string) string) {
	values, ok := object[field].(map[string]any)
	if !ok {
		return
	}
	changed := Shallow(values)
	for _, name := range SortedKeys(values) {
		if text, ok := values[name].(string); ok {
			changed[name] = change(text)
		}
	}
	object[field] = changed
}

// annotations changes those of object, which is the caller's own.
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

// changeScalars changes all texts and numbers in a value. An annotation that is no text is an error, and may be
// a copy of the object.
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

// withSecret changes the Secret that text is the JSON of; ok is false if it is none.
func withSecret(text string, change func(map[string]any) map[string]any) (changed string, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "", false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil || !IsSecret(object) || d.More() || !allTexts(object) {
		return "", false
	}
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(change(object)); err != nil {
		return "", false
	}
	if !strings.HasSuffix(text, "\n") {
		out.Truncate(out.Len() - 1)
	}
	return out.String(), true
}

// allTexts says whether all that a Secret holds is texts, as it should be.
func allTexts(secret map[string]any) bool {
	for _, field := range []string{SecretData, SecretStringData} {
		values, ok := secret[field].(map[string]any)
		if !ok && secret[field] != nil {
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

// HideInText masks the values of Secrets that a text has, as they are in data and as they are
// meant. Short ones are found everywhere, and stay.
func (m *Masks) HideInText(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, value := range slices.SortedFunc(maps.Keys(m.of), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		plain, _ := base64.StdEncoding.DecodeString(value)
		for _, secret := range []string{value, string(plain)} {
			if len(secret) >= minSecret {
				text = strings.ReplaceAll(text, secret, m.of[value])
			}
		}
	}
	return text
}

// HideIn masks the objects of a file.
func (m *Masks) HideIn(objects []*manifest.Object) {
	for _, o := range objects {
		o.Content = m.Hide(o.Content)
	}
}

// SecretPlace says whether a path of an object is one where a Secret has its values, or annotations,
// which may hold a copy of them.
func SecretPlace(o *manifest.Object, path string) bool {
	if !IsSecret(o.Content) {
		return false
	}
	for _, field := range []string{SecretData, SecretStringData, "metadata.annotations"} {
		if rest, ok := strings.CutPrefix(path, "."+field); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}
