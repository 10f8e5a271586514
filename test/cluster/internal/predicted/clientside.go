// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

// ClientSide is the result of RunClientSide.
type ClientSide struct {
	// Pairs counts the tested pairs of manifests, by field manager. Removed counts the fields
	// that kubectl removed. Refused counts the pairs whose second manifest the server rejected.
	Pairs            map[string]int
	Removed, Refused int
	// Wrong describes fields that kubectl removed and dovetail diff did not report, and
	// rejections that dovetail diff did not predict.
	Wrong []string
}

// OK reports whether dovetail diff reported all fields.
func (r *ClientSide) OK() bool { return len(r.Wrong) == 0 && r.Removed > 0 }

// Write prints the numbers and the fields that were not reported.
func (r *ClientSide) Write(w io.Writer) {
	for _, manager := range clientSideManagers {
		fmt.Fprintf(w, "%d pairs with the field manager %s; ", r.Pairs[manager], manager)
	}
	fmt.Fprintf(w, "%d second manifests rejected; %d fields removed; wrong: %d\n", r.Refused, r.Removed, len(r.Wrong))
	for _, text := range r.Wrong {
		fmt.Fprintln(w, "  "+text)
	}
}

// clientSideManagers are the field managers of kubectl apply --server-side.
var clientSideManagers = []string{"kubectl", "gitops"}

// RunClientSide tests whether dovetail diff reports the fields that kubectl removes when a user
// changes from client-side to server-side apply. The test applies one manifest of an object
// client-side and then another one server-side. It does so with the given number of pairs of
// manifests for each of two field managers. For half of the pairs, a third manifest is applied
// client-side in between, so that the last-applied annotation differs from the first manifest.
func RunClientSide(ctx context.Context, o Options, s *server.Server, pairs int, program, kubectl, work string) (*ClientSide, error) {
	c, err := newClient(s)
	if err != nil {
		return nil, err
	}
	types, err := openapi.BuiltinRelease(o.Release, openapi.Options{})
	if err != nil {
		return nil, err
	}
	var objects []object
	for _, from := range o.Objects {
		kind, ok := types.Kind(text(from["apiVersion"]), text(from["kind"]))
		if !ok || kind.Resource == "" || slices.Contains(notStored, kind.Kind) {
			continue
		}
		if delete(from, "status"); kind.Scope == openapi.Namespaced {
			metadata(from)["namespace"] = "default"
		}
		if a, err := c.apply(ctx, kind, from, "gitops", true); err != nil {
			return nil, err
		} else if a.ok() {
			objects = append(objects, from)
		}
	}
	if len(objects) == 0 {
		return nil, errors.New("no object is valid")
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return nil, err
	}
	x := &clientSide{Options: o, client: c, types: types, m: newMutator(objects, rand.New(rand.NewPCG(o.Seed, 0))), kubeconfig: s.Kubeconfig, program: program, kubectl: kubectl, work: work}
	x.report = &ClientSide{Pairs: map[string]int{}}
	for _, manager := range clientSideManagers {
		for tries := 0; x.report.Pairs[manager] < pairs; tries++ {
			if tries == 20*pairs {
				return nil, fmt.Errorf("only %d of %d pairs are valid", x.report.Pairs[manager], pairs)
			}
			if err := x.pair(ctx, pick(x.m.rnd, objects), manager); err != nil {
				return nil, err
			}
		}
	}
	return x.report, nil
}

type clientSide struct {
	Options
	client                             *client
	types                              *openapi.Catalog
	m                                  *mutator
	kubeconfig, program, kubectl, work string
	report                             *ClientSide
}

// variant returns a valid object that lacks some values of the given object and differs in
// others. It returns nil if it finds no such object.
func (x *clientSide) variant(ctx context.Context, kind openapi.Kind, o object) (object, error) {
	var found object
	for try := range 12 {
		v := runtime.DeepCopyJSON(o)
		if try%3 == 0 {
			v = x.m.mutant(o)
		} else {
			x.m.remove(v)
		}
		if metadata(v) == nil || metadata(v)["name"] != metadata(o)["name"] {
			continue
		}
		if a, err := x.client.apply(ctx, kind, v, "gitops", true); err != nil {
			return nil, err
		} else if a.ok() {
			o, found = v, v
		}
	}
	return found, nil
}

