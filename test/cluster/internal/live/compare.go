// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

// Programs are the paths of the programs to run.
type Programs struct{ Dovetail, Kubectl string }

// cost is the cost of one run of a command.
type cost struct {
	// requests counts the requests in the server's audit log, by verb.
	requests map[string]int
	cpu      time.Duration // CPU time of the server
	wall     time.Duration
}

func (c cost) String() string {
	var verbs []string
	for _, v := range slices.Sorted(maps.Keys(c.requests)) {
		verbs = append(verbs, fmt.Sprintf("%d %s", c.requests[v], v))
	}
	return fmt.Sprintf("%s; server CPU %.2f s, wall time %.2f s", strings.Join(verbs, ", "), c.cpu.Seconds(), c.wall.Seconds())
}

// Comparison compares kubectl diff --server-side with kubectl dovetail diff, for the same
// manifests.
type Comparison struct {
	Objects, Kinds, Differ, New int
	// cold is the first run of dovetail, without cached API documents. warm is the next run.
	kubectl, cold, warm cost
	// kubectl must send at least factor times as many requests as dovetail.
	factor int
	// Wrong describes objects for which the two programs disagree.
	Wrong []string
}

// OK reports whether both commands agree and dovetail sends few enough requests. In Compare,
// dovetail may send at most a tenth of kubectl's requests. In CompareKinds, it may send as many
// requests as kubectl. It must never send a PATCH. The manifests must include changed and new
// objects. OK does not check how long the commands take.
func (c *Comparison) OK() bool {
	sent := func(c cost) (n int) {
		for _, k := range c.requests {
			n += k
		}
		return n
	}
	return len(c.Wrong) == 0 && c.Differ > 0 && c.New > 0 && sent(c.warm) > 0 && c.cold.requests["patch"]+c.warm.requests["patch"] == 0 && sent(c.cold)*c.factor <= sent(c.kubectl)
}

// Write prints the comparison.
func (c *Comparison) Write(w io.Writer) {
	fmt.Fprintf(w, "%d objects of %d kinds, by three owners: %d differ, %d are new; the two disagree about %d\n", c.Objects, c.Kinds, c.Differ, c.New, len(c.Wrong))
	fmt.Fprintf(w, "  kubectl diff --server-side    %v\n", c.kubectl)
	fmt.Fprintf(w, "  kubectl dovetail diff, first  %v\n", c.cold)
	fmt.Fprintf(w, "  kubectl dovetail diff, again  %v\n", c.warm)
	for _, text := range c.Wrong {
		fmt.Fprintln(w, "  "+text)
	}
}

// world has the server that stores the test's objects, and the folder for the test's files.
type world struct {
	Programs
	s       *server.Server
	dir     string
	objects []object // the objects in the manifests
	fresh   int
}

// put applies an object to the server.
func put(ctx context.Context, c rest.Interface, release *openapi.Catalog, o object, manager string) error {
	return apply(ctx, c.Patch(types.ApplyPatchType), release, o, manager)
}

// dryRun checks whether the server accepts an apply.
func dryRun(ctx context.Context, c rest.Interface, release *openapi.Catalog, o object, manager string) error {
	return apply(ctx, c.Patch(types.ApplyPatchType).Param("dryRun", "All"), release, o, manager)
}

func apply(ctx context.Context, r *rest.Request, release *openapi.Catalog, o object, manager string) error {
	path := pathOf(release, o)
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	answer, err := r.AbsPath(path).Param("fieldManager", manager).Param("force", "true").Body(body).Do(ctx).Raw()
	if err != nil {
		return fmt.Errorf("%s: %w: %.300s", path, err, answer)
	}
	return nil
}

