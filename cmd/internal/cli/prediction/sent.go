// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// CheckVerify refuses requests that cannot be compared with a dry run.
func (q *Requests) CheckVerify(r *command.Run) error {
	switch {
	case len(q.Live.Names) > 0 || !q.Sources.Cluster.Want(r):
		return command.Usagef("--verify asks a cluster, which has to be named: --context, -n; and goes without --live")
	case len(q.Sources.Proposals.Names()) > 0:
		return command.Usagef("--verify compares with a server of today: leave out proposals, %s", words.And(q.Sources.Proposals.Names()))
	case q.Chosen():
		return command.Usagef("--verify asks for what is applied as it is: leave out --%s, and paths of --%s", command.YieldFlag, command.ForceFlag)
	}
	return q.checkSent("verify")
}

// Verify asks the cluster for a dry run of the request, and adds to the errors of o where it and
// the prediction differ, in words fit for a bug report.
func (o *Outcome) Verify() {
	m := o.Maker
	if m == nil || m.Types.Cluster() == nil {
		return
	}
	id := o.Object.Identity()
	of, known := m.Types.Resource(id)
	if !known {
		return // which is told
	}
	if unstructured.Masked(o.Object.Content) {
		o.Warn("", "is not verified: its values are masked, and a dry run needs them; give --show-secrets")
		return
	}
	body, err := json.Marshal(o.Object.Content)
	if err != nil {
		o.Errors = append(o.Errors, o.Object.Errorf("", "%v", err))
		return
	}
	c := m.Types.Cluster()
	trial := m.applied(of, id, body)
	trial.Trial = true
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
		o.Errors = append(o.Errors, o.Object.Errorf("", "%s", o.ToMend(differences)))
	}
}

// ToMend says that the prediction is wrong, in words fit for a bug report.
func (o *Outcome) ToMend(differences []string) string {
	m := o.Maker
	return ToMend(o.Object.Identity(), fmt.Sprintf("manager %s, force %t, %s, cluster %s", words.Flow(m.Manager), m.force.all, m.Types.Kubernetes(), m.Types.Cluster().VersionName()), differences)
}

// ToMend says that what was predicted of an object is wrong, in words fit for a bug report; how
// says what was asked for, and by which releases.
func ToMend(id manifest.Identity, how string, differences []string) string {
	const most = 20
	if n := len(differences) - most; n > 0 {
		differences = append(differences[:most:most], fmt.Sprintf("and %d more", n))
	}
	return fmt.Sprintf("%v: the prediction is wrong, or something beside the API server changes the object, as a webhook does. Please report these lines at https://github.com/dovetail-ssa/dovetail/issues, with the object and the live object:\n  %s\n  %s",
		id, how, strings.Join(differences, "\n  "))
}

// compareRefusals returns what was predicted and what the server answered, if only one of them
// refuses the request or both do so with different HTTP statuses. It returns nil if they agree. If
// the predicted status is not known, every status of the server agrees, except 409.
func (o *Outcome) compareRefusals(refused *cluster.Refusal) []string {
	ours, code := "applied", http.StatusOK
	switch {
	case len(o.Errors) > 0:
		ours, code = "refused", o.refusedStatus
		if code != 0 {
			ours = fmt.Sprintf("refused: %d", code)
		}
		ours += ": " + o.Errors[0].Message
	case len(o.Conflicts) > 0:
		ours, code = "a conflict", http.StatusConflict
	case len(o.Immutable) > 0:
		code = http.StatusUnprocessableEntity
		ours = fmt.Sprintf("refused: %d: a change that is not allowed", code)
	}
	theirs, answered := "applied", http.StatusOK
	if refused != nil {
		answered = refused.Code
		theirs = fmt.Sprintf("refused: %d %s: %s", refused.Code, refused.Reason, words.OneLine(refused.Message))
	}
	if code == answered || code == 0 && refused != nil && answered != http.StatusConflict {
		return nil
	}
	return []string{"predicted: " + ours, "server: " + theirs}
}

// countedByServer are the fields of metadata that a server counts or makes up.
var countedByServer = []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "generation"}

// DiffersFrom lists where the predicted object and what a server answered differ, managed fields
// included.
func (o *Outcome) DiffersFrom(answered map[string]any) []string {
	unknown := map[string]bool{".status": o.Live == nil} // which controllers write later
	for _, path := range o.Unknown() {
		unknown[path] = true
	}
	return Differences(o.Result.Object, answered, unknown)
}

// Unknown are the places in what is stored that only a server knows, as DiffersFrom has them.
func (o *Outcome) Unknown() (paths []string) {
	for _, path := range o.request.Prediction(o.Result).OnlyServer {
		paths = append(paths, path.String())
	}
	return paths
}

