// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// priorityClass contains the values that a Pod gets from its priority class.
type priorityClass struct {
	name   string
	value  int64
	policy any // the preemption policy of the class as a string, or nil if the class has none
}

// systemClasses are the priority classes that every server has.
var systemClasses = map[string]int64{"system-cluster-critical": 2000000000, "system-node-critical": 2000001000}

// classOf returns the priority class of a new Pod. If the Pod names no class, the result is the
// default class. The result known is false if only the server knows the class.
func (p *PreparedRequest) classOf(pod map[string]any) (class priorityClass, known bool) {
	name, _ := specOf(pod)["priorityClassName"].(string)
	all := p.others("scheduling.k8s.io", "PriorityClass")
	for _, c := range all {
		own := document.MetaString(c, "name")
		if name != "" && own != name || name == "" && c["globalDefault"] != true {
			continue
		}
		value, _ := document.Integer(c["value"])
		if !known || value < class.value {
			class, known = priorityClass{own, value, c["preemptionPolicy"]}, true
		}
	}
	if known {
		return class, true
	}
	value, system := systemClasses[name]
	switch {
	case system:
	case len(all) == 0, name != "": // the server may have such a class
		return class, false
	}
	return priorityClass{name, value, "PreemptLowerPriority"}, true
}

// withClass sets the priority and the preemption policy of a new Pod from its priority
// class (plugin Priority).
func (p *PreparedRequest) withClass(pod map[string]any) (map[string]any, error) {
	class, known := p.classOf(pod)
	if !known {
		return pod, nil
	}
	pod, spec := field(pod, "spec")
	if sent, set := document.Integer(spec["priority"]); set && sent != class.value {
		return nil, p.server.forbidden(pod, fmt.Sprintf("the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", sent, class.value))
	}
	if sent := spec["preemptionPolicy"]; class.policy != nil && sent != nil && sent != class.policy {
		return nil, p.server.forbidden(pod, fmt.Sprintf("the string value of PreemptionPolicy (%v) must not be provided in pod spec; priority admission controller computed %v from the given PriorityClass name", sent, class.policy))
	}
	if spec["priority"] = class.value; class.name != "" {
		spec["priorityClassName"] = class.name
	}
	if class.policy != nil {
		spec["preemptionPolicy"] = class.policy
	}
	return pod, nil
}
