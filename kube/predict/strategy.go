// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/document"
)

// keepsStatus reports whether a request creates an object with the status that it sends. A server
// removes the status of every other new object. In all cases, nobody owns the fields of the status.
func (p *PreparedRequest) keepsStatus() bool {
	return kindOf(p.request.Object) == "Node" && p.request.Live == nil && p.request.Subresource == "" && p.server.predicts(p.request.Object)
}

// strategy runs admission and then the strategy of the endpoint. It returns the object as
// the server reads it back after storing it.
func (p *PreparedRequest) strategy(object map[string]any) (map[string]any, error) {
	err := p.checkTerminating(object)
	if err != nil {
		return nil, err
	}
	mainly := p.request.Subresource == "" && p.server.predicts(object)
	if mainly {
		before := object
		if object, err = p.admit(object); err != nil {
			return nil, err
		}
		p.trace(StageAdmission, before, object)
	}
	before := object
	object, err = p.mutate(object)
	if err != nil {
		return nil, err
	}
	if p.server.Policies != nil {
		p.trace(StagePolicies, before, object)
	}
	if err := p.checkRevision(object); err != nil {
		return nil, err
	}
	before = object
	stored, called, err := p.nativeStored(object)
	if err != nil {
		return nil, err
	}
	if called {
		p.trace(StageStrategy, before, stored)
		return stored, nil
	}
	if mainly {
		switch kind := kindOf(object); {
		case isDaemonSet(object):
			object = p.countTemplates(object)
		case p.Live == nil:
			object = created(object)
		case kind == "Service":
			object = withAllocated(object, p.Live)
		case kind == "Namespace":
			object = keepFinalizers(object, p.Live)
		}
	}
	if kindOf(object) == requestForCertificate && p.server.predicts(object) {
		object = p.requestForCertificate(object)
	}
	if mainly || !box.SameMap(before, object) {
		p.trace(StageStrategy, before, object)
	}
	encoded, _ := p.fromStore(object)
	p.traceGo(StageEncoded, object, encoded)
	counted := p.withGeneration(encoded)
	p.trace(StageGeneration, encoded, counted)
	return counted, nil
}

// phases maps kinds to the status phase of new objects. Requests cannot set it.
var phases = map[string]string{"Namespace": "Active", "PersistentVolume": "Pending", "PersistentVolumeClaim": "Pending", "Pod": "Pending"}

// created sets the values that the strategy of a built-in kind sets in a new object.
func created(object map[string]any) map[string]any {
	switch kindOf(object) {
	case "Namespace":
		object, spec := field(object, "spec")
		finalizers, _ := spec["finalizers"].([]any)
		if !slices.Contains(finalizers, any("kubernetes")) {
			spec["finalizers"] = append(slices.Clone(finalizers), "kubernetes")
		}
		return object
	case "Job.batch":
		return withJobNames(object)
	case "Service":
		return withFamilyPolicy(withFirstIP(object), nil)
	}
	return object
}

// withStoredVersion returns a CustomResourceDefinition whose status lists its storage
// version. The strategy of the kind first drops the status in the request and then adds
// the version.
func withStoredVersion(definition map[string]any) map[string]any {
	versions, _ := specOf(definition)["versions"].([]any)
	for _, v := range versions {
		version, _ := v.(map[string]any)
		name, _ := version["name"].(string)
		if version["storage"] != true || name == "" {
			continue
		}
		status, _ := definition["status"].(map[string]any)
		stored, _ := status["storedVersions"].([]any)
		if slices.Contains(stored, any(name)) {
			continue
		}
		definition, status = field(definition, "status")
		status["storedVersions"] = append(slices.Clone(stored), name)
	}
	return definition
}

// keepFinalizers returns a Namespace with the finalizers of the live Namespace, because
// no update can change these finalizers.
func keepFinalizers(namespace, live map[string]any) map[string]any {
	was := specOf(live)["finalizers"]
	if document.Equal(specOf(namespace)["finalizers"], was) {
		return namespace
	}
	namespace, spec := field(namespace, "spec")
	if delete(spec, "finalizers"); was != nil {
		spec["finalizers"] = was
	}
	return namespace
}

// withJobNames adds labels with the name of a new Job to its pod template, unless the Job
// has a manual selector. The labels with the Job's uid cannot be predicted.
func withJobNames(job map[string]any) map[string]any {
	name := document.MetaString(job, "name")
	spec, _ := job["spec"].(map[string]any)
	if name == "" || spec["manualSelector"] == true {
		return job
	}
	job, spec = field(job, "spec")
	template, labels := field(spec["template"], "metadata", "labels")
	for _, label := range []string{"job-name", "batch.kubernetes.io/job-name"} {
		if _, there := labels[label]; !there {
			labels[label] = name
		}
	}
	spec["template"] = template
	return job
}

// field makes a shallow copy of an object, and returns the copy and the map at a path in it. If the
// map does not exist, field creates the map. The caller may modify the copy and this map.
func field(object any, path ...string) (copied, at map[string]any) {
	copied, _ = object.(map[string]any)
	copied = document.Shallow(copied)
	at = copied
	for _, name := range path {
		below, _ := at[name].(map[string]any)
		below = document.Shallow(below)
		at[name] = below
		at = below
	}
	return copied, at
}
