// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !v1.35 && !v1.36

package immutable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/test/builtin"
	"github.com/dovetail-ssa/dovetail/test/immutable/server"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault"
)

// pluginRounds is the number of random objects for each admission plugin.
const pluginRounds = 400

// TestPredictedLikePlugins compares kube/predict with Kubernetes' admission plugins, for random
// Pods, claims and Ingresses. Both must set the same fields, or reject the object with the same
// message.
func TestPredictedLikePlugins(t *testing.T) {
	s := &predict.Server{
		GoForm:       must(goform.New(builtin.Minor))(t),
		FieldManager: fieldmanager.Options{Types: fieldmanager.NewTypeSource(catalog().Type)},
		Kind:         catalog().Kind,
		Release:      must(defaults.New(builtin.Minor))(t),
	}
	stored, refused := 0, map[string]int{}
	for round := range uint64(pluginRounds) {
		r := &pluginRandom{rand.New(rand.NewPCG(*seed, round))}
		cluster := r.cluster()
		s.Others = func(group, kind string) (all []map[string]any) {
			for _, o := range cluster {
				k := kindOf(o)
				if k.Group == group && k.Kind == kind {
					all = append(all, o)
				}
			}
			return all
		}
		sent := r.object()
		p, err := s.Predict(&predict.Request{Verb: predict.Create, Manager: "m", Time: time.Unix(1767225600, 0), Object: sent})
		theirs, refusal := askPlugins(t, cluster, sent)
		if refusal != nil && strings.Contains(refusal.Error(), "no PriorityClass with name") {
			refused["no-class"]++ // a prediction cannot know which PriorityClasses exist
			continue
		}
		var invalid *predict.InvalidError
		if errors.As(err, &invalid) && theirs != nil {
			// The strategy rejects the object. It runs after the plugins that change objects, and
			// before the plugins that only validate them.
			k := kindOf(sent)
			if k.Create(must(k.Read(theirs))(t)) == nil {
				t.Fatalf("round %d: %v\nkube/predict rejects it (%v), and the strategy accepts it", round, plain.Text(sent), err)
			}
			refused["invalid"]++
			continue
		}
		if (err == nil) != (refusal == nil) || err != nil && !sameWords(err.Error(), refusal.Error()) {
			t.Fatalf("round %d: %v\nof %v\nkube/predict %v\nKubernetes   %v", round, plain.Text(sent), plain.Text(cluster), err, refusal)
		}
		if err != nil {
			refused[strings.Fields(err.Error())[4]]++
			continue
		}
		stored++
		ours := must(kindOf(sent).Write(must(kindOf(sent).Read(p.Object))(t)))(t)
		for _, m := range []map[string]any{ours, theirs} {
			metadata := m["metadata"].(map[string]any)
			delete(metadata, "managedFields")
			delete(metadata, "finalizers")
			delete(metadata, "generation")
			delete(m, "status")
			delete(m["spec"].(map[string]any), "tolerations") // other plugins of the server add tolerations
		}
		if !reflect.DeepEqual(ours, theirs) {
			t.Fatalf("round %d: %v\nof %v\nkube/predict %v\nKubernetes   %v", round, plain.Text(sent), plain.Text(cluster), plain.Text(ours), plain.Text(theirs))
		}
	}
	t.Logf("%d stored objects are equal; rejected objects: %v", stored, refused)
	if stored < pluginRounds/8 || len(refused) < 4 {
		t.Error("too few objects of one kind")
	}
}

func kindOf(object map[string]any) *server.Kind {
	return server.Find(object["apiVersion"].(string), object["kind"].(string))
}

// sameWords reports whether two error messages have the same parts, in any order.
func sameWords(a, b string) bool {
	words := func(s string) []string {
		head, all, _ := strings.Cut(s, " is forbidden: ")
		all = strings.ReplaceAll(strings.Trim(all, "[]"), ", but ", " but ")
		sorted := strings.Split(all, ", ")
		slices.Sort(sorted)
		return append(sorted, head)
	}
	return slices.Equal(words(a), words(b))
}

