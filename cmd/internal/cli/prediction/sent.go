// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// CheckVerify returns an error for flags that cannot be combined with --verify, such as flags that
// make the prediction differ from a dry run.
func (q *Requests) CheckVerify(r *command.Run) error {
	switch {
	case len(q.Live.Names) > 0 || !q.Sources.Cluster.EnableForPlugin(r):
		return command.Usagef("--verify needs a cluster: add --context or -n, and leave out --live")
	case len(q.Sources.Proposals.Names()) > 0:
		return command.Usagef("--verify compares with a released server, which does not implement proposals: leave out %s", words.And(q.Sources.Proposals.Names()))
	case q.Chosen():
		return command.Usagef("--verify sends each config unchanged: leave out --%s and --%s, and use --%s only without paths", command.YieldFlag, command.ShareFlag, command.ForceFlag)
	}
	return q.checkSent("verify")
}

// Verify sends the request to the cluster as a dry run. If the response differs from the
// prediction, Verify adds an error with the text of a bug report.
func (o *Outcome) Verify() {
	m := o.Maker
	if m == nil || m.Types.Cluster() == nil {
		return
	}
	id := o.Object.Identity()
	resource, known := m.Types.Resource(id)
	if !known {
		return // another error is about the unknown type
	}
	if unstructured.Masked(o.Object.Content) {
		o.Warn("", "is not verified, because its values are masked: add --show-secrets")
		return
	}
	body, err := json.Marshal(unstructured.WithoutManagedFields(o.Object.Content))
	if err != nil {
		o.Errors = append(o.Errors, o.Object.Errorf("", "%v", err))
		return
	}
	c := m.Types.Cluster()
	trial := m.applyRequest(resource, id, body)
	trial.DryRun = true
	answer, refused := c.Send(trial)
	if refused != nil && (refused.Fatal || refused.Forbidden()) {
		o.Errors = append(o.Errors, o.Object.Errorf("", "%v", c.Explain(refused)))
		return
	}
	var differences []string
	if refused != nil || o.Result == nil {
		differences = o.compareRefusals(refused)
	} else {
		live, err := manifest.ReadResponse(c.Host, answer, id.APIVersion, id.Kind)
		if err != nil {
			o.Errors = append(o.Errors, o.Object.Errorf("", "%v", err))
			return
		}
		differences = o.DiffersFrom(live.Content)
	}
	if len(differences) > 0 {
		o.Errors = append(o.Errors, o.Object.Errorf("", "%s", o.BugReport(differences)))
	}
}

// BugReport returns the text of a bug report about a wrong prediction for the outcome.
func (o *Outcome) BugReport(differences []string) string {
	m := o.Maker
	return BugReport(o.Object.Identity(), fmt.Sprintf("manager %s, force %t, %s, cluster %s", words.Flow(m.Manager), m.force.all, m.Types.Kubernetes(), m.Types.Cluster().VersionName()), differences)
}

// BugReport returns the text of a bug report about a wrong prediction for an object. The argument
// request describes the request, the Kubernetes release used for the prediction, and the release of
// the cluster.
func BugReport(id manifest.Identity, request string, differences []string) string {
	const most = 20
	if n := len(differences) - most; n > 0 {
		differences = append(differences[:most:most], fmt.Sprintf("and %d more", n))
	}
	return fmt.Sprintf("%v: the prediction is wrong, unless a webhook or a controller changed the object. Please report these lines at https://github.com/dovetail-ssa/dovetail/issues, with the object and the live object:\n  %s\n  %s",
		id, request, strings.Join(differences, "\n  "))
}

// compareRefusals compares the predicted response with the response of the server. It returns both
// responses as text if only one of them rejects the request, or if their HTTP statuses differ. It
// returns nil if the responses agree. An unknown predicted status agrees with every error status
// except 409.
func (o *Outcome) compareRefusals(refused *cluster.Refusal) []string {
	ours, code := "applied", o.HTTPStatus()
	switch {
	case len(o.Errors) > 0:
		ours = "refused"
		if code != 0 {
			ours = fmt.Sprintf("refused: %d", code)
		}
		ours += ": " + o.Errors[0].Message
	case len(o.Conflicts) > 0:
		ours = "a conflict"
	case len(o.Immutable) > 0:
		ours = fmt.Sprintf("refused: %d: a change that is not allowed", code)
	default:
		code = httpstatus.OK // all successful responses count as 200
	}
	theirs, answered := "applied", httpstatus.OK
	if refused != nil {
		answered = refused.Code
		theirs = fmt.Sprintf("refused: %d %s: %s", refused.Code, refused.Reason, words.OneLine(refused.Message))
	}
	if code == answered || code == 0 && refused != nil && answered != httpstatus.Conflict {
		return nil
	}
	return []string{"predicted: " + ours, "server: " + theirs}
}

