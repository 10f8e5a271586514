// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// kubectlFlag is the flag that predicts "kubectl apply --server-side".
const kubectlFlag = "kubectl"

// kubectlManager is the manager name that kubectl uses for server-side apply.
const kubectlManager = "kubectl"

// kubectlMode is the value of --kubectl: unset, true or false.
type kubectlMode struct{ set, on bool }

func (k *kubectlMode) register(flags *pflag.FlagSet) {
	flags.Var(k, kubectlFlag, `predict "kubectl apply --server-side": kubectl first applies; it then transfers the fields that it owns by client-side apply, and applies again to remove the fields that the manifest lacks (default: true for the field manager "kubectl")`)
	flags.Lookup(kubectlFlag).NoOptDefVal = "true"
}

func (k *kubectlMode) String() string {
	if !k.set {
		return ""
	}
	return strconv.FormatBool(k.on)
}

// Type returns "bool", so that the help shows this flag without a value.
func (k *kubectlMode) Type() string { return "bool" }

func (k *kubectlMode) Set(text string) (err error) {
	k.on, err = strconv.ParseBool(text)
	k.set = err == nil
	return err
}

// isKubectl reports whether to predict the requests that kubectl sends after an apply. By default,
// they are predicted for the manager "kubectl", but not if the command itself sends an apply to the
// cluster. The flag --kubectl overrides this default.
func (q *Requests) isKubectl() bool {
	if q.kubectl.set {
		return q.kubectl.on
	}
	return q.Manager == kubectlManager && !q.sends
}

// checkSent rejects --kubectl for a command that sends its requests to the cluster itself. flag is
// the name of the flag that makes the command send them.
func (q *Requests) checkSent(flag string) error {
	if q.kubectl.on {
		return command.Usagef("cannot use --%s with --%s: it sends a single apply, but \"kubectl apply --server-side\" may send several requests", flag, kubectlFlag)
	}
	q.sends = true
	return nil
}

// Kubectl describes what kubectl changes with additional requests after an apply. kubectl sends
// them if client-side apply wrote the live object.
type Kubectl struct {
	// Predicted is set if the result of the outcome includes these changes. If it is not set, the
	// changes are only a warning: kubectl would make them if it applied the same config.
	Predicted bool
	// From lists the managers whose fields kubectl transfers to the applier. If no manager owns the
	// last-applied annotation, From is empty, and kubectl only applies the annotation.
	From []string
	// Removes lists the fields that kubectl's second apply removes.
	Removes []string
}

// followKubectl predicts the requests that kubectl sends after the apply. If isKubectl returns
// true, it adds the changes of these requests to the result of the outcome. Otherwise, it only
// warns about the fields that kubectl would remove.
func (m *Requester) followKubectl(o *Outcome) {
	if m.update || o.Result == nil || o.Live == nil || len(o.Errors) > 0 || o.server == nil {
		return
	}
	migration, err := o.migrateAsKubectl(o.applied, o.forced || m.force.all, o.Result)
	if err != nil {
		o.Warn(".metadata.managedFields", fmt.Sprintf("cannot predict the requests that kubectl sends after the apply: %v", err))
		return
	}
	if migration == nil {
		return
	}
	k := &Kubectl{Predicted: m.isKubectl(), From: migration.From}
	if err := o.noteRemoved(k, o.Result, migration); err != nil {
		o.Warn("", fmt.Sprintf("cannot compare the object before and after kubectl's second apply: %v", err))
		return
	}
	if !k.Predicted && len(k.Removes) == 0 {
		return
	}
	o.Kubectl = k
	if k.Predicted {
		after := *o.Result
		after.Object, after.Changed = migration.Object, true
		o.Result = &after
		o.noteAll(migration.Warnings)
		text := fmt.Sprintf("%v: %s", o.Object.Identity(), k.Requests(m.Manager))
		if len(k.Removes) > 0 {
			text += ", which removes " + words.ShortList(k.Removes)
		}
		o.Notes = append(o.Notes, words.OneLine(text))
		return
	}
	o.warnOfResult(warning{o.Live.Position(".metadata.managedFields"), ".metadata.managedFields", o.takeoverWarning(k)})
}

// takeoverWarning returns a warning about fields that the apply keeps, although kubectl or a
// client like Argo CD would remove them. These clients take over the fields of client-side apply. It
// also adds the migration in the warning to the outcome.
func (o *Outcome) takeoverWarning(k *Kubectl) string {
	removes, from := words.ShortList(k.Removes), words.And(quoted(k.From))
	migration := o.Migration(k.From, "")
	o.Migrations = append(o.Migrations, migration)
	if client := takingOver(o.Manager, k.From); client != "" {
		migration.preview = true // a prediction must not suggest a write to the cluster
		return fmt.Sprintf("%s would also remove %s: by default, it takes over the fields of %s, and removes those that the config lacks. To predict this, use the output of \"%v\" as the live objects", client, removes, from, migration)
	}
	return fmt.Sprintf("\"kubectl apply --server-side\" would also remove %s: after the apply, it takes over the fields of %s, and applies again to remove those that the manifest lacks. To predict this, use --%s. To remove these fields with other clients, too, first run \"%v\"",
		removes, from, kubectlFlag, migration)
}

