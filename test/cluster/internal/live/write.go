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
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

// Written is the result of RunWrites.
type Written struct {
	Objects, Kills, Partly, Before, Untouched int
	// Writes counts the writes of other clients. Done counts the objects that the killed
	// commands wrote before they died. Undone counts the objects that "dovetail undo" restored.
	Writes, Done, Undone int
	// Whole is the longest duration of a run that was not killed. Again counts how often such a
	// run had to be repeated, because another client had changed an object at the same time.
	Whole time.Duration
	Again int
	// Applied counts the objects that "dovetail apply --write" wrote and "dovetail undo"
	// restored.
	Applied int
	Wrong   []string
}

// OK reports whether no write was lost.
func (r *Written) OK() bool {
	return len(r.Wrong) == 0 && r.Kills > 0 && r.Partly*5 > r.Kills && r.Applied > 0
}

// Write prints the result.
func (r *Written) Write(w io.Writer) {
	fmt.Fprintf(w, "%d objects, %d writes by other clients meanwhile\n  migrate --write and doctor --fix --write were killed %d times: %d times before the first write, %d times between two writes, %d times after the last write\n",
		r.Objects, r.Writes, r.Kills, r.Before, r.Partly, r.Kills-r.Before-r.Partly)
	fmt.Fprintf(w, "  %d objects were written, %d restored by undo; an uninterrupted run takes %.1f s, and had to be repeated %d times\n", r.Done, r.Undone, r.Whole.Seconds(), r.Again)
	fmt.Fprintf(w, "  apply --write: %d objects written, and restored by undo\n  wrong: %d\n", r.Applied, len(r.Wrong))
	for i, text := range r.Wrong {
		if i == 20 {
			fmt.Fprintln(w, "  …")
			break
		}
		fmt.Fprintln(w, "  "+text)
	}
}

// subjects has the paths of the objects that other clients write, and the values that these
// clients wrote last.
type subjects struct {
	*world
	c     rest.Interface
	paths []string
	mu    sync.RWMutex // a client holds the read lock while it writes; a comparison takes the write lock, so no client can write
	last  []map[string]string
	r     *Written
	rng   *rand.Rand
}

// These are the field sets of the managers "helm" and "gone". The manager "gone" stands for a
// client that no longer exists. The test commands change the entries of both managers.
const (
	helm = `{"f:data":{".":{},"f:a":{},"f:b":{}}}`
	gone = `{"f:metadata":{"f:annotations":{"f:gone.example.com/a":{}}}}`
)

// perNamespace is the number of objects of one kind in a namespace.
const perNamespace = 50

// RunWrites runs migrate, doctor and apply with --write while other clients write. It kills the
// commands and undoes their writes. No write of another client may get lost.
func RunWrites(ctx context.Context, p Programs, s *server.Server, release, dir string, kills int, seed uint64) (*Written, error) {
	w, err := newWorld(p, s, dir)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return nil, err
	}
	x := &subjects{world: w, c: client.RESTClient(), r: &Written{}, rng: rand.New(rand.NewPCG(seed, 0))}
	if err := x.fill(ctx); err != nil {
		return nil, err
	}
	stop := x.disturb(ctx, seed)
	err = x.killAll(ctx, kills)
	if err == nil {
		err = x.runUninterrupted(ctx)
	}
	stop()
	if err == nil {
		err = x.apply(ctx, release)
	}
	return x.r, err
}

