// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// store contains the objects of a server and its latest events. Neither the store
// nor its callers modify stored objects.
type store struct {
	mu       sync.RWMutex
	revision int64
	bytes    int64
	objects  map[schema.GroupResource]map[key]*stored

	// history lists the latest events, oldest first. Older events are lost. forgotten is the revision
	// of the last lost event, so it is the oldest revision at which a watch can start.
	history      []event
	historyBytes int64
	forgotten    int64
	watchers     map[*watcher]struct{}

	maxBytes int64
	bound    int

	journal *journal // nil if there is no file
}

// These constants limit the number of events in the history, and the total size of
// the objects in these events.
const (
	maxEvents       = 10_000
	maxHistoryBytes = 256 << 20
)

type key struct{ namespace, name string }

func keyOf(object map[string]any) key {
	return key{document.MetaString(object, "namespace"), document.MetaString(object, "name")}
}

func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.namespace, other.namespace), cmp.Compare(k.name, other.name))
}

// stored is an object together with its size.
type stored struct {
	object map[string]any
	size   int64
}

// event is a change of an object. The field before has the old object, or nil if the object is new.
type event struct {
	what           watch.EventType
	resource       schema.GroupResource
	revision       int64
	object, before map[string]any
	size           int64
}

// watcher receives the events of one resource. If a watcher is too slow, the store closes its channel.
type watcher struct {
	resource schema.GroupResource
	events   chan event
}

func newStore(maxBytes int64) *store {
	return &store{objects: map[schema.GroupResource]map[key]*stored{}, watchers: map[*watcher]struct{}{}, maxBytes: maxBytes, bound: maxEvents}
}

// get returns an object, or nil if it does not exist.
func (s *store) get(r schema.GroupResource, k key) map[string]any {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o := s.objects[r][k]; o != nil {
		return o.object
	}
	return nil
}

// list returns the objects of a resource, sorted by key, and the current revision. If
// namespace is not empty, only the objects in that namespace are returned.
func (s *store) list(r schema.GroupResource, namespace string) ([]map[string]any, int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.listLocked(r, namespace), s.revision
}

// count returns the number of objects of a resource.
func (s *store) count(r schema.GroupResource) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.objects[r])
}

func (s *store) listLocked(r schema.GroupResource, namespace string) []map[string]any {
	var keys []key
	for k := range s.objects[r] {
		if namespace == "" || k.namespace == namespace {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, key.compare)
	all := make([]map[string]any, len(keys))
	for i, k := range keys {
		all[i] = s.objects[r][k].object
	}
	return all
}

// put stores an object and returns it with its new resourceVersion. The argument before is the object
// that it replaces, or nil. put returns an error if the store is full or if the journal cannot be
// written. A full store still accepts smaller objects and deletions, because they make room.
func (s *store) put(r schema.GroupResource, object, before map[string]any) (map[string]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	object = withRevision(object, s.revision+1)
	data, err := json.Marshal(object)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	k := keyOf(object)
	size := int64(len(data))
	var was int64
	if o := s.objects[r][k]; o != nil {
		was = o.size
	}
	if s.bytes+size-was > s.maxBytes && size > was && !startsDeletion(object, before) {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInsufficientStorage, Reason: metav1.StatusReasonInternalError, Message: "the store is full",
		}}
	}
	err = s.write(change{Resource: r.String(), Object: object, Revision: s.revision + 1})
	if errors.Is(err, errTooDeep) {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	s.revision++
	s.bytes -= was
	s.keep(r, object, size)
	what := watch.Added
	if before != nil {
		what = watch.Modified
	}
	s.publish(event{what, r, s.revision, object, before, size})
	return object, s.shrink()
}

// startsDeletion reports whether a change marks an object as deleted.
func startsDeletion(object, before map[string]any) bool {
	_, deleted := deletionTime(object)
	_, was := deletionTime(before)
	return before != nil && deleted && !was
}