// fill creates the objects and writes their manifests. Every fifth manifest differs from its
// live object. For each kind, one manifest has no live object.
func (w *world) fill(ctx context.Context, release string) error {
	catalog, err := openapi.BuiltinRelease(release, openapi.Options{})
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(w.s.Config())
	if err != nil {
		return err
	}
	c := client.RESTClient()
	for _, text := range []string{`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"bank"}}`, widgets} {
		var o object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			return err
		}
		if err := put(ctx, c, catalog, o, "admin"); err != nil {
			return err
		}
	}
	var items []any
	for _, k := range kinds {
		for i := range perKind {
			n := 0
			if i%5 == 1 {
				n = 1
			}
			w.objects = append(w.objects, k.object(i, n))
			items = append(items, k.object(i, n))
			if i == perKind-1 {
				w.fresh++
				continue // this manifest is for a new object
			}
			if err := until(ctx, func() error { return put(ctx, c, catalog, k.object(i, 0), "gitops") }); err != nil {
				return err
			}
			for _, owner := range []string{"ops", "audit"} { // each of them owns one field
				bare := object{"apiVersion": k.apiVersion, "kind": k.kind, "metadata": object{"name": fmt.Sprintf("a%d", i), "annotations": object{owner + ".example.com/a": "b"}}}
				if ns := k.object(i, 0)["metadata"].(object)["namespace"]; ns != nil {
					bare["metadata"].(object)["namespace"] = ns
				}
				if k.kind == "Deployment" && owner == "ops" {
					bare["spec"] = object{"replicas": int64(3)}
				}
				if k.kind == "RoleBinding" {
					bare["roleRef"] = k.object(i, 0)["roleRef"]
				}
				if k.kind == "PriorityClass" {
					bare["value"] = k.object(i, 0)["value"]
				}
				if err := merge(ctx, c, catalog, bare, owner); err != nil {
					return err
				}
			}
		}
	}
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.dir, "manifests.json"), text, 0o600)
}

// maxObjects is the maximum number of objects of a kind in CompareKinds.
const maxObjects = 4

// fillKinds creates those CRDs and objects that the server accepts, and writes manifests of
// the objects. Every third manifest changes its live object, and every seventh manifest has no
// live object.
func (w *world) fillKinds(ctx context.Context, release string, objects []map[string]any) error {
	catalog, err := openapi.BuiltinRelease(release, openapi.Options{})
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(w.s.Config())
	if err != nil {
		return err
	}
	c := client.RESTClient()
	defined := map[string]bool{}
	for _, o := range objects {
		name, _ := o["metadata"].(object)["name"].(string)
		if o["kind"] != "CustomResourceDefinition" || put(ctx, c, catalog, o, "admin") != nil {
			continue
		}
		data, err := json.Marshal(o)
		if err != nil {
			return err
		}
		if err := catalog.AddCRD(name, data); err != nil {
			return err
		}
		defined[name] = true
	}
	count, n, seen := map[string]int{}, 0, map[string]bool{}
	var items []any
	for _, o := range objects {
		apiVersion, _ := o["apiVersion"].(string)
		name, _ := o["kind"].(string)
		kind, ok := catalog.Kind(apiVersion, name)
		if !ok || kind.Resource == "" || serverWide[name] || count[kind.Type] == maxObjects {
			continue
		}
		o := runtime.DeepCopyJSON(o)
		metadata, _ := o["metadata"].(object)
		if delete(metadata, "namespace"); kind.Scope == openapi.Namespaced {
			metadata["namespace"] = "shop"
		}
		delete(o, "status")
		path := pathOf(catalog, o)
		if seen[path] {
			continue
		}
		seen[path] = true
		attempt := put
		if n%7 == 6 { // a new object
			attempt = dryRun
		}
		err := attempt(ctx, c, catalog, o, "gitops")
		if group, _, _ := strings.Cut(apiVersion, "/"); apierrors.IsNotFound(err) && defined[kind.Resource+"."+group] {
			err = until(ctx, func() error { return attempt(ctx, c, catalog, o, "gitops") }) // it is not served yet
		}
		if err != nil {
			continue
		}
		if n%7 == 6 {
			w.fresh++
		} else if n%3 == 0 {
			labels, _ := metadata["labels"].(object)
			labels = maps.Clone(labels)
			if labels == nil {
				labels = object{}
			}
			labels["changed"], metadata["labels"] = "yes", labels
		}
		n++
		count[kind.Type]++
		w.objects, items = append(w.objects, o), append(items, o)
	}
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.dir, "manifests.json"), text, 0o600)
}

