// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// acceptNames sets the status of the definitions in a group, and serves the definitions whose names
// differ from the names of all other definitions in the group. stored contains the names of the
// definitions that are new or have changed.
func (s *Server) acceptNames(group string, stored ...string) error {
	defined := false
	refresh := func() {
		if defined {
			s.refreshResources()
		}
		defined = false
	}
	defer refresh()
	queue := append(slices.Clone(stored), namesOf(s.definitionsIn(group))...)
	for i := 0; i < len(queue); i++ {
		live := s.store.get(definitionResource, key{name: queue[i]})
		isStored := i < len(stored)
		if live == nil || !isStored && hasItsNames(live) {
			continue
		}
		if document.MetaString(live, "deletionTimestamp") != "" { // its names do not change anymore
			if isStored && isServed(live) {
				if err := s.define(live); err != nil {
					return err
				}
				defined = true
			}
			continue
		}
		object := withAcceptedNames(live, s.definitionsIn(group), s.options.Now())
		changed := !document.Equal(object["status"], live["status"])
		if isServed(object) && (isStored || changed) {
			if err := s.define(object); err != nil {
				return err
			}
			defined = true
		}
		if !changed {
			continue
		}
		refresh() // clients must find the resources as soon as the definition is established
		done, err := s.predict.Predict(&predict.Request{
			Verb: predict.Update, Subresource: "status", Manager: "kube-apiserver", Time: s.options.Now().UTC().Truncate(time.Second), Object: object, Live: live,
		})
		if err != nil {
			return err
		}
		if done.Changed {
			if _, err := s.store.put(definitionResource, done.Object, live); err != nil {
				return err
			}
			queue = append(queue, namesOf(s.definitionsIn(group))...) // the definition may have released names
		}
	}
	return nil
}

// define serves the resources of a definition under its accepted names.
func (s *Server) define(object map[string]any) error {
	object = withValue(object, []string{"spec", "names"}, at(object, "status", "acceptedNames"))
	data, err := json.Marshal(document.WithoutManagedFields(object))
	if err == nil {
		_, err = s.types.Define(data)
	}
	return err
}

// definitionsIn returns the stored definitions of a group.
func (s *Server) definitionsIn(group string) []map[string]any {
	all, _ := s.store.list(definitionResource, "")
	return slices.DeleteFunc(all, func(d map[string]any) bool { return text(at(d, "spec", "group")) != group })
}

func namesOf(objects []map[string]any) []string {
	all := make([]string, len(objects))
	for i, object := range objects {
		all[i] = document.MetaString(object, "name")
	}
	return all
}

// hasItsNames reports whether the server has accepted all names in the spec of a definition.
func hasItsNames(definition map[string]any) bool {
	return document.Equal(requestedNames(definition), at(definition, "status", "acceptedNames"))
}

// isServed reports whether a server serves the resources of a definition. A definition that was served
// once stays served, even if its new names conflict.
func isServed(definition map[string]any) bool {
	return conditionOf(definition, "NamesAccepted") == "True" || conditionOf(definition, "Established") == "True"
}

// requestedNames returns the names in the spec of a definition, with their defaults.
func requestedNames(definition map[string]any) map[string]any {
	names, _ := at(definition, "spec", "names").(map[string]any)
	names = maps.Clone(names)
	if kind := text(names["kind"]); kind != "" {
		names["singular"] = cmp.Or(text(names["singular"]), strings.ToLower(kind))
		names["listKind"] = cmp.Or(text(names["listKind"]), kind+"List")
	}
	return names
}