// keep adds an object of the given size to the map of objects.
func (s *store) keep(r schema.GroupResource, object map[string]any, size int64) {
	if s.objects[r] == nil {
		s.objects[r] = map[key]*stored{}
	}
	s.objects[r][keyOf(object)] = &stored{object, size}
	s.bytes += size
}

// remove removes an object, and returns it with its last resourceVersion.
func (s *store) remove(r schema.GroupResource, object map[string]any) (map[string]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := keyOf(object)
	was := s.objects[r][k]
	if was == nil {
		return object, nil
	}
	if err := s.write(change{Resource: r.String(), Namespace: k.namespace, Name: k.name, Revision: s.revision + 1}); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	s.bytes -= was.size
	delete(s.objects[r], k)
	s.revision++
	object = withRevision(object, s.revision)
	s.publish(event{watch.Deleted, r, s.revision, object, was.object, was.size})
	return object, s.shrink()
}

// publish records an event and sends it to the watchers. It closes watchers that are too
// slow to receive it.
func (s *store) publish(e event) {
	s.history = append(s.history, e)
	s.historyBytes += e.size
	for len(s.history) > s.bound || s.historyBytes > maxHistoryBytes {
		s.forgotten = s.history[0].revision
		s.historyBytes -= s.history[0].size
		s.history[0] = event{}
		s.history = s.history[1:]
	}
	for w := range s.watchers {
		if w.resource != e.resource {
			continue
		}
		select {
		case w.events <- e:
		default:
			s.drop(w)
		}
	}
}

func (s *store) drop(w *watcher) {
	if _, there := s.watchers[w]; there {
		delete(s.watchers, w)
		close(w.events)
	}
}

// stop ends a watch. It may be called several times for the same watch.
func (s *store) stop(w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(w)
}

// stopAll ends all watches of a resource. If r is empty, it ends the watches of all
// resources.
func (s *store) stopAll(r schema.GroupResource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers {
		if r.Empty() || w.resource == r {
			s.drop(w)
		}
	}
}

// watch starts a watch of a resource. It returns a watcher for future events, the events that the
// client must get first, and the current revision.
//
// If initial is true, the client first gets one event for each existing object. If initial is false,
// it first gets the past events after the revision in since, or none if since is 0. watch returns an
// error if the revision in since is older than the history or newer than the current revision.
func (s *store) watch(r schema.GroupResource, since int64, initial bool) (_ *watcher, before []event, at int64, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case since > s.revision:
		return nil, nil, 0, tooNew(since, s.revision)
	case initial:
		for _, object := range s.listLocked(r, "") {
			before = append(before, event{what: watch.Added, resource: r, object: object})
		}
	case since == 0:
	case since < s.forgotten:
		return nil, nil, 0, apierrors.NewResourceExpired("too old resource version: " + strconv.FormatInt(since, 10) + " (" + strconv.FormatInt(s.forgotten, 10) + ")")
	default:
		from, _ := slices.BinarySearchFunc(s.history, since+1, func(e event, revision int64) int { return cmp.Compare(e.revision, revision) })
		for _, e := range s.history[from:] {
			if e.resource == r {
				before = append(before, e)
			}
		}
	}
	w := &watcher{r, make(chan event, 256)}
	s.watchers[w] = struct{}{}
	return w, before, s.revision, nil
}

// now returns the revision of the last change.
func (s *store) now() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.revision
}

// withRevision returns an object with the given resourceVersion.
func withRevision(object map[string]any, revision int64) map[string]any {
	object, metadata := document.WithMetadata(object)
	metadata["resourceVersion"] = strconv.FormatInt(revision, 10)
	return object
}

// tooNew returns the error for a request that asks for a future revision.
func tooNew(revision, now int64) error {
	err := apierrors.NewTimeoutError("Too large resource version: "+strconv.FormatInt(revision, 10)+", current: "+strconv.FormatInt(now, 10), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	return err
}
