// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// checkSpelling reports an unknown marker that is probably misspelt, and returns true if it
// did.
//
// A marker is probably misspelt if its name resembles a known name. Any other unknown marker with
// the prefix kubebuilder is also reported, because this prefix belongs to controller-gen. Only the
// markers in the list foreign are not reported. An unknown name with the prefix k8s may belong to
// another generator, so it is reported only if it resembles a known name.
func (s *Source) checkSpelling(m *Marker, name string) bool {
	part, meant, sure := m.Spelled, []string(nil), true
	prefix, _, prefixed := strings.Cut(m.Spelled, ":")
	theirs := prefixed && len(nearest(prefix, []string{"kubebuilder"})) > 0
	switch {
	case !prefixed:
		meant = nearest(part, unprefixedNames)
	case m.Spelled == "default:value": // controller-gen documents this spelling
		return false
	case slices.Contains(unprefixedNames, prefix): // a colon in place of the equals sign
		if meant, sure = []string{prefix}, false; needsValue(prefix) {
			meant[0] += "=VALUE"
		}
	case prefix == "k8s":
		meant = nearest(part, spellings("k8s:"))
	case theirs && !isForeign(m.Spelled):
		if part, meant = misspelt(m.Spelled); len(meant) == 0 {
			meant, sure = elsewhere(m.Spelled), false
		}
	default:
		return false
	}
	what, why := fmt.Sprintf("+%s of %s is not a known marker", m.Spelled, name), "it has no effect"
	if len(meant) == 0 {
		if theirs {
			s.findings.add(m.pos, UnknownMarker, what, why, "").warning()
		}
		return theirs
	}
	if part != meant[0] && strings.EqualFold(part, meant[0]) {
		why += ", because names are case-sensitive"
	}
	f := s.findings.add(m.pos, UnknownMarker, what, why, fmt.Sprintf("did you mean +%s?", strings.Join(meant, " or +"))).warning()
	if sure && len(meant) == 1 && part != meant[0] {
		f.fix(s.replace(m.pos+1, m.pos+1+token.Pos(len(part)), meant[0]))
	}
	return true
}

// unprefixedNames lists the markers without a prefix.
var unprefixedNames = []string{"default", "immutable", "listType", "listMapKey", "mapType", "structType", "optional", "required", "nullable"}

// needsValue reports whether the unprefixed marker with the given name needs a value.
func needsValue(name string) bool {
	return !slices.Contains([]string{"immutable", "optional", "required", "nullable"}, name)
}

// checkPackage checks the spelling of package markers. A marker in doc.go can belong to a type and
// can therefore be among the reported findings already. checkPackage skips such a marker.
func (s *Source) checkPackage(p *Package, reported []*Finding) {
	checked := map[token.Pos]bool{}
	for _, f := range reported {
		checked[f.pos] = checked[f.pos] || f.Rule == UnknownMarker
	}
	for _, m := range p.written() {
		if _, ok := known[m.Spelled]; !ok && !checked[m.pos] {
			s.checkSpelling(&m, "package "+p.Name)
		}
	}
}

func isForeign(spelled string) bool {
	return slices.ContainsFunc(foreign, func(f string) bool { return spelled == f || strings.HasPrefix(spelled, f+":") })
}

// spellings returns all marker names that start with prefix: the known names in alphabetical
// order, then the names in foreign. It omits kubebuilder names that controller-gen does not
// have.
func spellings(prefix string) (all []string) {
	for _, name := range append(sortedKeys(known), foreign...) {
		switch name {
		case "kubebuilder:validation:Nullable", "kubebuilder:validation:XListType":
			continue
		}
		if strings.HasPrefix(name, prefix) {
			all = append(all, name)
		}
	}
	return all
}

// misspelt returns the known names that are similar to the name of a marker. It tries the full name
// first. If no known name is similar, it removes the part after the last colon, which can be an
// argument, and tries again. It also returns the text for which it found similar names.
func misspelt(written string) (part string, meant []string) {
	names := spellings("kubebuilder:")
	for _, name := range names {
		if strings.HasPrefix(written, name+":") {
			return name, []string{name}
		}
	}
	for part = written; strings.Contains(part, ":"); part = part[:strings.LastIndexByte(part, ':')] {
		if meant = nearest(part, names); len(meant) > 0 {
			return part, meant
		}
	}
	return written, nil
}

// elsewhere returns the known names whose last part, after the last colon, is similar to the last
// part of the given name. For kubebuilder:Minimum, it returns kubebuilder:validation:Minimum.
func elsewhere(written string) (meant []string) {
	for _, prefix := range []string{"kubebuilder:", ""} {
		var ends []string
		names := slices.DeleteFunc(spellings(prefix), func(name string) bool {
			return strings.HasPrefix(name, ItemsPrefix) || strings.Contains(name, ":") != (prefix != "")
		})
		for _, name := range names {
			ends = append(ends, lastPart(name))
		}
		near := nearest(lastPart(written), ends)
		for i, name := range names {
			if slices.Contains(near, ends[i]) {
				meant = append(meant, name)
			}
		}
		if len(meant) > 0 {
			return meant
		}
	}
	return nil
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// nearest returns the word that is most similar to the given text. It returns several words if they
// are equally similar, and nil if none is similar enough.
func nearest(written string, words []string) (near []string) {
	least := 2
	if len(written) < 5 {
		least = 1
	}
	for _, w := range words {
		switch d := distance(strings.ToLower(written), strings.ToLower(w)); {
		case d < least:
			near, least = []string{w}, d
		case d == least:
			near = append(near, w)
		}
	}
	return near
}

// distance returns the edit distance of two texts: the number of letters to insert, remove or
// change to turn one text into the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := last
			if a[i] != b[j] {
				d = 1 + min(last, row[j], row[j+1])
			}
			last, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
