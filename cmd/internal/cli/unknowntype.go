// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// unknownType says that there is no type for an object. It is made into text
// only if somebody reads it: the names of all kinds cost time.
type unknownType struct {
	types            *types
	apiVersion, kind string
}

func (e *unknownType) Unwrap() error { return fieldmanager.ErrUnknownType }

func (e *unknownType) Error() string {
	t := e.types
	wanted := e.apiVersion + " " + e.kind
	var all, sameKind, sameVersion []string
	for _, k := range t.catalog.Kinds() {
		all = append(all, k.APIVersion+" "+k.Kind)
		if k.Kind == e.kind {
			sameKind = append(sameKind, k.APIVersion+" "+k.Kind)
		}
		if k.APIVersion == e.apiVersion {
			sameVersion = append(sameVersion, k.APIVersion+" "+k.Kind)
		}
	}
	hint := didYouMean(shortList(sameKind))
	if len(sameKind) == 0 {
		close := suggest.Nearest(wanted, sameVersion)
		if close == "" {
			close = suggest.Nearest(wanted, all)
		}
		hint = didYouMean(close)
	}
	group, _, _ := strings.Cut(e.apiVersion, "/")
	if file := t.given[groupKind{group, e.kind}]; file != "" {
		return fmt.Sprintf("no type for %s in %s; its definition is in %s: give that with --crd, too", wanted, t.searchedIn(), file)
	}
	return fmt.Sprintf("no type for %s in %s%s; %s", wanted, t.searchedIn(), hint, t.wayOut)
}

// maxSearched is how many sources of types are named where none has what is looked for.
const maxSearched = 3

// searchedIn says where types were looked for, in short: dovetail schema --kinds says
// what there is.
func (t *types) searchedIn() string {
	if n := len(t.searched); n > maxSearched {
		return fmt.Sprintf("%s and %d files (dovetail schema --kinds lists what they define)", t.searched[0], n-1)
	}
	return strings.Join(t.searched, ", ")
}

// noteDefinitions remembers which files of the input define custom resources, for
// whoever misses their types: a rendered chart has both.
func (t *types) noteDefinitions(objects []*manifest.Object) {
	t.given = map[groupKind]string{}
	for _, o := range objects {
		if o.Identity().Kind == "CustomResourceDefinition" {
			spec, _ := o.Content["spec"].(map[string]any)
			names, _ := spec["names"].(map[string]any)
			group, _ := spec["group"].(string)
			kind, _ := names["kind"].(string)
			t.given[groupKind{group, kind}] = o.Start().File
		}
	}
}

func didYouMean(what string) string {
	if what == "" {
		return ""
	}
	return "; did you mean " + what + "?"
}

// shortList joins names, not too many of them.
func shortList(names []string) string {
	const most = 8
	names = slices.Clone(names)
	slices.Sort(names)
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
