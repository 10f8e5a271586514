// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/value"
)

// A Resolution describes one way to resolve conflicts, and the result.
type Resolution struct {
	Choice resolve.Choice
	// Config is the config to apply, and Result is the stored object. Both are nil if Err is set.
	Config map[string]any
	Result *fieldmanager.Result
	Err    error
	// Kubectl describes the changes that kubectl makes with further requests after it has applied
	// Config. Result includes them. Kubectl is nil if these requests are not predicted, or if
	// kubectl sends none.
	Kubectl *Kubectl
	// Bare contains the paths of list items that have only their keys left in Config, because the
	// resolution has removed their other fields.
	Bare []fieldpath.Path
	// rendered caches Config as YAML.
	rendered *renderedConfig
}

// Choices lists the ways to resolve conflicts in display order.
var Choices = []resolve.Choice{resolve.Force, resolve.Yield, resolve.Share}

// Resolution returns the result of resolving all conflicts with the given choice.
// Because a result can be as large as the object, Resolution computes it only when it is first
// needed.
func (o *Outcome) Resolution(choice resolve.Choice) *Resolution {
	if o.resolutions == nil {
		o.resolutions = map[resolve.Choice]*Resolution{}
	}
	if o.resolutions[choice] == nil {
		w := o.resolve(choice, o.choices.Rest(choice), o.Conflicts)
		if w.Err == nil {
			if again, _ := o.Maker.request(o.read, choice); len(again.Errors) > 0 {
				w.Config, w.Result, w.Err = nil, nil, rejected(again.Errors)
			}
		}
		o.resolutions[choice] = w
	}
	return o.resolutions[choice]
}

// WarnIfForceFails adds a warning for each error that a server would still report if the request
// forced all conflicts. It does nothing if there are no conflicts.
func (o *Outcome) WarnIfForceFails() {
	if len(o.Conflicts) == 0 {
		return
	}
	var errs rejected
	if errors.As(o.Resolution(resolve.Force).Err, &errs) {
		for _, e := range errs {
			o.Warnings = append(o.Warnings, warning{manifest.Position{File: e.File, Line: e.Line, Column: e.Column}, e.Path, "even with --force-conflicts, a server would reject this object: " + e.Message})
		}
	}
}

// rejected holds the errors for which a server would reject the object to store.
type rejected manifest.Errors

func (r rejected) Error() string {
	texts := make([]string, len(r))
	for i, e := range r {
		texts[i] = e.Message
		if e.Path != "" {
			texts[i] = e.Path + ": " + e.Message
		}
	}
	return "a server would reject the object: " + strings.Join(texts, ", ")
}

// ResolutionOf returns the result of resolving only the conflict c of the outcome with the given
// choice.
func (o *Outcome) ResolutionOf(c *fieldmanager.Conflict, choice resolve.Choice) *Resolution {
	return o.resolve(choice, o.choices.With(c, choice), []fieldmanager.Conflict{*c})
}

// resolve predicts the request for the outcome with the given choices for its conflicts. The
// argument conflicts lists the conflicts to which choice applies.
func (o *Outcome) resolve(choice resolve.Choice, choices resolve.Choices, conflicts []fieldmanager.Conflict) *Resolution {
	w := &Resolution{Choice: choice}
	done, err := o.apply.Apply(choices)
	w.Err = err
	if done != nil {
		w.Config, w.Result = done.Config, done.Result
	}
	if w.Result != nil {
		// Ignore the error. If rules cannot be evaluated, the outcome of the request already says
		// so.
		fixed, _ := Forbidden(o.Maker.Types, o, w.Result.Object)
		if o.Live != nil && o.Maker.subresource == "" {
			fixed = append(fixed, ForbiddenBuiltin(o.Maker.Types, o, w.Result.Object)...)
		}
		if len(fixed) > 0 {
			w.Config, w.Result, w.Err = nil, nil, refusedByRule(fixed)
		}
	}
	if w.Result != nil {
		o.resolveAsKubectl(w, done)
	}
	if choice != resolve.Force && w.Config != nil {
		original, config := place.ObjectOf(o.Type, o.Object.Content), place.ObjectOf(o.Type, w.Config)
		for i := range conflicts {
			w.Bare = append(w.Bare, bareItem(original, config, conflicts[i].Path)...)
		}
		slices.SortFunc(w.Bare, fieldpath.Path.Compare)
		w.Bare = slices.CompactFunc(w.Bare, fieldpath.Path.Equals)
	}
	return w
}