// takingOver returns the name of a client, such as "Argo CD", that takes over the fields of other
// managers when it applies. The argument manager is the client's manager name. takingOver returns
// "" if the client is unknown, or does not take over the fields of all managers in otherManagers.
//
// Argo CD first takes over the fields of kubectl-client-side-apply. It then applies with kubectl's
// code, which takes over the fields of the other managers.
func takingOver(manager string, otherManagers []string) string {
	client, takes := "", func(string) bool { return false }
	switch manager {
	case "argocd-controller":
		client, takes = "Argo CD", func(string) bool { return true }
	case "kustomize-controller":
		client, takes = "Flux", func(name string) bool { return strings.HasPrefix(name, "kubectl") }
	}
	if slices.ContainsFunc(otherManagers, func(name string) bool { return !takes(name) }) {
		return ""
	}
	return client
}

// migrateAsKubectl predicts the requests that kubectl sends after an apply. The argument applied is
// the result of the apply, and config is the config that was applied, or nil for the object of the
// request. If kubectl sends no further requests, migrateAsKubectl returns nil.
func (o *Outcome) migrateAsKubectl(config map[string]any, forced bool, applied *fieldmanager.Result) (*predict.KubectlMigration, error) {
	r := *o.sent
	if forced {
		r.Verb = predict.ApplyForce
	}
	if config != nil {
		r.Object = config
	}
	return o.server.MigrateAsKubectl(&r, applied.Object)
}

// noteRemoved stores in k which fields kubectl's further requests remove. If these requests are not
// predicted, it leaves out the last-applied annotation.
func (o *Outcome) noteRemoved(k *Kubectl, applied *fieldmanager.Result, migration *predict.KubectlMigration) error {
	removed, err := fields.Changes(o.LiveType, applied.Object, migration.Object)
	if err != nil {
		return err
	}
	for _, c := range removed {
		if removesValues(&c) && (k.Predicted || !isLastApplied(&c)) {
			k.Removes = append(k.Removes, c.Path.String())
		}
	}
	return nil
}

// resolveAsKubectl adds the effect of kubectl's further requests to a resolution, if they are
// predicted. The argument done is the outcome of applying w.Config.
func (o *Outcome) resolveAsKubectl(w *Resolution, done *resolve.Outcome) {
	m := o.Maker
	if o.Live == nil || o.server == nil || !m.isKubectl() {
		return
	}
	forced := slices.ContainsFunc(done.Resolutions, func(r resolve.Resolution) bool { return r.Choice == resolve.Force })
	migration, err := o.migrateAsKubectl(w.Config, forced || m.force.all, w.Result)
	if err != nil || migration == nil {
		return // if the user chooses this resolution, followKubectl reports the error
	}
	k := &Kubectl{Predicted: true, From: migration.From}
	if o.noteRemoved(k, w.Result, migration) != nil {
		return
	}
	after := *w.Result
	after.Object, after.Changed = migration.Object, true
	w.Result, w.Kubectl = &after, k
}

// Requests describes kubectl's further requests in a sentence. applier is the manager of the
// apply.
func (k *Kubectl) Requests(applier string) string {
	if len(k.From) == 0 {
		return fmt.Sprintf("kubectl will also apply the annotation %s as the manager kubectl-last-applied", fieldmanager.LastAppliedAnnotation)
	}
	return fmt.Sprintf("kubectl will transfer the fields of %s to %s and apply a second time", words.And(quoted(k.From)), words.Manager(applier))
}

// removesValues reports whether a change removes a field, or empties a list or map.
func removesValues(c *fields.Change) bool {
	return c.HasOld && (!c.HasNew || isEmpty(c.New) && !isEmpty(c.Old))
}

// isLastApplied reports whether a change only removes the last-applied annotation. Server-side
// apply does not use this annotation.
func isLastApplied(c *fields.Change) bool {
	switch old := c.Old.(type) {
	case string:
		return c.Path.Equals(lastAppliedPath)
	case map[string]any:
		_, there := old[fieldmanager.LastAppliedAnnotation]
		return there && len(old) == 1 && c.Path.Equals(lastAppliedPath[:len(lastAppliedPath)-1])
	}
	return false
}

var lastAppliedPath = fieldpath.MakePathOrDie("metadata", "annotations", fieldmanager.LastAppliedAnnotation)

// quoted returns names in quotes.
func quoted(names []string) (all []string) {
	for _, name := range names {
		all = append(all, words.Manager(name))
	}
	return all
}
