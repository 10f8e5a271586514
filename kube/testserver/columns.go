// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// builtinTable describes the table that kubectl get shows for a built-in kind: the columns
// after the name, and a function that computes the cells of an object.
type builtinTable struct {
	columns []metav1.TableColumnDefinition
	cells   func(o tree, now time.Time) []any
}

// always returns table columns that "kubectl get" shows in every case. onlyWide returns columns that
// it shows only with -o wide. Columns contain text, except those with names like "Data int", which
// contain integers.
func always(names ...string) []metav1.TableColumnDefinition   { return columnsOf(0, names) }
func onlyWide(names ...string) []metav1.TableColumnDefinition { return columnsOf(1, names) }

func columnsOf(priority int32, names []string) (list []metav1.TableColumnDefinition) {
	for _, name := range names {
		name, integer := strings.CutSuffix(name, " int")
		kind := "string"
		if integer {
			kind = "integer"
		}
		list = append(list, metav1.TableColumnDefinition{Name: name, Type: kind, Description: strings.ToLower(name) + " of the object", Priority: priority})
	}
	return list
}

// builtinTables maps the group and kind of a built-in kind to its table. For a
// built-in kind without a table, the server shows only the name and the age.
var builtinTables = map[string]builtinTable{
	"/Pod": {append(always("Ready", "Status", "Restarts", "Age"), onlyWide("IP", "Node", "Nominated Node", "Readiness Gates")...), podCells},
	"/Service": {append(always("Type", "Cluster-IP", "External-IP", "Port(s)", "Age"), onlyWide("Selector")...), func(o tree, now time.Time) []any {
		return []any{o.text("spec", "type"), orNone(o.text("spec", "clusterIP")), externalIPs(o), orNone(servicePorts(o)), o.age(now), selector(o.at("spec", "selector"))}
	}},
	"/ConfigMap": {always("Data int", "Age"), func(o tree, now time.Time) []any {
		return []any{int64(len(o.at("data")) + len(o.at("binaryData"))), o.age(now)}
	}},
	"/Secret": {always("Type", "Data int", "Age"), func(o tree, now time.Time) []any {
		return []any{o.text("type"), int64(len(o.at("data"))), o.age(now)}
	}},
	"/Namespace": {always("Status", "Age"), func(o tree, now time.Time) []any {
		return []any{o.text("status", "phase"), o.age(now)}
	}},
	"/Node":                  {append(always("Status", "Roles", "Age", "Version"), onlyWide("Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime")...), nodeCells},
	"/PersistentVolumeClaim": {append(always("Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass", "Age"), onlyWide("VolumeMode")...), claimCells},
	"apps/Deployment": {append(always("Ready", "Up-to-date int", "Available int", "Age"), onlyWide("Containers", "Images", "Selector")...), func(o tree, now time.Time) []any {
		ready := fmt.Sprintf("%d/%d", o.number("status", "readyReplicas"), o.number("spec", "replicas"))
		return append([]any{ready, o.number("status", "updatedReplicas"), o.number("status", "availableReplicas"), o.age(now)}, workload(o, true)...)
	}},
	"apps/ReplicaSet": {append(always("Desired int", "Current int", "Ready int", "Age"), onlyWide("Containers", "Images", "Selector")...), func(o tree, now time.Time) []any {
		return append([]any{o.number("spec", "replicas"), o.number("status", "replicas"), o.number("status", "readyReplicas"), o.age(now)}, workload(o, true)...)
	}},
	"apps/StatefulSet": {append(always("Ready", "Age"), onlyWide("Containers", "Images")...), func(o tree, now time.Time) []any {
		ready := fmt.Sprintf("%d/%d", o.number("status", "readyReplicas"), o.number("spec", "replicas"))
		return append([]any{ready, o.age(now)}, workload(o, false)...)
	}},
	"apps/DaemonSet": {append(always("Desired int", "Current int", "Ready int", "Up-to-date int", "Available int", "Node Selector", "Age"), onlyWide("Containers", "Images", "Selector")...), func(o tree, now time.Time) []any {
		return append([]any{
			o.number("status", "desiredNumberScheduled"), o.number("status", "currentNumberScheduled"), o.number("status", "numberReady"),
			o.number("status", "updatedNumberScheduled"), o.number("status", "numberAvailable"), selector(o.at("spec", "template", "spec", "nodeSelector")), o.age(now),
		}, workload(o, true)...)
	}},
	"batch/Job":                 {append(always("Status", "Completions", "Duration", "Age"), onlyWide("Containers", "Images", "Selector")...), jobCells},
	"batch/CronJob":             {append(always("Schedule", "Timezone", "Suspend", "Active int", "Last Schedule", "Age"), onlyWide("Containers", "Images", "Selector")...), cronJobCells},
	"networking.k8s.io/Ingress": {always("Class", "Hosts", "Address", "Ports", "Age"), ingressCells},
}

