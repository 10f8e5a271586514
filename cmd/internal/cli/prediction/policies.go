// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package prediction

import (
	"errors"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/policy"
	"github.com/dovetail-ssa/dovetail/kube/policy/podsecurity"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// readPolicies reads the files of --policies. It returns the policies, and all objects in these
// files. Without the flag, it returns nil. The policies can use params and Namespaces, which must
// be in these files or in the argument others.
func readPolicies(r *command.Run, q *Requests, t *sources.Types, others []*input.Ref) (predict.Policies, []*manifest.Object, manifest.Errors, error) {
	if len(q.policies.Names) == 0 {
		if q.user != "" || len(q.groups) > 0 {
			return nil, nil, nil, command.Usagef("--policy-user and --policy-group have no effect without policies: add --policies")
		}
		return nil, nil, nil, nil
	}
	if t.Catalog == nil {
		return nil, nil, nil, command.Usagef("--policies cannot be combined with --schema, which has no resource names: use --crd or --openapi")
	}
	if q.user == "" && len(q.groups) > 0 {
		return nil, nil, nil, command.Usagef("--policy-group needs a user: add --policy-user")
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
		return nil, nil, manifest.Errors{{File: q.policies.Names[0], Message: "no policy in this file has a binding: add a ValidatingAdmissionPolicyBinding or MutatingAdmissionPolicyBinding"}}, nil
	}
	return unmaskedPolicies{set, &r.Masks}, objects, nil, nil
}

// podSecurity returns the PodSecurity admission plugin for the release of t, or nil if the
// release is unknown.
func podSecurity(t *sources.Types) predict.PodSecurity {
	if t.Documents || t.Catalog == nil {
		return nil
	}
	release := sources.Minor(t.Catalog.Release())
	if known, ok := evaluators.Load(release); ok {
		return known.(*podsecurity.Evaluator)
	}
	evaluator, err := podsecurity.New(release)
	if err != nil {
		return nil
	}
	evaluators.Store(release, evaluator)
	return evaluator
}

// securesPods reports whether PodSecurity checks an object.
func securesPods(id manifest.Identity) bool { return podsecurity.Checks(id.APIVersion, id.Kind) }

// evaluators caches one PodSecurity evaluator for each release.
var evaluators sync.Map

// policyErrors converts an error of policy.New to errors with positions in the files.
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

// userOf returns the user that sends the requests, with the groups that a server adds to this
// user. It returns nil if name is empty.
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

// missingInputHint returns a hint for the error that policies need an input which the user did not
// give, such as the name of the user. The hint names the flag for this input. For all other errors,
// missingInputHint returns "".
func missingInputHint(err error) string {
	var who *policy.UserError
	if errors.As(err, &who) {
		return "; add --policy-user with the name of a user"
	}
	var missing *policy.MissingError
	if errors.As(err, &missing) {
		return "; add it to the files of --policies or --live"
	}
	return ""
}