// serverWide are kinds whose objects change how the server handles other requests.
var serverWide = map[string]bool{
	"APIService": true, "CustomResourceDefinition": true, "LimitRange": true, "MutatingAdmissionPolicy": true, "MutatingAdmissionPolicyBinding": true, "MutatingWebhookConfiguration": true,
	"Namespace": true, "ResourceQuota": true, "ValidatingAdmissionPolicy": true, "ValidatingAdmissionPolicyBinding": true, "ValidatingWebhookConfiguration": true,
}

// pathOf returns the path of an object on the server.
func pathOf(catalog *openapi.Catalog, o object) string {
	apiVersion, kind := o["apiVersion"].(string), o["kind"].(string)
	plural := strings.ToLower(kind) + "s"
	if k, ok := catalog.Kind(apiVersion, kind); ok && k.Resource != "" {
		plural = k.Resource
	}
	path := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		path = "/api/" + apiVersion
	}
	metadata := o["metadata"].(object)
	if ns, ok := metadata["namespace"].(string); ok {
		path += "/namespaces/" + ns
	}
	return path + "/" + plural + "/" + metadata["name"].(string)
}

// merge sends an object as a merge patch, as a controller does.
func merge(ctx context.Context, c rest.Interface, release *openapi.Catalog, o object, manager string) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = c.Patch(types.MergePatchType).AbsPath(pathOf(release, o)).Param("fieldManager", manager).Body(body).Do(ctx).Raw()
	return err
}

// until calls a function again and again until it succeeds, for at most 20 seconds. For example,
// a server needs some time before it serves a new custom resource.
func until(ctx context.Context, try func() error) error {
	for end := time.Now().Add(20 * time.Second); ; {
		err := try()
		if err == nil || time.Now().After(end) || ctx.Err() != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// run runs a program and returns its output and exit status. A nonzero exit status is not an
// error, because the diff commands exit with 1 if they find differences.
func (w *world) run(ctx context.Context, kubeconfig string, env []string, program string, args ...string) (stdout, stderr string, status int, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	var out, messages strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.dir, &out, &messages
	cmd.Env = append(append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+w.dir, "XDG_CACHE_HOME="+filepath.Join(w.dir, "cache"), "NO_COLOR=1"), env...)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.String(), messages.String(), exit.ExitCode(), nil
	}
	return out.String(), messages.String(), 0, err
}

// measured runs a command twice and returns its cost. The first run measures the durations. The
// second run uses an account whose requests the server logs, so that they can be counted.
// measured calls the first function before each run, to prepare it.
func (w *world) measured(ctx context.Context, before func() error, run func(kubeconfig string) error) (c cost, err error) {
	if err := before(); err != nil {
		return c, err
	}
	time.Sleep(time.Second) // let the server finish its own work
	was, err := w.s.Usage(ctx)
	if err != nil {
		return c, err
	}
	start := time.Now()
	if err := run(w.s.Kubeconfig); err != nil {
		return c, err
	}
	c.wall = time.Since(start)
	is, err := w.s.Usage(ctx)
	if err != nil {
		return c, err
	}
	c.cpu = is.CPU - was.CPU
	if err := before(); err != nil {
		return c, err
	}
	watched, err := w.s.KubeconfigOf(server.Watched)
	if err != nil {
		return c, err
	}
	from, err := w.s.Audited()
	if err != nil {
		return c, err
	}
	if err := run(watched); err != nil {
		return c, err
	}
	time.Sleep(time.Second) // the server writes the log in batches
	all, err := w.s.Audited()
	c.requests = map[string]int{}
	for _, verb := range all[len(from):] {
		c.requests[verb]++
	}
	return c, err
}