// bareItem finds a list item that has only its keys in the new config, although it has more fields
// in the original config. It looks only at the innermost item on the path that has keys. It returns
// the path of this item, or nil.
func bareItem(original, config *place.Place, path fieldpath.Path) []fieldpath.Path {
	for n := len(path) - 1; n > 0; n-- {
		keys := path[n-1].Key
		if keys == nil {
			continue
		}
		had, _ := original.At(path[:n])
		has, ok := config.At(path[:n])
		item, isMap := has.Plain.(map[string]any)
		if old, _ := had.Plain.(map[string]any); !ok || !isMap || len(item) >= len(old) {
			return nil
		}
		for name := range item {
			if !slices.ContainsFunc(*keys, func(k value.Field) bool { return k.Name == name }) {
				return nil
			}
		}
		return []fieldpath.Path{path[:n]}
	}
	return nil
}

// Reason explains Err in one line.
func (w *Resolution) Reason() string {
	var fixed *fieldmanager.ImmutableError
	if errors.As(w.Err, &fixed) {
		return fixed.Error()
	}
	var left *fieldmanager.ConflictError
	if errors.As(w.Err, &left) {
		var texts []string
		for i := range left.Conflicts {
			texts = append(texts, fmt.Sprintf("%v still conflicts", left.Conflicts[i].Path))
		}
		return strings.Join(texts, ", ")
	}
	return w.Err.Error()
}

// Immutable returns an immutable field that the resolution would change. It considers only fields
// at, above or below path. It returns nil if there is none.
func (w *Resolution) Immutable(path fieldpath.Path) *fieldmanager.ImmutableField {
	var marked *fieldmanager.ImmutableError
	var ruled refusedByRule
	refused := []fieldmanager.ImmutableField{}
	if errors.As(w.Err, &marked) {
		refused = marked.Fields
	} else if errors.As(w.Err, &ruled) {
		refused = ruled
	}
	at := slices.IndexFunc(refused, func(f fieldmanager.ImmutableField) bool { return fields.Overlap(f.Path, path) })
	if at < 0 {
		return nil
	}
	return &refused[at]
}

// renderedConfig is a config as YAML, without a line break at the end. If Kept is set, the YAML has
// the comments and the field order of the file.
type renderedConfig struct {
	Text string
	Kept bool
}

func (r *renderedConfig) Lines() []string { return strings.Split(r.Text, "\n") }

// YAML returns the config of a resolution as YAML. If possible, it keeps the comments and the field
// order of the file.
func (o *Outcome) YAML(w *Resolution) *renderedConfig {
	if w.rendered != nil {
		return w.rendered
	}
	if w.Choice == resolve.Force && reflect.DeepEqual(w.Config, o.Object.Content) {
		w.rendered = o.Unchanged(true) // with force, the config is the same
	} else if kept := o.rewritten(w.Config); kept != nil && o.Unchanged(true).Kept {
		w.rendered = kept
	} else {
		w.rendered = o.plainYAML(w.Config)
	}
	return w.rendered
}

// Unchanged returns the original config as YAML. If keepFormat is true, the YAML has the comments
// and the field order of the file, if possible.
func (o *Outcome) Unchanged(keepFormat bool) *renderedConfig {
	if o.given == nil || o.given.Kept && !keepFormat {
		o.given = nil
		if keepFormat {
			o.given = o.rewritten(o.Object.Content)
		}
		if o.given == nil {
			o.given = o.plainYAML(o.Object.Content)
		}
	}
	return o.given
}

func (o *Outcome) rewritten(config map[string]any) *renderedConfig {
	text, err := o.Object.Rewritten(config)
	if err != nil {
		return nil
	}
	return &renderedConfig{strings.TrimSuffix(string(text), "\n"), true}
}

func (o *Outcome) plainYAML(config map[string]any) *renderedConfig {
	return &renderedConfig{Text: o.order.YAMLText(config)}
}

// refusedByRule lists changes that an x-kubernetes-validations rule or the Go code of a built-in
// kind forbids.
type refusedByRule []fieldmanager.ImmutableField

func (r refusedByRule) Error() string {
	texts := make([]string, len(r))
	for i := range r {
		texts[i] = r[i].Path.String() + ": " + r[i].Message
	}
	return strings.Join(texts, ", ")
}