// fill creates ConfigMaps and Secrets in two namespaces.
func (x *subjects) fill(ctx context.Context) error {
	for _, ns := range []string{"shop", "bank"} {
		if err := x.post(ctx, "/api/v1/namespaces", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": ns}}, "admin"); err != nil {
			return err
		}
		for _, kind := range []struct{ kind, plural string }{{"ConfigMap", "configmaps"}, {"Secret", "secrets"}} {
			for i := range perNamespace {
				name := fmt.Sprintf("a%d", i)
				path := "/api/v1/namespaces/" + ns + "/" + kind.plural
				o := object{"apiVersion": "v1", "kind": kind.kind, "metadata": object{"name": name}, "data": object{"a": "MTIz", "b": "NDU2"}}
				if err := x.post(ctx, path, o, "helm"); err != nil {
					return err
				}
				path += "/" + name
				x.paths = append(x.paths, path)
				x.last = append(x.last, map[string]string{})
				live, err := x.get(ctx, path)
				if err != nil {
					return err
				}
				list := append(managed(live), object{"manager": "gone", "operation": "Update", "apiVersion": "v1", "time": "2026-03-01T10:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": json.RawMessage(gone)})
				if err := x.patch(ctx, path, object{"metadata": object{"managedFields": list}}, "admin"); err != nil {
					return err
				}
			}
		}
	}
	x.r.Objects = len(x.paths)
	return nil
}

func managed(o object) []any {
	metadata, _ := o["metadata"].(object)
	list, _ := metadata["managedFields"].([]any)
	return list
}

func (x *subjects) post(ctx context.Context, path string, o object, manager string) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return x.c.Post().AbsPath(path).Param("fieldManager", manager).SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
}

func (x *subjects) patch(ctx context.Context, path string, o object, manager string) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return x.c.Patch(types.MergePatchType).AbsPath(path).Param("fieldManager", manager).Body(body).Do(ctx).Error()
}

func (x *subjects) get(ctx context.Context, path string) (o object, err error) {
	body, err := x.c.Get().AbsPath(path).Do(ctx).Raw()
	if err == nil {
		err = json.Unmarshal(body, &o)
	}
	return o, err
}

// disturb starts three other clients, which send patches and applies until the returned function
// is called.
func (x *subjects) disturb(ctx context.Context, seed uint64) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for n := range 3 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(n)+1))
			name := fmt.Sprintf("writer%d", n)
			for i := 0; ctx.Err() == nil; i++ {
				time.Sleep(time.Duration(rng.IntN(40)) * time.Millisecond)
				at := rng.IntN(len(x.paths))
				x.mu.RLock()
				value := fmt.Sprintf("v%d", i)
				kind := map[bool]string{true: "ConfigMap", false: "Secret"}[strings.Contains(x.paths[at], "configmaps")]
				o := object{"metadata": object{"annotations": object{name + ".example.com/a": value}}}
				var err error
				if n == 0 {
					o["apiVersion"], o["kind"] = "v1", kind
					body, _ := json.Marshal(o) // strings can always be encoded
					err = x.c.Patch(types.ApplyPatchType).AbsPath(x.paths[at]).Param("fieldManager", name).Body(body).Do(context.WithoutCancel(ctx)).Error()
				} else {
					err = x.patch(context.WithoutCancel(ctx), x.paths[at], o, name)
				}
				x.recordWrite(at, name+".example.com/a", value, err)
				x.mu.RUnlock()
			}
		})
	}
	return func() { cancel(); wg.Wait() }
}

var recording sync.Mutex

func (x *subjects) recordWrite(at int, name, value string, err error) {
	recording.Lock()
	defer recording.Unlock()
	if err != nil {
		x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("%s: a writer: %v", x.paths[at], err))
		return
	}
	x.r.Writes++
	x.last[at][name] = value
}

// counts describes how many objects a command has already changed. It contains the number of
// objects with an entry of helm as an applier, and the number of objects that still have an entry
// of the manager "gone".
type counts struct{ applied, gone int }