// Differences lists where an object and what a server answered differ, managed fields included,
// but for what a server counts, and places that are unknown.
func Differences(predicted, answered map[string]any, unknown map[string]bool) []string {
	w := &verifying{secret: unstructured.LooksLikeSecret(predicted), unknown: unknown}
	w.value(withoutCounted(predicted), withoutCounted(answered), "")
	return append(w.found, owningOtherwise(predicted, answered)...)
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

// verifying lists differences of plain data.
type verifying struct {
	secret  bool
	unknown map[string]bool
	found   []string
}

func (w *verifying) value(ours, theirs any, path string) {
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
				w.tell(a[name], nil, path+"."+name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(b)) {
			if _, there := a[name]; !there {
				w.tell(nil, b[name], path+"."+name)
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
	if !same(ours, theirs) {
		w.tell(ours, theirs, path)
	}
}

// same compares scalars and lists: 1 and 1.0 are one number in JSON.
func same(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(x) == string(y)
}

func (w *verifying) tell(ours, theirs any, path string) {
	if w.unknown[path] {
		return
	}
	if w.secret {
		w.found = append(w.found, path+": the two differ (values of a Secret are not shown)")
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

// owningOtherwise lists where managed fields differ, times aside.
func owningOtherwise(predicted, answered map[string]any) (found []string) {
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
			found = append(found, owner+": predicted as an owner, and the server has no such entry")
			continue
		}
		tell := func(who string, more *fieldpath.Set) {
			if !more.Empty() {
				found = append(found, fmt.Sprintf("%s: %s has that it owns %s", owner, who, words.OneLine(strings.ReplaceAll(more.String(), "\n", " "))))
			}
		}
		tell("the prediction alone", a[owner].Difference(b[owner]))
		tell("the server alone", b[owner].Difference(a[owner]))
	}
	for _, owner := range slices.Sorted(maps.Keys(b)) {
		if a[owner] == nil {
			found = append(found, owner+": an owner in the server, and not predicted")
		}
	}
	return found
}

// CheckWrite refuses requests that cannot be sent to a cluster as they are predicted.
func (q *Requests) CheckWrite() error {
	switch {
	case len(q.Live.Names) > 0:
		return command.Usagef("--write applies to the live objects of a cluster: leave out --live")
	case len(q.Sources.Proposals.Names()) > 0:
		return command.Usagef("--verify compares with a server of today: leave out proposals, %s", words.And(q.Sources.Proposals.Names()))
	case q.Chosen():
		return command.Usagef("--write applies what it is given, as it is: leave out --%s, and paths of --%s; -o report has the config that they make", command.YieldFlag, command.ForceFlag)
	case q.subresource != "":
		return command.Usagef("--write applies objects, and could not undo what was written to a subresource: leave out --subresource")
	}
	return q.checkSent("write")
}

// noVersion is the resourceVersion of an apply that is to make an object: no object has it, so it
// is refused if there is one by then.
const noVersion = "1"

// Write is the request as a cluster takes it, for the state of the live object that was read. ok
// is false if nothing is to be written.
func (o *Outcome) Write(masks *unstructured.Masks) (w cluster.Write, ok bool) {
	m := o.Maker
	if m == nil || o.Status() != command.StatusDone || o.Result == nil || !o.Result.Changed {
		return w, false
	}
	id := o.Object.Identity()
	of, known := m.Types.Resource(id)
	if !known {
		o.Errors = append(o.Errors, o.Object.Errorf("", "is not written: it is not known how the cluster calls its resource"))
		return w, false
	}
	version := noVersion
	if o.Live != nil {
		metadata, _ := o.Live.Content["metadata"].(map[string]any)
		version = unstructured.Text(metadata, "resourceVersion")
	}
	config := unstructured.Shallow(masks.Reveal(o.Sent()))
	metadata, _ := config["metadata"].(map[string]any)
	metadata = unstructured.Shallow(metadata)
	config["metadata"], metadata["resourceVersion"] = metadata, version
	body, err := json.Marshal(config)
	if err != nil || version == "" || unstructured.Masked(config) {
		o.Errors = append(o.Errors, o.Object.Errorf("", "is not written: it cannot be sent as it is"))
		return w, false
	}
	return m.applied(of, id, body), true
}

// applied is the request of an apply.
func (m *Requester) applied(of cluster.Resource, id manifest.Identity, body []byte) cluster.Write {
	return cluster.Write{Form: cluster.Apply, Of: of, Namespace: inNamespace(of, id.Namespace), Name: id.Name, Subresource: m.subresource, Manager: m.Manager, Force: m.force.all, Body: body}
}

// Why says in a line why nothing comes of the request; empty if something does.
func (o *Outcome) Why() string {
	switch {
	case len(o.Errors) > 0:
		return o.Errors[0].Error()
	case len(o.Conflicts) > 0:
		c := o.Conflicts[0]
		return fmt.Sprintf("is not written: %s is owned by %s by now, see dovetail diff", c.Path, words.Owner(c.Owner, nil))
	case len(o.Immutable) > 0:
		return fmt.Sprintf("is not written: %s may not change: %s", o.Immutable[0].Path, o.Immutable[0].Message)
	}
	return ""
}