// tableOf returns the table of a built-in kind. It returns false if there is none.
func tableOf(r *resource) (builtinTable, bool) {
	if r.custom != nil {
		return builtinTable{}, false
	}
	t, ok := builtinTables[r.group+"/"+r.kind]
	return t, ok
}

// tree is an object, or a map inside an object.
type tree map[string]any

// at returns the map at a path, or nil if there is none.
func (o tree) at(path ...string) tree {
	for _, name := range path {
		o, _ = treeOf(o[name])
	}
	return o
}

func treeOf(v any) (tree, bool) {
	m, ok := v.(map[string]any)
	return m, ok
}

// get returns the value at a path, or nil.
func (o tree) get(path ...string) any {
	return o.at(path[:len(path)-1]...)[path[len(path)-1]]
}

// text returns the string at a path, or "".
func (o tree) text(path ...string) string {
	s, _ := o.get(path...).(string)
	return s
}

// number returns the number at a path, or 0.
func (o tree) number(path ...string) int64 {
	switch n := o.get(path...).(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}

// items returns the maps of the list at a path.
func (o tree) items(path ...string) (all []tree) {
	list, _ := o.get(path...).([]any)
	for _, v := range list {
		if m, ok := treeOf(v); ok {
			all = append(all, m)
		}
	}
	return all
}

// age returns the time since the creation of the object.
func (o tree) age(now time.Time) string { return since(o.text("metadata", "creationTimestamp"), now) }

// since returns the duration from the time in text to now, in kubectl's format.
func since(text string, now time.Time) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(at))
}

func orNone(text string) string {
	if text == "" {
		return "<none>"
	}
	return text
}

// join joins texts with commas. It skips empty texts.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), ",")
}

// selector formats labels as a selector, such as a=b,c=d.
func selector(labels tree) string {
	var all []string
	for name, v := range labels {
		all = append(all, fmt.Sprintf("%s=%v", name, v))
	}
	slices.Sort(all)
	return orNone(join(all...))
}

// workload returns the cells for the containers in a workload's pod template. If selects is true,
// another cell shows the selector.
func workload(o tree, selects bool) []any {
	var names, images []string
	for _, c := range o.items("spec", "template", "spec", "containers") {
		names, images = append(names, c.text("name")), append(images, c.text("image"))
	}
	cells := []any{join(names...), join(images...)}
	if selects {
		cells = append(cells, selector(o.at("spec", "selector", "matchLabels")))
	}
	return cells
}

func podCells(o tree, now time.Time) []any {
	containers := o.items("spec", "containers")
	ready, restarts := 0, int64(0)
	status := o.text("status", "phase")
	if reason := o.text("status", "reason"); reason != "" {
		status = reason
	}
	for _, c := range o.items("status", "containerStatuses") {
		if done, _ := c["ready"].(bool); done {
			ready++
		}
		restarts += c.number("restartCount")
		for _, state := range []string{"waiting", "terminated"} {
			if reason := c.text("state", state, "reason"); reason != "" {
				status = reason
			}
		}
	}
	if o.text("metadata", "deletionTimestamp") != "" {
		status = "Terminating"
	}
	gates := "<none>"
	if n := len(o.items("spec", "readinessGates")); n > 0 {
		met := 0
		for _, gate := range o.items("spec", "readinessGates") {
			if condition(o, gate.text("conditionType")) == "True" {
				met++
			}
		}
		gates = fmt.Sprintf("%d/%d", met, n)
	}
	return []any{
		fmt.Sprintf("%d/%d", ready, len(containers)), status, strconv.FormatInt(restarts, 10), o.age(now),
		orNone(o.text("status", "podIP")), orNone(o.text("spec", "nodeName")), orNone(o.text("status", "nominatedNodeName")), gates,
	}
}

// condition returns the status of the condition with this type, or "" if there is none.
func condition(o tree, kind string) string {
	for _, c := range o.items("status", "conditions") {
		if c.text("type") == kind {
			return c.text("status")
		}
	}
	return ""
}

// externalIPs returns the addresses of a Service that clients outside of the cluster can use.
func externalIPs(o tree) string {
	var all []string
	list, _ := o.get("spec", "externalIPs").([]any)
	for _, v := range list {
		all = append(all, fmt.Sprint(v))
	}
	switch o.text("spec", "type") {
	case "ExternalName":
		return o.text("spec", "externalName")
	case "LoadBalancer":
		all = append(addresses(o), all...)
		if len(all) == 0 {
			return "<pending>"
		}
	}
	return orNone(join(all...))
}

// addresses returns the addresses of a load balancer.
func addresses(o tree) (all []string) {
	for _, in := range o.items("status", "loadBalancer", "ingress") {
		if ip := in.text("ip"); ip != "" {
			all = append(all, ip)
		} else {
			all = append(all, in.text("hostname"))
		}
	}
	return all
}