// countedByServer lists metadata fields that Differences does not compare, because a server
// generates them or increments them. Managed fields are compared separately.
var countedByServer = []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "generation"}

// DiffersFrom lists the differences between the predicted object and the object in a server's
// response. Managed fields are included.
func (o *Outcome) DiffersFrom(answered map[string]any) []string {
	unknown := map[string]bool{".status": o.Live == nil} // after a create, controllers set the status
	for _, path := range o.Unknown() {
		unknown[path] = true
	}
	return Differences(o.Result.Object, answered, unknown)
}

// Unknown returns the paths of values that only a server knows, such as a generated IP address.
// Pass them to Differences.
func (o *Outcome) Unknown() (paths []string) {
	for _, path := range o.request.Prediction(o.Result).OnlyServer {
		paths = append(paths, path.String())
	}
	return paths
}

// Differences lists the differences between a predicted object and the object in a server's
// response. It includes managed fields. It leaves out metadata that a server generates, and values
// at the paths in the argument unknown.
func Differences(predicted, answered map[string]any, unknown map[string]bool) []string {
	w := &comparison{secret: unstructured.LooksLikeSecret(predicted), unknown: unknown}
	w.value(withoutCounted(predicted), withoutCounted(answered), "")
	return append(w.found, ownerDifferences(predicted, answered)...)
}

func withoutCounted(object map[string]any) map[string]any {
	out := maps.Clone(object)
	metadata, _ := object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	for _, name := range countedByServer {
		delete(metadata, name)
	}
	out["metadata"] = metadata
	return out
}

// comparison collects the differences between two values.
type comparison struct {
	secret  bool
	unknown map[string]bool
	found   []string
}

