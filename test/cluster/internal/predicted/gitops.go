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

// Loop is the result of RunLoop.
type Loop struct {
	Objects, Refused int
	// Same counts the objects that did not change, and Changed those that did. Owners counts
	// the objects in which only managed fields changed. Anew counts the objects to which the
	// server gave a new resourceVersion although nothing changed.
	Same, Changed, Owners, Anew int
	// Wrong describes the wrong predictions.
	Wrong []string
}

// OK reports whether all predictions were right.
func (l *Loop) OK() bool { return len(l.Wrong) == 0 && l.Same > 0 && l.Changed > 0 }

// Write prints the numbers and the wrong predictions.
func (l *Loop) Write(w io.Writer) {
	fmt.Fprintf(w, "%d objects applied again: %d the same, %d changed, %d with other owners only, %d written without a change, %d rejected by the server; %d predictions wrong\n",
		l.Objects, l.Same, l.Changed, l.Owners, l.Anew, l.Refused, len(l.Wrong))
	for _, text := range l.Wrong {
		fmt.Fprintln(w, "  "+text)
	}
}

// appliedObject is an object that RunLoop applies twice.
type appliedObject struct {
	kind     openapi.Kind
	path     string
	manifest object
	live     object
}

// RunLoop applies n objects, and then applies manifests of these objects again, as a GitOps
// engine does. Most of these manifests are unchanged. Some of them contain changes, or
// quantities in a different spelling, such as 1000m for 1. Before the second apply, dovetail
// diff predicts the changes from a dump of the objects. The argument "program" is the path of
// dovetail.
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
	var all []*appliedObject
	seen := map[string]bool{}
	for round := 0; len(all) < n; round++ {
		before := len(all)
		for _, from := range o.Objects {
			kind, ok := types.Kind(text(from["apiVersion"]), text(from["kind"]))
			if !ok || kind.Resource == "" || serverControlled[kind.Kind] || len(all) == n || kind.APIVersion == "events.k8s.io/v1" { // v1 also serves events
				continue
			}
			copied := runtime.DeepCopyJSON(from)
			if round > 0 {
				metadata(copied)["name"] = fmt.Sprintf("%s-%d", metadata(copied)["name"], round)
			}
			k := &appliedObject{kind: kind, manifest: copied, path: collection(kind, copied) + "/" + text(metadata(copied)["name"])}
			if seen[k.path] {
				continue
			}
			seen[k.path] = true
			a, err := c.send(ctx, k.apply(copied))
			if err != nil {
				return nil, err
			}
			if a.ok() { // for some kinds, the server allows only certain names
				all = append(all, k)
			}
		}
		if len(all) == before {
			return nil, fmt.Errorf("round %d: the server accepted no object", round)
		}
	}
	var live, manifests []any
	for _, k := range all {
		if k.live, err = c.get(ctx, k.path); err != nil {
			return nil, err
		}
		k.manifest = secondManifest(k, rnd)
		live, manifests = append(live, k.live), append(manifests, k.manifest)
	}
	reports, err := diff(ctx, program, work, o.Release, manifests, live)
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
		changed := len(compare(withoutWriteMetadata(k.live), withoutWriteMetadata(stored), nil)) > 0
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
		if t := reports[i]; (len(t.Differences) > 0) != changed || t.Changed != wrote {
			l.Wrong = append(l.Wrong, fmt.Sprintf("%s: the server wrote %t, changed the object %t; predicted %t, %v", k.path, wrote, changed, t.Changed, t.Differences))
		}
	}
	return l, nil
}

// withoutWriteMetadata returns an object without the metadata that every write changes.
func withoutWriteMetadata(o object) object {
	o = runtime.DeepCopyJSON(o)
	for _, name := range []string{"managedFields", "resourceVersion", "generation"} {
		delete(metadata(o), name)
	}
	return o
}

func (k *appliedObject) apply(o object) *request {
	return &request{kind: k.kind, method: apply, path: k.path, manager: "gitops", force: true, body: o, whole: o}
}

// secondManifest returns the manifest of an object for the second apply.
func secondManifest(k *appliedObject, rnd *rand.Rand) object {
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

// respell changes the spelling of the quantities in a value, such as 1000m instead of 1.
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

// diffReport is the part of dovetail diff's JSON report that this package uses, for one object.
type diffReport struct {
	Changed     bool
	Differences []struct{ Path string }
}

// diff runs dovetail diff once, for all manifests.
func diff(ctx context.Context, program, work, release string, manifests, live []any) ([]diffReport, error) {
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
	var report struct{ Objects []diffReport }
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Objects) != len(manifests) {
		return nil, fmt.Errorf("dovetail diff reports %d of %d objects: %w\n%s", len(report.Objects), len(manifests), err, strings.TrimSpace(messages.String()))
	}
	return report.Objects, nil
}