// inspect checks that all objects contain the values that were written last. It blocks the other
// clients in the meantime.
func (x *subjects) inspect(ctx context.Context, when string) (s counts, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, path := range x.paths {
		o, err := x.get(ctx, path)
		if err != nil {
			return s, err
		}
		wrong := func(format string, args ...any) {
			x.r.Wrong = append(x.r.Wrong, when+": "+path+": "+fmt.Sprintf(format, args...))
		}
		data, _ := o["data"].(object)
		if len(data) != 2 || data["a"] != "MTIz" || data["b"] != "NDU2" {
			wrong("data %v", data)
		}
		metadata := o["metadata"].(object)
		annotations, _ := metadata["annotations"].(object)
		if len(annotations) != len(x.last[i]) {
			wrong("annotations %v, want %v", annotations, x.last[i])
		}
		owners := map[string]string{}
		for _, e := range managed(o) {
			e := e.(object)
			text, err := json.Marshal(e["fieldsV1"])
			if err != nil {
				return s, err
			}
			owners[fmt.Sprintf("%v %v", e["manager"], e["operation"])] = string(text)
		}
		for name, value := range x.last[i] {
			if annotations[name] != value {
				wrong("%s is %v, want %s", name, annotations[name], value)
			}
			writer, _, _ := strings.Cut(name, ".")
			operation := " Update"
			if writer == "writer0" {
				operation = " Apply"
			}
			if !strings.Contains(owners[writer+operation], `"f:`+name+`":{}`) {
				wrong("%s does not own %s: %s", writer+operation, name, owners[writer+operation])
			}
			delete(owners, writer+operation)
		}
		if owners["gone Update"] == gone {
			s.gone++
		} else if owners["gone Update"] != "" {
			wrong("gone has %s", owners["gone Update"])
		}
		delete(owners, "gone Update")
		want := helm
		if strings.Contains(path, "/secrets/") {
			want = strings.TrimSuffix(helm, "}") + `,"f:type":{}}`
		}
		switch {
		case owners["helm Apply"] == want:
			s.applied++
			delete(owners, "helm Apply")
		case owners["helm Update"] == want:
			delete(owners, "helm Update")
		}
		if len(owners) > 0 {
			wrong("managed fields %v", owners)
		}
	}
	return s, nil
}

// commands are the arguments of the commands that the test starts and then kills.
var commands = [][]string{
	{"migrate", "configmaps,secrets", "-A", "--from", "helm", "--to", "helm", "--write", "--yes"},
	{"doctor", "configmaps,secrets", "-A", "--fix", "--write", "--yes"},
}

// killAll kills the commands at different times, and undoes their writes.
func (x *subjects) killAll(ctx context.Context, kills int) error {
	start := time.Now()
	if _, err := x.repeat(ctx, append(slices.Clone(commands[0]), "--undo", "first.json")...); err != nil {
		return err
	}
	took := time.Since(start) * 11 / 10 // a little longer than a complete run, so some runs end before they are killed
	if err := x.undo(ctx, "first.json", 0); err != nil {
		return err
	}
	for n := range kills {
		file := fmt.Sprintf("undo%d.json", n)
		ended, err := x.killed(ctx, time.Duration(x.rng.Int64N(int64(took))), append(slices.Clone(commands[n%2]), "--undo", file)...)
		if err != nil {
			return err
		}
		x.r.Kills++
		s, err := x.inspect(ctx, fmt.Sprintf("kill %d", n))
		if err != nil {
			return err
		}
		done := s.applied
		if n%2 == 1 {
			done = len(x.paths) - s.gone
			if s.applied > 0 {
				x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("kill %d: doctor has migrated", n))
			}
		}
		x.r.Done += done
		switch {
		case done == 0:
			x.r.Before++
		case done < len(x.paths) && !ended:
			x.r.Partly++
		}
		if n%5 == 4 { // also kill the command undo in every fifth round
			if _, err := x.killed(ctx, time.Duration(x.rng.Int64N(int64(took/2))), "undo", "-f", file, "--yes"); err != nil {
				return err
			}
		}
		if err := x.undo(ctx, file, done); err != nil {
			return err
		}
		if s, err = x.inspect(ctx, fmt.Sprintf("undo %d", n)); err != nil {
			return err
		}
		if s.applied != 0 || s.gone != len(x.paths) {
			x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("undo %d: %d are applied, %d have the entry of gone", n, s.applied, s.gone))
		}
		x.r.Undone += done
	}
	return nil
}