func (x *clientSide) pair(ctx context.Context, first object, manager string) (err error) {
	kind, _ := x.types.Kind(text(first["apiVersion"]), text(first["kind"]))
	path := collection(kind, first) + "/" + text(metadata(first)["name"])
	if err := x.client.remove(ctx, path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.client.remove(ctx, path)) }()
	manifests := []object{first}
	if x.m.rnd.IntN(2) == 0 {
		manifests = append(manifests, nil)
	}
	for i := range manifests {
		if i > 0 {
			if manifests[i], err = x.variant(ctx, kind, first); err != nil || manifests[i] == nil {
				return err
			}
		}
		if _, status, err := x.run(ctx, x.kubectl, manifests[i], "apply"); err != nil || status != 0 {
			return err
		}
	}
	second, err := x.variant(ctx, kind, first)
	if err != nil || second == nil {
		return err
	}
	report, status, err := x.run(ctx, x.program, second, "diff", "--field-manager", manager, "--force-conflicts", "-o", "report")
	if err != nil {
		return err
	}
	before, err := x.client.get(ctx, path)
	if err != nil {
		return err
	}
	x.report.Pairs[manager]++
	out, failed, err := x.run(ctx, x.kubectl, second, "apply", "--server-side", "--field-manager", manager, "--force-conflicts")
	if err != nil {
		return err
	}
	if failed != 0 {
		x.report.Refused++
		if status < 2 {
			x.report.Wrong = append(x.report.Wrong, fmt.Sprintf("%s: dovetail diff ends with %d, kubectl fails: %.300s", path, status, out))
		}
		return nil
	}
	after, err := x.client.get(ctx, path)
	if err != nil {
		return err
	}
	removed, err := x.removed(before, after, manager)
	if err != nil {
		return err
	}
	x.report.Removed += len(removed)
	reported, err := reportedPaths(report)
	if err != nil {
		return fmt.Errorf("%s: dovetail diff ends with %d: %w", path, status, err)
	}
	for _, field := range removed {
		if !slices.ContainsFunc(reported, func(r string) bool {
			rest, below := strings.CutPrefix(field, r)
			return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
		}) {
			x.report.Wrong = append(x.report.Wrong, fmt.Sprintf("%s by %s: %s is removed, reported are %v", path, manager, field, reported))
		}
	}
	return nil
}

// lastApplied is the annotation of client-side apply. The command
// kubectl apply --server-side removes it if --field-manager is not kubectl, and dovetail diff does
// not report that removal.
const lastApplied = ".metadata.annotations.kubectl.kubernetes.io/last-applied-configuration"

// removed returns the paths of the values that an apply by a manager removed. It ignores the
// status and other values that only a server writes.
func (x *clientSide) removed(before, after object, manager string) (all []string, err error) {
	t, _ := x.types.Type(text(before["apiVersion"]), text(before["kind"]))
	was, err := t.FromUnstructured(withoutWriteMetadata(before))
	if err != nil {
		return nil, err
	}
	is, err := t.FromUnstructured(withoutWriteMetadata(after))
	if err != nil {
		return nil, err
	}
	compared, err := was.Compare(is)
	if err != nil {
		return nil, err
	}
	compared.Removed.Leaves().Iterate(func(p fieldpath.Path) {
		if text := p.String(); !strings.HasPrefix(text, ".status") && (manager == clientSideManagers[0] || text != lastApplied) {
			all = append(all, text)
		}
	})
	return all, nil
}

// reportedPaths returns all paths in a report of dovetail diff: the paths of the differences,
// and the paths of the fields that kubectl removes.
func reportedPaths(report string) (all []string, err error) {
	var document struct {
		Objects []struct {
			Differences []struct{ Path string }
			Kubectl     struct{ Removes []string }
		}
	}
	if err := json.Unmarshal([]byte(report), &document); err != nil {
		return nil, err
	}
	for _, o := range document.Objects {
		for _, d := range o.Differences {
			all = append(all, d.Path)
		}
		all = append(all, o.Kubectl.Removes...)
	}
	return all, nil
}

// run runs a program with a manifest, and returns the program's output. If the program fails,
// the output also contains its error messages.
func (x *clientSide) run(ctx context.Context, program string, manifest object, args ...string) (out string, status int, err error) {
	data, err := json.Marshal(manifest)
	if err != nil {
		return "", 0, err
	}
	name := filepath.Join(x.work, "manifest.json")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return "", 0, err
	}
	args = append(args, "-f", name)
	if program == x.program {
		args = append(args, "--context", "local")
	}
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "KUBECONFIG="+x.kubeconfig, "HOME="+x.work, "XDG_CACHE_HOME="+filepath.Join(x.work, "cache"))
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if stdout.Len() > 0 && program == x.program {
			return stdout.String(), exit.ExitCode(), nil
		}
		return stdout.String() + stderr.String(), exit.ExitCode(), nil
	}
	return stdout.String(), 0, err
}
