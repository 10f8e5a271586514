// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// selectByName returns the objects in files that the arguments select. As in "kubectl get", an
// argument is KIND/NAME or NAME, and the first argument can be a kind that applies to the names
// after it. selectByName returns an error if an argument selects no object.
func selectByName(t *sources.Types, refs []*input.Ref, f input.Files, args []string) (map[manifest.Identity]bool, *manifest.Error) {
	found := map[manifest.Identity]bool{}
	add := func(kind, name string) bool {
		any := false
		for _, x := range refs {
			id := x.Identity()
			if (kind == "" || isOfKind(t, id, kind)) && (name == "" || name == id.Name) {
				found[id], any = true, true
			}
		}
		return any
	}
	kinds := []string{""}
	if !strings.Contains(args[0], "/") {
		all := strings.Split(args[0], ",")
		if slices.ContainsFunc(all, func(kind string) bool { return add(kind, "") }) {
			kinds, args = all, args[1:]
			if len(args) == 0 {
				args = []string{""}
			}
		}
		clear(found)
	}
	for _, arg := range args {
		for _, kind := range kinds {
			name := arg
			if before, after, ok := strings.Cut(arg, "/"); ok {
				kind, name = before, after
			}
			if !add(kind, name) {
				return nil, noObject(refs, f, strings.Trim(kind+"/"+name, "/"))
			}
		}
	}
	return found, nil
}

// isOfKind reports whether an object has the given kind. kind has one of the forms that kubectl
// accepts: Deployment, deploy, deployments.apps or deployments.v1.apps.
func isOfKind(t *sources.Types, id manifest.Identity, kind string) bool {
	names := []string{id.Kind}
	if t.Catalog != nil {
		k, _ := t.Catalog.Kind(id.APIVersion, id.Kind)
		names = append(append(names, k.Resource, k.Singular), k.ShortNames...)
	}
	return unstructured.SelectsResource(kind, names, id.APIVersion)
}

// noObject returns an error that says that the files do not contain an object with this name.
func noObject(refs []*input.Ref, f input.Files, name string) *manifest.Error {
	var all []string
	for _, x := range refs {
		id := x.Identity()
		all = append(all, strings.ToLower(id.Kind)+"/"+id.Name)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	near := suggest.Nearest(strings.ToLower(name), all)
	if _, is, ok := strings.Cut(name, "/"); ok && near == "" {
		same := slices.DeleteFunc(slices.Clone(all), func(other string) bool { return !strings.HasSuffix(other, "/"+is) })
		if len(same) == 1 { // suggest service/web for serv/web, for example
			near = same[0]
		}
	}
	if near == "" && !strings.Contains(name, "/") {
		for _, other := range all {
			_, is, _ := strings.Cut(other, "/")
			if suggest.Nearest(name, []string{is}) != "" {
				near = is
			}
		}
	}
	return &manifest.Error{File: f.Shown(), Message: "there is no object " + words.Flow(name) + "; existing objects: " + words.ShortList(all) + words.DidYouMean(near)}
}
