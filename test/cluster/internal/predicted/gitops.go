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
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

// Loop is what came of manifests that are applied again, as a GitOps engine does with all it
// has, told by dovetail diff from a dump, and done by a server.
type Loop struct {
	Objects, Refused int
	// Same and Changed are by what the server did. Owners are those of whose object only the
	// managed fields changed; Anew are those that were written as they were, as a claim is
	// that is applied for the second time.
	Same, Changed, Owners, Anew int
	// Wrong are those that the command told otherwise.
	Wrong []string
}

// OK says whether the command told all of them right.
func (l *Loop) OK() bool { return len(l.Wrong) == 0 && l.Same > 0 && l.Changed > 0 }

// Write prints the numbers and what is wrong.
func (l *Loop) Write(w io.Writer) {
	fmt.Fprintf(w, "%d objects applied again: %d the same, %d changed, %d with other owners only, %d written anew as they were, %d refused by the server; %d told wrong\n",
		l.Objects, l.Same, l.Changed, l.Owners, l.Anew, l.Refused, len(l.Wrong))
	for _, text := range l.Wrong {
		fmt.Fprintln(w, "  "+text)
	}
}

// kept is an object of the loop.
type kept struct {
	kind     openapi.Kind
	path     string
	manifest object
	live     object
}

// RunLoop applies n objects, and then manifests of all of them, most as they were, some in
// another spelling, some with a change. program is the command.
func RunLoop(ctx context.Context, o Options, s *server.Server, n int, program, work string) (*Loop, error) {
	c, err := newClient(s)
	if err != nil {
		return nil, err
	}
	types, err := openapi.BuiltinRelease(o.Release, openapi.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := c.do(ctx, c.rest.Post().AbsPath("/api/v1/namespaces").Body([]byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`))); err != nil {
		return nil, err
	}
	rnd := rand.New(rand.NewPCG(o.Seed, 0))
	var all []*kept
	seen := map[string]bool{}
	for round := 0; len(all) < n; round++ {
		before := len(all)
		for _, from := range o.Objects {
			kind, ok := types.Kind(text(from["apiVersion"]), text(from["kind"]))
			if !ok || kind.Resource == "" || judged[kind.Kind] || len(all) == n || kind.APIVersion == "events.k8s.io/v1" { // which has those of v1
				continue
			}
			copied := runtime.DeepCopyJSON(from)
			if round > 0 {
				metadata(copied)["name"] = fmt.Sprintf("%s-%d", metadata(copied)["name"], round)
			}
			k := &kept{kind: kind, manifest: copied, path: collection(kind, copied) + "/" + text(metadata(copied)["name"])}
			if seen[k.path] {
				continue
			}
			seen[k.path] = true
			a, err := c.send(ctx, k.apply(copied))
			if err != nil {
				return nil, err
			}
			if a.ok() { // names of some kinds mean something, so that there can be one of them
				all = append(all, k)
			}
		}
		if len(all) == before {
			return nil, fmt.Errorf("round %d: no object is accepted", round)
		}
	}
	var live, manifests []any
	for _, k := range all {
		if k.live, err = c.get(ctx, k.path); err != nil {
			return nil, err
		}
		k.manifest = again(k, rnd)
		live, manifests = append(live, k.live), append(manifests, k.manifest)
	}
	told, err := diff(ctx, program, work, o.Release, manifests, live)
	if err != nil {
		return nil, err
	}
	l := &Loop{Objects: len(all)}
	for i, k := range all {
		a, err := c.send(ctx, k.apply(k.manifest))
		if err != nil {
			return nil, err
		}
		if !a.ok() {
			l.Refused++
			continue
		}
		stored, err := c.get(ctx, k.path)
		if err != nil {
			return nil, err
		}
		wrote := metadata(stored)["resourceVersion"] != metadata(k.live)["resourceVersion"]
		changed := len(compare(plain(k.live), plain(stored), nil)) > 0
		metadata(k.live)["resourceVersion"] = metadata(stored)["resourceVersion"]
		switch {
		case wrote && len(compare(k.live, stored, nil)) == 0:
			l.Anew++
			wrote = false
		case changed:
			l.Changed++
		case wrote:
			l.Owners++
		default:
			l.Same++
		}
		if t := told[i]; (len(t.Differences) > 0) != changed || t.Changed != wrote {
			l.Wrong = append(l.Wrong, fmt.Sprintf("%s: the server wrote %t, changed the object %t; told %t, %v", k.path, wrote, changed, t.Changed, t.Differences))
		}
	}
	return l, nil
}

// plain is an object without what tells of writes.
func plain(o object) object {
	o = runtime.DeepCopyJSON(o)
	for _, name := range []string{"managedFields", "resourceVersion", "generation"} {
		delete(metadata(o), name)
	}
	return o
}

func (k *kept) apply(o object) *request {
	return &request{kind: k.kind, method: apply, path: k.path, manager: "gitops", force: true, body: o, whole: o}
}

// again is the manifest of an object as it is next time.
func again(k *kept, rnd *rand.Rand) object {
	o := runtime.DeepCopyJSON(k.manifest)
	m := &maker{kind: k.kind, from: o, rnd: rnd}
	switch rnd.IntN(10) {
	case 0, 1:
		respell(o)
	case 2:
		m.vary(o)
	case 3:
		put(o, "labels", object{"again": "yes"})
	}
	return o
}

// respell writes quantities otherwise.
func respell(v any) {
	switch v := v.(type) {
	case object:
		for name, item := range v {
			if q, err := resource.ParseQuantity(text(item)); err == nil && (name == "cpu" || name == "memory" || name == "storage") {
				v[name] = fmt.Sprintf("%dm", q.MilliValue())
			}
			respell(item)
		}
	case []any:
		for _, item := range v {
			respell(item)
		}
	}
}

// toldDiff is what is read of the report of dovetail diff.
type toldDiff struct {
	Changed     bool
	Differences []struct{ Path string }
}

// diff asks the command about all manifests at once.
func diff(ctx context.Context, program, work, release string, manifests, live []any) ([]toldDiff, error) {
	names := map[string][]any{"manifests.json": manifests, "live.json": live}
	for name, items := range names {
		data, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(work, name), data, 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, program, "diff", "-f", "manifests.json", "--live", "live.json", "--field-manager", "gitops", "--force-conflicts",
		"--kubernetes-version", release, "-o", "report")
	var out, messages bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = work, &out, &messages
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	var told []toldDiff
	if err := json.Unmarshal(out.Bytes(), &told); err != nil || len(told) != len(manifests) {
		return nil, fmt.Errorf("dovetail diff tells of %d objects of %d: %w\n%s", len(told), len(manifests), err, strings.TrimSpace(messages.String()))
	}
	return told, nil
}