func (w *comparison) value(ours, theirs any, path string) {
	if w.unknown[path] {
		return
	}
	a, ok := ours.(map[string]any)
	b, both := theirs.(map[string]any)
	if ok && both {
		for _, name := range slices.Sorted(maps.Keys(a)) {
			if _, there := b[name]; there {
				w.value(a[name], b[name], path+"."+name)
			} else {
				w.add(a[name], nil, path+"."+name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(b)) {
			if _, there := a[name]; !there {
				w.add(nil, b[name], path+"."+name)
			}
		}
		return
	}
	c, ok := ours.([]any)
	d, both := theirs.([]any)
	if ok && both && len(c) == len(d) {
		for i := range c {
			w.value(c[i], d[i], fmt.Sprintf("%s[%d]", path, i))
		}
		return
	}
	if !equalJSON(ours, theirs) {
		w.add(ours, theirs, path)
	}
}

// equalJSON reports whether two values are the same in JSON. For example, an integer 1 equals a
// floating-point 1.0.
func equalJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}

func (w *comparison) add(ours, theirs any, path string) {
	if w.unknown[path] {
		return
	}
	if w.secret {
		w.found = append(w.found, path+": the values differ (values of a Secret are not shown)")
		return
	}
	w.found = append(w.found, fmt.Sprintf("%s: predicted %s, server %s", path, orNothing(ours), orNothing(theirs)))
}

func orNothing(v any) string {
	if v == nil {
		return "nothing"
	}
	return words.OneLine(words.Flow(v))
}

// ownerDifferences lists the differences between the managed fields of two objects. It ignores
// timestamps.
func ownerDifferences(predicted, answered map[string]any) (found []string) {
	ours, err := managedfields.Decode(predicted)
	theirs, err2 := managedfields.Decode(answered)
	if err != nil || err2 != nil {
		return []string{"managed fields cannot be read"}
	}
	sets := func(m *managedfields.Managed) map[string]*fieldpath.Set {
		all := map[string]*fieldpath.Set{}
		for _, e := range m.Entries() {
			all[words.Owner(e.Owner, nil)] = e.Set
		}
		return all
	}
	a, b := sets(ours), sets(theirs)
	for _, owner := range slices.Sorted(maps.Keys(a)) {
		if b[owner] == nil {
			found = append(found, owner+": predicted, but the server has no such entry")
			continue
		}
		add := func(source string, more *fieldpath.Set) {
			if !more.Empty() {
				found = append(found, fmt.Sprintf("%s: only %s has these paths: %s", owner, source, words.OneLine(strings.ReplaceAll(more.String(), "\n", " "))))
			}
		}
		add("the prediction", a[owner].Difference(b[owner]))
		add("the server", b[owner].Difference(a[owner]))
	}
	for _, owner := range slices.Sorted(maps.Keys(b)) {
		if a[owner] == nil {
			found = append(found, owner+": the server has this entry, but it was not predicted")
		}
	}
	return found
}

// CheckWrite returns an error for flags that cannot be combined with --write, such as flags that
// only change the prediction.
func (q *Requests) CheckWrite() error {
	switch {
	case len(q.Live.Names) > 0:
		return command.Usagef("--write changes objects in a cluster, and --live reads them from files: leave out one of the two")
	case len(q.Sources.Proposals.Names()) > 0:
		return command.Usagef("--write changes a released server, which does not implement proposals: leave out %s", words.And(q.Sources.Proposals.Names()))
	case q.Chosen():
		return command.Usagef("--write applies each config unchanged: leave out --%s and --%s, and use --%s only without paths; instead, you can apply the config that -o report shows for these flags", command.YieldFlag, command.ShareFlag, command.ForceFlag)
	case q.subresource != "":
		return command.Usagef("--write does not support subresources, because it could not undo the write: leave out --subresource")
	}
	return q.checkSent("write")
}

// absentVersion is the resourceVersion for an apply that creates an object. No object has this
// version. Therefore, if someone else has created the object, the server rejects the apply.
const absentVersion = "1"

// Write returns the request to send to the cluster. It contains the resourceVersion of the live
// object, so that the server rejects the request if someone else has changed the object. If there
// is nothing to write, ok is false. If the object cannot be written, Write also adds an error to
// the outcome.
func (o *Outcome) Write(masks *unstructured.Masks) (w cluster.Write, ok bool) {
	m := o.Maker
	if m == nil || o.Status() != command.StatusDone || o.Result == nil || !o.Result.Changed {
		return w, false
	}
	id := o.Object.Identity()
	resource, known := m.Types.Resource(id)
	if !known {
		o.Errors = append(o.Errors, o.Object.Errorf("", "is not written, because the cluster's resource for this kind is unknown"))
		return w, false
	}
	version := absentVersion
	if o.Live != nil {
		metadata, _ := o.Live.Content["metadata"].(map[string]any)
		version = unstructured.Text(metadata, "resourceVersion")
	}
	config := unstructured.Shallow(masks.Reveal(unstructured.WithoutManagedFields(o.Sent())))
	metadata, _ := config["metadata"].(map[string]any)
	metadata = unstructured.Shallow(metadata)
	config["metadata"], metadata["resourceVersion"] = metadata, version
	body, err := json.Marshal(config)
	if err != nil || version == "" || unstructured.Masked(config) {
		o.Errors = append(o.Errors, o.Object.Errorf("", "is not written, because its JSON or its resourceVersion is missing, or a value is masked"))
		return w, false
	}
	return m.applyRequest(resource, id, body), true
}

// applyRequest returns an apply request with the given body.
func (m *Requester) applyRequest(resource cluster.Resource, id manifest.Identity, body []byte) cluster.Write {
	return cluster.Write{Form: cluster.Apply, Resource: resource, Namespace: inNamespace(resource, id.Namespace), Name: id.Name, Subresource: m.subresource, Manager: m.Manager, Force: m.force.all, Body: body}
}

// NotWritten explains why the object is not written. It returns "" if nothing prevents the
// write.
func (o *Outcome) NotWritten() string {
	switch {
	case len(o.Errors) > 0:
		return o.Errors[0].Error()
	case len(o.Conflicts) > 0:
		c := o.Conflicts[0]
		return fmt.Sprintf("is not written: %s now conflicts with %s, see dovetail diff", c.Path, words.Owner(c.Owner, nil))
	case len(o.Immutable) > 0:
		return fmt.Sprintf("is not written: %s may not change: %s", o.Immutable[0].Path, o.Immutable[0].Message)
	}
	return ""
}