func servicePorts(o tree) string {
	var all []string
	for _, p := range o.items("spec", "ports") {
		text := fmt.Sprint(p.number("port"))
		if node := p.number("nodePort"); node > 0 {
			text += ":" + fmt.Sprint(node)
		}
		all = append(all, text+"/"+p.text("protocol"))
	}
	return join(all...)
}

func nodeCells(o tree, now time.Time) []any {
	status := "Unknown"
	switch condition(o, "Ready") {
	case "True":
		status = "Ready"
	case "False":
		status = "NotReady"
	}
	if off, _ := o.get("spec", "unschedulable").(bool); off {
		status += ",SchedulingDisabled"
	}
	const role = "node-role.kubernetes.io/"
	var roles []string
	for name := range o.at("metadata", "labels") {
		if r, ok := strings.CutPrefix(name, role); ok && r != "" {
			roles = append(roles, r)
		}
	}
	slices.Sort(roles)
	address := func(kind string) string {
		for _, a := range o.items("status", "addresses") {
			if a.text("type") == kind {
				return a.text("address")
			}
		}
		return "<none>"
	}
	info := o.at("status", "nodeInfo")
	return []any{
		status, orNone(join(roles...)), o.age(now), info.text("kubeletVersion"),
		address("InternalIP"), address("ExternalIP"), orUnknown(info.text("osImage")), orUnknown(info.text("kernelVersion")), orUnknown(info.text("containerRuntimeVersion")),
	}
}

func orUnknown(text string) string {
	if text == "" {
		return "<unknown>"
	}
	return text
}

// accessModes maps the access modes of volumes to their short names.
var accessModes = map[string]string{"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}

func claimCells(o tree, now time.Time) []any {
	status, capacity, modes := o.text("status", "phase"), "", ""
	if o.text("metadata", "deletionTimestamp") != "" {
		status = "Terminating"
	}
	if o.text("spec", "volumeName") != "" {
		capacity = o.text("status", "capacity", "storage")
		list, _ := o.get("status", "accessModes").([]any)
		var short []string
		for _, v := range list {
			name, _ := v.(string)
			short = append(short, accessModes[name])
		}
		modes = join(short...)
	}
	return []any{
		status, o.text("spec", "volumeName"), capacity, modes, o.text("spec", "storageClassName"),
		orUnset(o.text("spec", "volumeAttributesClassName")), o.age(now), orUnset(o.text("spec", "volumeMode")),
	}
}

func orUnset(text string) string {
	if text == "" {
		return "<unset>"
	}
	return text
}

func jobCells(o tree, now time.Time) []any {
	status := "Running"
	for _, kind := range []string{"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"} {
		if condition(o, kind) == "True" {
			status = kind
			break
		}
	}
	if o.text("metadata", "deletionTimestamp") != "" {
		status = "Terminating"
	}
	completions := fmt.Sprintf("%d/1", o.number("status", "succeeded"))
	if o.get("spec", "completions") != nil {
		completions = fmt.Sprintf("%d/%d", o.number("status", "succeeded"), o.number("spec", "completions"))
	} else if n := o.number("spec", "parallelism"); n > 1 {
		completions = fmt.Sprintf("%d/1 of %d", o.number("status", "succeeded"), n)
	}
	took := ""
	if start := o.text("status", "startTime"); start != "" {
		end := now
		if at, err := time.Parse(time.RFC3339, o.text("status", "completionTime")); err == nil {
			end = at
		}
		took = since(start, end)
	}
	return append([]any{status, completions, took, o.age(now)}, workload(o, true)...)
}

func cronJobCells(o tree, now time.Time) []any {
	zone := orNone(o.text("spec", "timeZone"))
	suspended := "<unset>"
	if v, ok := o.get("spec", "suspend").(bool); ok {
		suspended = map[bool]string{true: "True", false: "False"}[v]
	}
	last := "<none>"
	if at := o.text("status", "lastScheduleTime"); at != "" {
		last = since(at, now)
	}
	job := tree{"spec": map[string]any(o.at("spec", "jobTemplate", "spec"))}
	return append([]any{o.text("spec", "schedule"), zone, suspended, int64(len(o.items("status", "active"))), last, o.age(now)}, workload(job, true)...)
}

func ingressCells(o tree, now time.Time) []any {
	var hosts []string
	for _, rule := range o.items("spec", "rules") {
		if host := rule.text("host"); host != "" {
			hosts = append(hosts, host)
		}
	}
	shownHosts := "*"
	switch {
	case len(hosts) > 3:
		shownHosts = fmt.Sprintf("%s + %d more...", strings.Join(hosts[:3], ","), len(hosts)-3)
	case len(hosts) > 0:
		shownHosts = join(hosts...)
	}
	ports := "80"
	if len(o.items("spec", "tls")) > 0 {
		ports = "80, 443"
	}
	return []any{orNone(o.text("spec", "ingressClassName")), shownHosts, join(addresses(o)...), ports, o.age(now)}
}
