// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package soak sends a long series of writes by many managers to two servers. At the end, it
// compares the stored objects of both servers.
package soak

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/e2e"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

// Options select the writes.
type Options struct {
	Writes, Objects, Managers int
	Seed                      uint64
	// If Sorted is true, the comparison first converts objects with e2e.Sorted.
	Sorted bool
	// Lenient is true if the second server does not validate values of built-in kinds. If the
	// first server rejects a write as invalid, the second server does not receive it.
	Lenient bool
}

// Report is the result of a run.
type Report struct {
	Options
	Statuses    map[int]int // number of answers of the first server, by status
	Unsent      int         // writes that the second server did not receive, because the first one rejected them as invalid
	Entries     int         // total number of managedFields entries at the end
	Differences []string
}

// workers is the number of requests that a server processes at the same time. One worker sends
// all writes to an object, so the order of these writes is the same on both servers.
const workers = 2

// updaters is the number of managers that update. All other managers apply. With more than ten
// updaters, a server would join the oldest entries. Which entries are oldest would differ
// between the servers.
const updaters = 10

// Run sends the same writes to both servers and compares the results.
func Run(ctx context.Context, o Options, base, other *server.Server) (*Report, error) {
	want, got, err := o.runOnBoth(ctx, base, other)
	if err != nil {
		return nil, err
	}
	r := &Report{Options: o, Statuses: map[int]int{}}
	for object := range want.statuses {
		for i, status := range want.statuses[object] {
			r.Statuses[status]++
			if got.statuses[object][i] == unsent {
				r.Unsent++
			} else if got.statuses[object][i] != status {
				r.Differences = append(r.Differences, fmt.Sprintf("object %d, write %d: status %d, %d", object, i, status, got.statuses[object][i]))
			}
		}
		if want.stored[object] != got.stored[object] {
			r.Differences = append(r.Differences, fmt.Sprintf("object %d is stored as\n%s\nand as\n%s", object, want.stored[object].Body, got.stored[object].Body))
		}
		r.Entries += entries(want.stored[object].Body)
	}
	return r, nil
}

// runOnBoth sends the writes to both servers at the same time. A lenient second server gets its
// writes later, when it is known which writes are invalid.
func (o Options) runOnBoth(ctx context.Context, base, other *server.Server) (want, got *outcome, err error) {
	if o.Lenient {
		if want, err = o.write(ctx, base, nil); err == nil {
			got, err = o.write(ctx, other, want)
		}
		return want, got, err
	}
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { got, failed = o.write(ctx, other, nil) })
	want, err = o.write(ctx, base, nil)
	wg.Wait()
	return want, got, cmp.Or(err, failed)
}

func entries(object string) int {
	var o struct {
		Metadata struct{ ManagedFields []json.RawMessage }
	}
	if json.Unmarshal([]byte(object), &o) != nil {
		return 0
	}
	return len(o.Metadata.ManagedFields)
}

// outcome has the answers of one server. The index in both slices is the number of the object.
type outcome struct {
	statuses [][]int
	stored   []e2e.Answer
}

// unsent is the status of a write that was not sent.
const unsent = -1

// write sends all writes to a server. For the second server, before can be the outcome on the first
// server. The second server then does not get the writes to built-in kinds that the first server rejected
// as invalid. If before is nil, it gets all writes.
func (o Options) write(ctx context.Context, s *server.Server, before *outcome) (*outcome, error) {
	client, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return nil, err
	}
	w := writer{Options: o, rest: client.RESTClient(), before: before, out: &outcome{statuses: make([][]int, o.Objects), stored: make([]e2e.Answer, o.Objects)}}
	if err := w.prepare(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for object := i; object < o.Objects && errs[i] == nil; object += workers {
				errs[i] = w.object(ctx, object)
			}
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return w.out, nil
}

type writer struct {
	Options
	rest        rest.Interface
	before, out *outcome
}

// object sends all writes to one object, and reads the object at the end.
func (w *writer) object(ctx context.Context, object int) error {
	rnd := rand.New(rand.NewPCG(w.Seed, uint64(object)))
	k := kinds[object%len(kinds)]
	name := fmt.Sprintf("o%d", object)
	path := k.path + "/" + name
	writes := w.Writes / w.Objects
	if object < w.Writes%w.Objects {
		writes++
	}
	for i := range writes {
		manager := rnd.IntN(w.Managers)
		if i == 0 {
			manager = 0
		}
		var req *rest.Request
		var body any
		if manager < w.Managers-updaters {
			body = k.apply(rnd, name, i == 0)
			req = w.rest.Patch(types.ApplyPatchType)
			if i == 0 || rnd.IntN(2) == 0 {
				req = req.Param("force", "true")
			}
		} else {
			body = k.patch(rnd)
			req = w.rest.Patch(types.MergePatchType)
		}
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		if w.before != nil && k.builtin && w.before.statuses[object][i] == http.StatusUnprocessableEntity {
			w.out.statuses[object] = append(w.out.statuses[object], unsent)
			continue
		}
		status, _, err := e2e.Send(ctx, req.AbsPath(path).Param("fieldManager", fmt.Sprintf("m%d", manager)), text)
		if err != nil {
			return err
		}
		w.out.statuses[object] = append(w.out.statuses[object], status)
	}
	status, stored, err := e2e.Send(ctx, w.rest.Get().AbsPath(path), nil)
	if err != nil {
		return err
	}
	if w.Sorted {
		stored = e2e.Sorted(stored)
	}
	w.out.stored[object], err = e2e.NewAnswer(status, stored)
	return err
}

// Write prints the report.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "soak, seed %d: %d writes by %d managers to %d objects", r.Seed, r.Writes, r.Managers, r.Objects)
	for _, status := range slices.Sorted(maps.Keys(r.Statuses)) {
		fmt.Fprintf(w, ", %d × %d", r.Statuses[status], status)
	}
	if r.Unsent > 0 {
		fmt.Fprintf(w, " (%d of them invalid for a built-in kind, and not sent to both)", r.Unsent)
	}
	fmt.Fprintf(w, "; %d entries of managed fields stored, %d differences\n", r.Entries, len(r.Differences))
	for _, d := range r.Differences {
		fmt.Fprintln(w, " ", d)
	}
}
