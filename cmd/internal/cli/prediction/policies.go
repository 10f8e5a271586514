// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package prediction

import (
	"errors"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/policy"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// readPolicies reads the policies that were given, nil if there are none, and returns all
// objects of their files. Params and Namespaces may be among the other objects, too.
func readPolicies(r *command.Run, q *Requests, t *sources.Types, others []*input.Ref) (predict.Policies, []*manifest.Object, manifest.Errors, error) {
	if len(q.policies.Names) == 0 {
		if q.user != "" || len(q.groups) > 0 {
			return nil, nil, nil, command.Usagef("--policy-user and --policy-group are for policies: give --policies FILE")
		}
		return nil, nil, nil, nil
	}
	if t.Catalog == nil {
		return nil, nil, nil, command.Usagef("--policies needs to know resources, which --schema does not tell")
	}
	if q.user == "" && len(q.groups) > 0 {
		return nil, nil, nil, command.Usagef("--policy-group is without --policy-user: who is in the group?")
	}
	objects, errs, err := input.ReadObjects(r, q.policies)
	if err != nil || len(errs) > 0 {
		return nil, nil, errs, err
	}
	o := policy.Options{Kinds: t.Catalog.Kinds(), Types: t.Find, Convert: t.Convert, User: userOf(q.user, q.groups)}
	for _, other := range others {
		object, err := other.Object()
		if err != nil {
			return nil, nil, manifest.Errors{err}, nil
		}
		o.Others = append(o.Others, r.Masks.Reveal(object.Content))
	}
	given := make([]map[string]any, len(objects))
	for i, object := range objects {
		given[i] = r.Masks.Reveal(object.Content)
	}
	set, err := policy.New(given, o)
	if err != nil {
		return nil, nil, policyErrors(objects, err), nil
	}
	for _, text := range set.Warnings() {
		r.Notef("%s", text)
	}
	if set.Len() == 0 {
		return nil, nil, manifest.Errors{{File: q.policies.Names[0], Message: "there is no policy in it that has a binding"}}, nil
	}
	return unmasked{set, &r.Masks}, objects, nil, nil
}

// policyErrors are the errors of a Set where they are in the files.
func policyErrors(objects []*manifest.Object, err error) (errs manifest.Errors) {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return manifest.Errors{{Message: err.Error()}}
	}
	for _, e := range all.Unwrap() {
		var at *policy.ObjectError
		if errors.As(e, &at) {
			errs = append(errs, objects[at.Object].Errorf(at.Path, "%s", at.Message))
		}
	}
	return errs
}

// userOf is who makes requests, with the groups that a server puts each user in.
func userOf(name string, groups []string) *policy.User {
	if name == "" {
		return nil
	}
	u := &policy.User{Name: name, Groups: append([]string{}, groups...)}
	if account, ok := strings.CutPrefix(name, "system:serviceaccount:"); ok {
		if namespace, _, ok := strings.Cut(account, ":"); ok {
			u.Groups = append(u.Groups, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
		}
	}
	u.Groups = append(u.Groups, "system:authenticated")
	return u
}

// howToKnow says how to give what policies miss.
func howToKnow(err error) string {
	var who *policy.UserError
	if errors.As(err, &who) {
		return "; give --policy-user NAME"
	}
	var missing *policy.MissingError
	if errors.As(err, &missing) {
		return "; give it with --policies or --live"
	}
	return ""
}