// askPlugins runs the admission plugins on a new object, in their order. It returns the changed
// object, or the error of a plugin. If the error comes from a plugin that only validates objects,
// askPlugins returns both. The server has the objects in cluster.
func askPlugins(t *testing.T, cluster []map[string]any, sent map[string]any) (map[string]any, error) {
	t.Helper()
	factory := informers.NewSharedInformerFactory(nil, 0)
	for _, o := range cluster {
		whole := must(kindOf(o).Write(must(kindOf(o).Read(o))(t)))(t) // the object with its defaults
		metadata := whole["metadata"].(map[string]any)
		if o["metadata"].(map[string]any)["creationTimestamp"] == nil {
			delete(metadata, "creationTimestamp")
		}
		add := func(to cache.SharedIndexInformer, object any) {
			if err := json.Unmarshal([]byte(plain.Text(whole)), object); err != nil {
				t.Fatal(err)
			}
			if err := to.GetIndexer().Add(object); err != nil {
				t.Fatal(err)
			}
		}
		switch o["kind"] {
		case "Namespace":
			add(factory.Core().V1().Namespaces().Informer(), &corev1.Namespace{})
		case "LimitRange":
			add(factory.Core().V1().LimitRanges().Informer(), &corev1.LimitRange{})
		case "PriorityClass":
			add(factory.Scheduling().V1().PriorityClasses().Informer(), &schedulingv1.PriorityClass{})
		case "StorageClass":
			add(factory.Storage().V1().StorageClasses().Informer(), &storagev1.StorageClass{})
		case "IngressClass":
			add(factory.Networking().V1().IngressClasses().Informer(), &networkingv1.IngressClass{})
		}
	}
	registered := admission.NewPlugins()
	setdefault.Register(registered)
	defaultingressclass.Register(registered)
	start := starter{factory}
	all := []admission.Interface{
		must(lifecycle.NewLifecycle(sets.New[string]()))(t),
		must(limitranger.NewLimitRanger(nil))(t),
		priority.NewPlugin(),
		must(registered.InitPlugin(setdefault.PluginName, nil, start))(t),
		must(registered.InitPlugin(defaultingressclass.PluginName, nil, start))(t),
	}
	k := kindOf(sent)
	internal := must(k.Read(sent))(t)
	resource := map[string]string{"Pod": "pods", "PersistentVolumeClaim": "persistentvolumeclaims", "Ingress": "ingresses"}[k.Kind]
	metadata := sent["metadata"].(map[string]any)
	a := admission.NewAttributesRecord(internal, nil, k.GroupVersionKind, metadata["namespace"].(string), metadata["name"].(string),
		schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: resource}, "", admission.Create, nil, false, nil)
	for _, plugin := range all {
		start.Initialize(plugin)
		if m, ok := plugin.(admission.MutationInterface); ok && plugin.Handles(admission.Create) {
			if err := m.Admit(context.Background(), a, nil); err != nil {
				return nil, err
			}
		}
	}
	for _, plugin := range all {
		if v, ok := plugin.(admission.ValidationInterface); ok && plugin.Handles(admission.Create) {
			if err := v.Validate(context.Background(), a, nil); err != nil {
				return must(k.Write(internal))(t), err
			}
		}
	}
	return must(k.Write(internal))(t), nil
}

// starter implements the interfaces that plugins need to start.
type starter struct {
	informers.SharedInformerFactory
}

func (s starter) Initialize(plugin admission.Interface) {
	plugin.(interface {
		SetExternalKubeInformerFactory(informers.SharedInformerFactory)
	}).SetExternalKubeInformerFactory(s.SharedInformerFactory)
	plugin.(interface{ SetReadyFunc(admission.ReadyFunc) }).SetReadyFunc(func() bool { return true })
}

type pluginRandom struct{ *rand.Rand }

func (r *pluginRandom) oneIn(n int) bool { return r.IntN(n) == 0 }

func pick[T any](r *pluginRandom, all ...T) T { return all[r.IntN(len(all))] }

type object = map[string]any