// Compare runs both commands on the same manifests and compares their results.
func Compare(ctx context.Context, p Programs, s *server.Server, release, dir string) (*Comparison, error) {
	w, err := newWorld(p, s, dir)
	if err != nil {
		return nil, err
	}
	if err := w.fill(ctx, release); err != nil {
		return nil, err
	}
	return w.compare(ctx, 10)
}

// CompareKinds is like Compare, but covers more kinds, including custom resources. It uses a
// few of the given objects of each kind, and ignores objects that the server rejects. Call it
// after Compare, which creates the Namespaces.
func CompareKinds(ctx context.Context, p Programs, s *server.Server, release, dir string, objects []map[string]any) (*Comparison, error) {
	w, err := newWorld(p, s, dir)
	if err != nil {
		return nil, err
	}
	if err := w.fillKinds(ctx, release, objects); err != nil {
		return nil, err
	}
	return w.compare(ctx, 1)
}

func newWorld(p Programs, s *server.Server, dir string) (*world, error) {
	w := &world{Programs: p, s: s, dir: dir}
	return w, errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
}

func (w *world) compare(ctx context.Context, factor int) (*Comparison, error) {
	all := map[string]bool{}
	for _, o := range w.objects {
		all[fmt.Sprint(o["apiVersion"], o["kind"])] = true
	}
	r := &Comparison{Objects: len(w.objects), Kinds: len(all), factor: factor}
	keep := filepath.Join(w.dir, "keep.sh")
	script := "#!/bin/sh\nrm -rf \"$OUT\"; mkdir \"$OUT\"; cp -r \"$1\" \"$OUT/live\"; cp -r \"$2\" \"$OUT/merged\"; ! diff -r -q \"$1\" \"$2\" > /dev/null\n"
	if err := os.WriteFile(keep, []byte(script), 0o755); err != nil {
		return nil, err
	}
	out := filepath.Join(w.dir, "out")
	nothing := func() error { return nil }
	var err error
	if r.kubectl, err = w.measured(ctx, nothing, func(kubeconfig string) error {
		_, stderr, status, err := w.run(ctx, kubeconfig, []string{"KUBECTL_EXTERNAL_DIFF=" + keep, "OUT=" + out}, w.Kubectl, "diff", "--server-side", "--force-conflicts", "--field-manager=gitops", "-f", "manifests.json")
		if err == nil && status > 1 {
			err = fmt.Errorf("kubectl diff ends with %d: %s", status, stderr)
		}
		return err
	}); err != nil {
		return nil, err
	}
	var report, predicted string
	plugin := filepath.Join(w.dir, "kubectl-dovetail")
	if err := os.Symlink(w.Dovetail, plugin); err != nil {
		return nil, err
	}
	cache := filepath.Join(w.dir, "cache")
	diff := func(kubeconfig string) error {
		out, stderr, status, err := w.run(ctx, kubeconfig, nil, plugin, "diff", "-f", "manifests.json", "--field-manager", "gitops", "--force-conflicts", "-o", "report")
		if report = out; err == nil && status != 1 {
			err = fmt.Errorf("dovetail diff ends with %d: %s", status, stderr)
		}
		return err
	}
	if r.cold, err = w.measured(ctx, func() error { return os.RemoveAll(cache) }, diff); err != nil {
		return nil, err
	}
	if r.warm, err = w.measured(ctx, nothing, diff); err != nil {
		return nil, err
	}
	var stderr string
	var status int
	if predicted, stderr, status, err = w.run(ctx, w.s.Kubeconfig, nil, plugin, "apply", "-f", "manifests.json", "--field-manager", "gitops", "--force-conflicts", "-o", "json", "--show-secrets"); err != nil || status != 0 {
		return nil, fmt.Errorf("dovetail apply ends with %d: %w: %s", status, err, stderr)
	}
	return r, w.checkAgreement(r, out, report, predicted)
}

