// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package podsecurity evaluates the admission plugin PodSecurity, which every API server runs. The
// plugin checks Pods, and the Pod templates of workloads, according to the labels of their Namespace.
// Pods that violate the level in the label "enforce" are rejected. Violations of the level in the
// label "warn" cause warnings. The label "audit" is ignored, because it only affects a server's log.
// The package calls the plugin's own code for the checks.
//
//	evaluator, err := podsecurity.New("1.37")
//	server := &predict.Server{ /* … */ PodSecurity: evaluator, Others: others}
//
// A Namespace without these labels has the level privileged. A server can be configured with other
// defaults and with exemptions, which an Evaluator does not support.
package podsecurity

import (
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// Evaluator implements predict.PodSecurity. It is safe for concurrent use.
type Evaluator struct{ checks policy.Evaluator }

// New returns an Evaluator with the checks of a Kubernetes minor release, such as 1.37.
func New(release string) (*Evaluator, error) {
	version, err := api.ParseVersion("v" + release)
	if err != nil {
		return nil, fmt.Errorf("release %q: want a minor release such as 1.37", release)
	}
	checks, err := policy.NewEvaluator(policy.DefaultChecks(), &version)
	if err != nil {
		return nil, err
	}
	return &Evaluator{checks}, nil
}

// templates maps each kind with a Pod template to the path of the template.
var templates = map[string][]string{
	"PodTemplate": {"template"}, "ReplicationController": {"spec", "template"}, "ReplicaSet.apps": {"spec", "template"},
	"Deployment.apps": {"spec", "template"}, "StatefulSet.apps": {"spec", "template"}, "DaemonSet.apps": {"spec", "template"},
	"Job.batch": {"spec", "template"}, "CronJob.batch": {"spec", "jobTemplate", "spec", "template"},
}

// Checks reports whether an Evaluator checks objects of a kind, because they are Pods or contain a
// Pod template.
func Checks(apiVersion, kind string) bool {
	name := groupKind(apiVersion, kind)
	return name == "Pod" || templates[name] != nil
}

func groupKind(apiVersion, kind string) string {
	return schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind().String()
}

// Evaluate implements predict.PodSecurity.
func (e *Evaluator) Evaluate(r *predict.PodSecurityRequest) predict.PodSecurityResult {
	switch kind := groupKind(document.TypeOf(r.Object)); kind {
	case "Namespace":
		return e.evaluateNamespace(r)
	case "Pod":
		if r.Subresource == "status" || !changesImages(r.Object, r.Live) {
			return predict.PodSecurityResult{}
		}
		return e.evaluate(r.Object, r.Namespace, true)
	default:
		path, ok := templates[kind]
		if !ok || r.Subresource != "" {
			return predict.PodSecurityResult{}
		}
		template := r.Object
		for _, name := range path {
			template, _ = template[name].(map[string]any)
		}
		if template == nil {
			return predict.PodSecurityResult{}
		}
		return e.evaluate(template, r.Namespace, false)
	}
}

// evaluate checks a Pod or a Pod template according to the labels of its Namespace. enforce is
// false for a template, so that violations only cause warnings.
func (e *Evaluator) evaluate(pod, namespace map[string]any, enforce bool) predict.PodSecurityResult {
	levels, _ := levelsOf(namespace)
	var result predict.PodSecurityResult
	if enforce {
		if found := e.check(levels.Enforce, pod); !found.Allowed {
			result.Forbidden = fmt.Sprintf("violates PodSecurity %q: %s", levels.Enforce.String(), found.ForbiddenDetail())
			return result
		}
	}
	if found := e.check(levels.Warn, pod); !found.Allowed {
		result.Warnings = []string{fmt.Sprintf("would violate PodSecurity %q: %s", levels.Warn.String(), found.ForbiddenDetail())}
	}
	return result
}

// check checks a Pod against a level. A Pod that Go cannot decode passes, because the server
// rejects it anyway.
func (e *Evaluator) check(level api.LevelVersion, pod map[string]any) policy.AggregateCheckResult {
	var metadata metav1.ObjectMeta
	var spec corev1.PodSpec
	content, _ := pod["spec"].(map[string]any)
	if level.Level == api.LevelPrivileged || runtime.DefaultUnstructuredConverter.FromUnstructured(content, &spec) != nil ||
		runtime.DefaultUnstructuredConverter.FromUnstructured(document.Metadata(pod), &metadata) != nil {
		return policy.AggregateCheckResult{Allowed: true}
	}
	return policy.AggregateCheckResults(e.checks.EvaluatePod(level, &metadata, &spec))
}

// levelsOf returns the levels that the labels of a Namespace set. Without a label, the level is
// privileged. The second result lists invalid labels.
func levelsOf(namespace map[string]any) (api.Policy, field.ErrorList) {
	privileged := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	labels := map[string]string{}
	all, _ := document.Metadata(namespace)["labels"].(map[string]any)
	for name, v := range all {
		if text, ok := v.(string); ok {
			labels[name] = text
		}
	}
	return api.PolicyToEvaluate(labels, api.Policy{Enforce: privileged, Audit: privileged, Warn: privileged})
}

// changesImages reports whether a request adds containers to a Pod or changes images of its
// containers. PodSecurity skips all other updates of a Pod. The argument live is nil for a new Pod.
func changesImages(pod, live map[string]any) bool {
	if live == nil {
		return true
	}
	spec, _ := pod["spec"].(map[string]any)
	before, _ := live["spec"].(map[string]any)
	for _, list := range []string{"containers", "initContainers"} {
		if !slices.Equal(valuesOf(spec[list], "image"), valuesOf(before[list], "image")) {
			return true
		}
	}
	images := map[any]any{}
	names, values := valuesOf(before["ephemeralContainers"], "name"), valuesOf(before["ephemeralContainers"], "image")
	for i, name := range names {
		images[name] = values[i]
	}
	values = valuesOf(spec["ephemeralContainers"], "image")
	for i, name := range valuesOf(spec["ephemeralContainers"], "name") {
		if image, there := images[name]; !there || image != values[i] {
			return true
		}
	}
	return false
}

// valuesOf returns the value of a text field in each item of a list.
func valuesOf(list any, name string) (all []any) {
	items, _ := list.([]any)
	for _, item := range items {
		m, _ := item.(map[string]any)
		text, _ := m[name].(string)
		all = append(all, text)
	}
	return all
}

// evaluateNamespace checks the labels of a Namespace. If an update sets a stricter level, it also
// checks the Pods that are already in the Namespace.
func (e *Evaluator) evaluateNamespace(r *predict.PodSecurityRequest) (result predict.PodSecurityResult) {
	if r.Subresource != "" {
		return result
	}
	levels, invalid := levelsOf(r.Object)
	before, known := levelsOf(r.Live)
	if len(invalid) > 0 && (r.Live == nil || !reflect.DeepEqual(invalid, known)) {
		for _, err := range invalid {
			result.Invalid = append(result.Invalid, predict.Cause{Type: string(err.Type), Field: err.Field, Message: err.ErrorBody()})
		}
		return result
	}
	enforce, old := levels.Enforce, before.Enforce
	relaxed := enforce.Version == old.Version && api.CompareLevels(enforce.Level, old.Level) <= 0
	if r.Live != nil && enforce.Level != api.LevelPrivileged && !relaxed {
		result.Warnings = e.existing(document.MetaString(r.Object, "name"), enforce, r.Pods)
	}
	return result
}

// existing returns warnings about the Pods in a Namespace that violate a level. pods may contain
// Pods of other Namespaces.
func (e *Evaluator) existing(namespace string, level api.LevelVersion, pods []map[string]any) []string {
	names := map[string][]string{}
	for _, pod := range pods {
		if document.MetaString(pod, "namespace") != namespace {
			continue
		}
		if found := e.check(level, pod); !found.Allowed {
			why := found.ForbiddenReason()
			names[why] = append(names[why], document.MetaString(pod, "name"))
		}
	}
	var all []string
	for why, of := range names {
		more := ""
		if n := len(of) - 1; n == 1 {
			more = " (and 1 other pod)"
		} else if n > 1 {
			more = fmt.Sprintf(" (and %d other pods)", n)
		}
		all = append(all, slices.Min(of)+more+": "+why)
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	return append([]string{fmt.Sprintf("existing pods in namespace %q violate the new PodSecurity enforce level %q", namespace, level.String())}, all...)
}