// killed starts a command and kills it after the given time. It returns true if the command ended
// before that time.
func (x *subjects) killed(ctx context.Context, after time.Duration, args ...string) (ended bool, err error) {
	cmd := exec.CommandContext(ctx, x.Dovetail, append(args, "--kubeconfig", x.s.Kubeconfig)...)
	cmd.Dir = x.dir
	cmd.Env = append(os.Environ(), "HOME="+x.dir, "XDG_CACHE_HOME="+filepath.Join(x.dir, "cache"))
	if err := cmd.Start(); err != nil {
		return false, err
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // an error means that the process has ended
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return timer.Stop(), err
}

// undo repeats "dovetail undo" until nothing is left to undo. The command can need several
// runs if other clients write the same objects.
func (x *subjects) undo(ctx context.Context, file string, done int) error {
	if info, err := os.Stat(filepath.Join(x.dir, file)); err != nil || info.Size() == 0 {
		if done > 0 {
			x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("%s: %d objects were written, but there is no undo file", file, done))
		}
		return nil
	}
	_, err := x.repeat(ctx, "undo", "-f", file, "--yes")
	return err
}

// repeat runs a command until it no longer fails because other clients changed an object. It
// records any other failure, and stops after five runs. It returns the number of runs.
func (x *subjects) repeat(ctx context.Context, args ...string) (times int, err error) {
	for times = 1; ; times++ {
		_, stderr, status, err := x.run(ctx, x.s.Kubeconfig, nil, x.Dovetail, append(args, "--kubeconfig", x.s.Kubeconfig)...)
		if err != nil || status <= 1 {
			return times, err
		}
		if times == 5 || !strings.Contains(stderr, "other clients changed the object ") {
			x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("%s ends with %d: %s", args[0], status, end(stderr)))
			return times, nil
		}
	}
}

// runUninterrupted runs each command to its end.
func (x *subjects) runUninterrupted(ctx context.Context) error {
	for _, args := range commands {
		start := time.Now()
		times, err := x.repeat(ctx, args...)
		if err != nil {
			return err
		}
		x.r.Whole, x.r.Again = max(x.r.Whole, time.Since(start)/time.Duration(times)), x.r.Again+times-1
	}
	s, err := x.inspect(ctx, "whole")
	if err == nil && (s.applied != len(x.paths) || s.gone != 0) {
		x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("whole: %d are applied, %d have the entry of gone", s.applied, s.gone))
	}
	return err
}