// nameOf returns the name of the file that kubectl diff writes for an object.
func nameOf(o object) string {
	metadata, _ := o["metadata"].(object)
	apiVersion, _ := o["apiVersion"].(string)
	group, version, ok := strings.Cut(apiVersion, "/")
	name := group + "." + version
	if !ok {
		name = group
	}
	namespace, _ := metadata["namespace"].(string)
	return fmt.Sprintf("%s.%s.%s.%s", name, o["kind"], namespace, metadata["name"])
}

// checkAgreement compares the files that kubectl diff writes with the report and the
// predictions of dovetail.
func (w *world) checkAgreement(r *Comparison, out, report, predicted string) error {
	var document struct{ Objects []struct{ Differences []any } }
	var list struct{ Items []object }
	if err := errors.Join(json.Unmarshal([]byte(report), &document), json.Unmarshal([]byte(predicted), &list)); err != nil {
		return err
	}
	reports := document.Objects
	if len(reports) != len(w.objects) || len(list.Items) != len(w.objects) {
		return fmt.Errorf("%d reports and %d predictions of %d objects", len(reports), len(list.Items), len(w.objects))
	}
	for i, o := range w.objects {
		name := nameOf(o)
		live, err := readObject(filepath.Join(out, "live", name))
		if err != nil {
			return err
		}
		merged, err := readObject(filepath.Join(out, "merged", name))
		if err != nil {
			return err
		}
		ours := compared(list.Items[i])
		if merged == nil { // kubectl writes no file for an object without differences
			if len(reports[i].Differences) > 0 {
				r.Wrong = append(r.Wrong, name+": kubectl has no difference, ours has")
			}
			continue
		}
		differs := !cmp.Equal(live, merged)
		if live == nil {
			r.New++
		} else if differs {
			r.Differ++
		}
		if live != nil && differs != (len(reports[i].Differences) > 0) {
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s: kubectl reports a difference: %v, dovetail reports %d", name, differs, len(reports[i].Differences)))
		}
		if o["kind"] == "Secret" { // kubectl masks the values of a Secret
			continue
		}
		if live == nil {
			forget(merged, ours)
		}
		if d := cmp.Diff(merged, ours); d != "" {
			r.Wrong = append(r.Wrong, fmt.Sprintf("%s: the server's dry run and the prediction:\n%s", name, d))
		}
	}
	return nil
}

// forget removes fields of a new object that only a server can know (docs/prediction.md), such
// as the status, addresses, and the labels by which a Job finds its Pods.
func forget(all ...object) {
	for _, o := range all {
		delete(o, "status")
		spec, _ := o["spec"].(object)
		switch o["kind"] {
		case "Service":
			for _, name := range []string{"clusterIP", "clusterIPs", "ipFamilies"} {
				delete(spec, name)
			}
		case "Pod":
			for _, name := range []string{"priority", "preemptionPolicy"} {
				delete(spec, name)
			}
		case "CertificateSigningRequest":
			for _, name := range []string{"extra", "groups", "uid", "username"} {
				delete(spec, name)
			}
		case "Job":
			delete(spec, "selector")
			if template, ok := spec["template"].(object); ok {
				delete(template, "metadata")
			}
		}
	}
}

func readObject(name string) (object, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var o object
	if err := yaml.Unmarshal(text, &o); err != nil || len(o) == 0 {
		return nil, err
	}
	return compared(o), nil
}

// compared prepares an object for a comparison: it deletes the metadata that only the server
// sets, such as the uid, and the managed fields. It returns the same object.
func compared(o object) object {
	if metadata, ok := o["metadata"].(object); ok {
		for _, name := range []string{"managedFields", "generation", "resourceVersion", "uid", "creationTimestamp"} {
			delete(metadata, name)
		}
	}
	return o
}