// cluster returns classes, and a LimitRange for the namespace. If there is no LimitRange, the
// plugin asks the store of the server, which does not exist here.
func (r *pluginRandom) cluster() (all []object) {
	add := func(apiVersion, kind, name string, more object) {
		metadata := object{"name": name}
		if r.oneIn(2) {
			metadata["creationTimestamp"] = pick(r, "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")
		}
		if marks, ok := more["annotations"]; ok {
			metadata["annotations"] = marks
		}
		if ns, ok := more["namespace"]; ok {
			metadata["namespace"] = ns
		}
		o := object{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
		for k, v := range more {
			if k != "annotations" && k != "namespace" {
				o[k] = v
			}
		}
		all = append(all, o)
	}
	add("v1", "Namespace", "n", object{"status": object{"phase": pick(r, "Active", "Active", "Active", "Active", "Active", "Active", "Active", "Terminating")}})
	for _, ns := range []string{"n", "other"} {
		limits := []any{}
		for range r.IntN(3) {
			limits = append(limits, r.limit())
		}
		add("v1", "LimitRange", "l", object{"namespace": ns, "spec": object{"limits": limits}})
	}
	for i, name := range []string{"high", "low", "medium"} {
		class := object{"value": int64(r.IntN(100)*3 + i)}
		if r.oneIn(4) {
			class["globalDefault"] = true
		}
		if r.oneIn(2) {
			class["preemptionPolicy"] = pick(r, "Never", "PreemptLowerPriority")
		}
		add("scheduling.k8s.io/v1", "PriorityClass", name, class)
	}
	for _, name := range []string{"system-cluster-critical", "system-node-critical"} { // a server always has these classes
		value := int64(2000000000)
		if name == "system-node-critical" {
			value += 1000
		}
		add("scheduling.k8s.io/v1", "PriorityClass", name, object{"value": value})
	}
	for _, name := range []string{"a", "b", "c"} {
		add("storage.k8s.io/v1", "StorageClass", name, object{"provisioner": "p", "annotations": object{
			pick(r, "storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class", "x"): pick(r, "true", "false", "")}})
		add("networking.k8s.io/v1", "IngressClass", name, object{"spec": object{"controller": "x/y"}, "annotations": object{
			"ingressclass.kubernetes.io/is-default-class": pick(r, "true", "true", "false")}})
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func (r *pluginRandom) limit() any {
	kind := pick(r, "Container", "Container", "Pod", "PersistentVolumeClaim")
	limit := object{"type": kind}
	if kind == "PersistentVolumeClaim" {
		limit[pick(r, "min", "max")] = object{"storage": pick(r, "1Gi", "5Gi", "1.5G")}
		return limit
	}
	for _, rule := range []string{"min", "max", "default", "defaultRequest", "maxLimitRequestRatio"} {
		switch {
		case !r.oneIn(4) || kind == "Pod" && strings.HasPrefix(rule, "default"):
		case rule == "maxLimitRequestRatio":
			limit[rule] = object{pick(r, "cpu", "memory"): pick(r, "1", "2", "1500m", "10")}
		default:
			limit[rule] = r.amounts()
		}
	}
	return limit
}

func (r *pluginRandom) amounts() object {
	all := object{}
	for _, name := range []string{"cpu", "memory", "ephemeral-storage"} {
		if r.oneIn(2) {
			all[name] = r.amount(name)
		}
	}
	return all
}

func (r *pluginRandom) amount(name string) any {
	if name == "cpu" {
		return pick[any](r, "100m", "250m", "1", "0.5", "1500m", int64(2), "100u", "0")
	}
	return pick[any](r, "64Mi", "128Mi", "1Gi", "1G", "512Ki", "1e9", int64(1000000), "1536Mi", "1E")
}

func (r *pluginRandom) object() object {
	metadata := object{"name": "o", "namespace": "n"}
	if r.oneIn(6) {
		metadata["annotations"] = object{pick(r, "kubernetes.io/ingress.class", "volume.beta.kubernetes.io/storage-class", "kubernetes.io/limit-ranger"): pick(r, "", "a")}
	}
	spec := object{}
	switch r.IntN(6) {
	case 0:
		spec["accessModes"] = []any{"ReadWriteOnce"}
		spec["resources"] = object{"requests": object{"storage": pick(r, "1Gi", "2Gi", "5120Mi", "6G", "1G")}}
		if r.oneIn(3) {
			spec["storageClassName"] = pick[any](r, "", "a", nil)
		}
		return object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}
	case 1:
		spec["defaultBackend"] = object{"service": object{"name": "s", "port": object{"number": int64(80)}}}
		if r.oneIn(3) {
			spec["ingressClassName"] = pick[any](r, "", "a", nil)
		}
		return object{"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec}
	}
	for least, list := range []string{"initContainers", "containers"} {
		var containers []any
		for i := range max(least, r.IntN(4)) {
			container := object{"name": strings.ToLower(fmt.Sprint(list, i)), "image": "i"}
			if r.oneIn(2) {
				container["resources"] = object{pick(r, "limits", "requests"): r.amounts()}
			}
			if r.oneIn(4) {
				container["resources"] = object{"limits": r.amounts(), "requests": r.amounts()}
			}
			if list == "initContainers" && r.oneIn(2) {
				container["restartPolicy"] = "Always"
			}
			containers = append(containers, container)
		}
		if containers != nil {
			spec[list] = containers
		}
	}
	if r.oneIn(2) {
		spec["priorityClassName"] = pick(r, "high", "low", "system-cluster-critical", "system-node-critical", "other", "")
	}
	if r.oneIn(8) {
		spec["priority"] = int64(r.IntN(3))
	}
	if r.oneIn(8) {
		spec["preemptionPolicy"] = pick(r, "Never", "PreemptLowerPriority")
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
}