// withAcceptedNames returns a definition with the status that a server sets. group contains all
// definitions of the group. The server accepts each name that no other definition has.
func withAcceptedNames(definition map[string]any, group []map[string]any, now time.Time) map[string]any {
	resources, kinds := map[string]bool{}, map[string]bool{}
	for _, d := range group {
		names, _ := at(d, "status", "acceptedNames").(map[string]any)
		for _, name := range append(texts(names["shortNames"]), text(names["plural"]), text(names["singular"])) {
			resources[name] = true
		}
		kinds[text(names["kind"])], kinds[text(names["listKind"])] = true, true
	}
	wants := requestedNames(definition)
	has, _ := at(definition, "status", "acceptedNames").(map[string]any)
	accepted := map[string]any{"plural": "", "kind": ""}
	maps.Copy(accepted, has)
	delete(accepted, "categories")
	if categories, ok := wants["categories"]; ok {
		accepted["categories"] = categories
	}

	reason, message := "", "" // as on an API server, the last conflict is reported
	refuse := func(why string, err error) { reason, message = why, err.Error() }
	accept := func(field, why string, used map[string]bool) {
		want := text(wants[field])
		if want != text(has[field]) && used[want] {
			refuse(why, inUse(want))
			return
		}
		accepted[field] = want
	}
	accept("plural", "PluralConflict", resources)
	accept("singular", "SingularConflict", resources)
	var errs []error
	for _, short := range texts(wants["shortNames"]) {
		if resources[short] && !slices.Contains(texts(has["shortNames"]), short) {
			errs = append(errs, inUse(short))
		}
	}
	if err := utilerrors.NewAggregate(errs); err != nil {
		refuse("ShortNamesConflict", err)
	} else if delete(accepted, "shortNames"); wants["shortNames"] != nil {
		accepted["shortNames"] = wants["shortNames"]
	}
	accept("kind", "KindConflict", kinds)
	accept("listKind", "ListKindConflict", kinds)

	status, _ := definition["status"].(map[string]any)
	status = maps.Clone(status)
	if status == nil {
		status = map[string]any{}
	}
	conditions, _ := status["conditions"].([]any)
	if reason == "" {
		conditions = withCondition(conditions, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now)
	} else {
		conditions = withCondition(conditions, "NamesAccepted", "False", reason, message, now)
	}
	switch {
	case conditionOf(definition, "Established") == "True":
	case reason == "":
		conditions = withCondition(conditions, "Established", "True", "InitialNamesAccepted", "the initial names have been accepted", now)
	case conditionOf(definition, "Established") == "":
		conditions = withCondition(conditions, "Established", "False", "NotAccepted", "not all names are accepted", now)
	}
	status["acceptedNames"], status["conditions"] = accepted, conditions
	definition = document.Shallow(definition)
	definition["status"] = status
	return definition
}

func inUse(name string) error { return fmt.Errorf("%q is already in use", name) }

// conditionOf returns the status of a condition of a definition, or "" if the definition does not have
// the condition.
func conditionOf(definition map[string]any, kind string) string {
	return text(findCondition(definition, kind)["status"])
}

func findCondition(definition map[string]any, kind string) map[string]any {
	conditions, _ := at(definition, "status", "conditions").([]any)
	for _, c := range conditions {
		if c, _ := c.(map[string]any); c["type"] == kind {
			return c
		}
	}
	return nil
}

// withCondition returns conditions with a new or changed condition. Its time changes only if its
// status changes.
func withCondition(conditions []any, kind, status, reason, message string, now time.Time) []any {
	c := map[string]any{"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": now.UTC().Format(time.RFC3339)}
	conditions = slices.Clone(conditions)
	for i, old := range conditions {
		if old, _ := old.(map[string]any); old["type"] == kind {
			if old["status"] == status {
				c["lastTransitionTime"] = old["lastTransitionTime"]
			}
			conditions[i] = c
			return conditions
		}
	}
	return append(conditions, c)
}

// checkServed returns an error if the server does not serve a stored definition.
func (s *Server) checkServed(name string) error {
	definition := s.store.get(definitionResource, key{name: name})
	if definition == nil || isServed(definition) {
		return nil
	}
	return fmt.Errorf("another definition of the group has the same names: %s; remove one of the two definitions", text(findCondition(definition, "NamesAccepted")["message"]))
}