// apply runs "dovetail apply --write" on objects of all twenty kinds, and then "dovetail
// undo". Some of the objects are new.
func (x *subjects) apply(ctx context.Context, release string) error {
	catalog, err := openapi.BuiltinRelease(release, openapi.Options{})
	if err != nil {
		return err
	}
	if err := put(ctx, x.c, catalog, mustObject(widgets), "admin"); err != nil {
		return err
	}
	var items []any
	var paths []string
	for _, k := range kinds {
		for i := range 6 {
			o := k.object(i+100, i%2)
			items = append(items, o)
			path := pathOf(catalog, o)
			paths = append(paths, path)
			// The command will create these objects, so do not create them here.
			// PersistentVolumeClaims are an exception, because undo does not delete them.
			if i < 3 && k.kind != "PersistentVolumeClaim" {
				continue
			}
			if err := until(ctx, func() error { return put(ctx, x.c, catalog, k.object(i+100, 0), "gitops") }); err != nil {
				return err
			}
			if err := x.patch(ctx, path, object{"metadata": object{"annotations": object{"ops.example.com/a": "b"}}}, "ops"); err != nil {
				return err
			}
		}
	}
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(x.dir, "apply.json"), text, 0o600); err != nil {
		return err
	}
	before, err := x.all(ctx, paths)
	if err != nil {
		return err
	}
	stdout, stderr, status, err := x.run(ctx, x.s.Kubeconfig, nil, x.Dovetail, "apply", "-f", "apply.json", "--field-manager", "gitops", "--force-conflicts", "--kubeconfig", x.s.Kubeconfig, "--write", "--yes", "--undo", "apply-undo.json")
	if err != nil {
		return err
	}
	x.r.Applied = strings.Count(stdout, ": written\n")
	if status != 0 {
		x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("apply exits with status %d: %s", status, end(stderr)))
	}
	if err := x.guarded(ctx, catalog, items); err != nil {
		return err
	}
	if stdout, stderr, status, err = x.run(ctx, x.s.Kubeconfig, nil, x.Dovetail, "apply", "-f", "apply.json", "--field-manager", "gitops", "--kubeconfig", x.s.Kubeconfig, "--write", "--yes"); err != nil {
		return err
	}
	if status != 0 || stdout != "" {
		x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("the second apply exits with status %d: %s%s", status, end(stdout), end(stderr)))
	}
	stdout, stderr, status, err = x.run(ctx, x.s.Kubeconfig, nil, x.Dovetail, "undo", "-f", "apply-undo.json", "--yes", "--kubeconfig", x.s.Kubeconfig)
	if err != nil {
		return err
	}
	if n := strings.Count(stdout, ": written\n"); n != x.r.Applied || status != 0 {
		x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("undo of apply: %d of %d, exits with status %d: %s", n, x.r.Applied, status, end(stderr)))
	}
	after, err := x.all(ctx, paths)
	for i, path := range paths {
		if before[i] != after[i] {
			x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("%s: before %.1500s, undone %.1500s", path, before[i], after[i]))
		}
	}
	return err
}

// guarded checks that the server rejects an apply to an existing object if the config has a wrong
// resourceVersion. The commands use such a resourceVersion to create an object, because the apply
// then fails if the object already exists.
func (x *subjects) guarded(ctx context.Context, catalog *openapi.Catalog, items []any) error {
	for _, item := range items {
		o := maps.Clone(item.(object))
		metadata := maps.Clone(o["metadata"].(object))
		o["metadata"], metadata["resourceVersion"] = metadata, "1"
		if err := put(ctx, x.c, catalog, o, "gitops"); !apierrors.IsConflict(err) {
			x.r.Wrong = append(x.r.Wrong, fmt.Sprintf("%s: an apply guarded by a resourceVersion is not rejected: %v", pathOf(catalog, o), err))
		}
	}
	return ctx.Err()
}

// end returns the last lines of a text.
func end(text string) string {
	const most = 1500
	return text[max(0, len(text)-most):]
}

func mustObject(text string) (o object) {
	_ = json.Unmarshal([]byte(text), &o) // the text is constant and valid
	return o
}

// all returns the objects at the given paths as JSON, without values that the server
// increments, such as the resourceVersion. For a missing object, it returns "".
func (x *subjects) all(ctx context.Context, paths []string) (list []string, err error) {
	for _, path := range paths {
		o, err := x.get(ctx, path)
		if err != nil {
			if apierrors.IsNotFound(err) {
				list = append(list, "")
				continue
			}
			return nil, err
		}
		metadata := o["metadata"].(object)
		delete(metadata, "resourceVersion")
		delete(metadata, "generation")
		if annotations, ok := metadata["annotations"].(object); ok {
			delete(annotations, "deprecated.daemonset.template.generation") // the server increments it
		}
		entries := managed(o)
		slices.SortFunc(entries, func(a, b any) int { return strings.Compare(entry(a), entry(b)) })
		for _, e := range entries {
			delete(e.(object), "time")
		}
		text, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		list = append(list, string(text))
	}
	return list, nil
}

func entry(e any) string {
	m, _ := e.(object)
	return fmt.Sprint(m["manager"], m["operation"], m["subresource"])
}
