// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// A watch that allows bookmarks gets one every minute, and a last one shortly before its
// timeout.
const (
	bookmarkEvery = time.Minute
	lastBookmark  = 2 * time.Second
)

// serveWatch sends events until the watch times out.
func (s *Server) serveWatch(w http.ResponseWriter, r *http.Request, t target, leave func()) error {
	chosen, err := parseSelectors(r, t.resource)
	if err != nil {
		return err
	}
	o, err := listOptions(r)
	if err != nil {
		return err
	}
	var since int64
	if o.ResourceVersion != "" {
		if since, err = strconv.ParseInt(o.ResourceVersion, 10, 64); err != nil || since < 0 {
			return apierrors.NewBadRequest("Invalid value: " + strconv.Quote(truncateForMessage(o.ResourceVersion)) + ": resourceVersion")
		}
	}
	if !tryEnter(&s.watches, maxWatches) {
		return apierrors.NewTooManyRequests("too many watches", 1)
	}
	defer s.watches.Add(-1)
	leave()
	list := o.SendInitialEvents != nil && *o.SendInitialEvents
	watcher, before, revision, err := s.store.watch(t.resource.gr(), since, list || o.SendInitialEvents == nil && since == 0)
	if err != nil && !apierrors.IsResourceExpired(err) {
		return err
	}
	out := &events{server: s, to: w, control: http.NewResponseController(w), request: r, target: t, chosen: chosen, form: formOf(r)}
	out.control.SetReadDeadline(time.Time{}) // the request of a watch has no body
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	if err != nil { // like an API server, send an event that tells the client to list again
		out.write(watch.Error, statusOf(err)) // the client may have disconnected
		return nil
	}
	defer s.store.stop(watcher)
	for i := range before {
		if err := out.send(&before[i]); err != nil {
			return nil // the client has disconnected or is too slow
		}
	}
	if list && o.AllowWatchBookmarks {
		err = out.bookmark(revision, true)
	}
	if err == nil {
		err = out.flush()
	}
	if err == nil {
		out.follow(watcher, &o, revision)
	}
	return nil
}

// events sends the events of a watch to its client.
type events struct {
	server  *Server
	to      http.ResponseWriter
	control *http.ResponseController
	request *http.Request
	target  target
	chosen  selection
	form    form
}

// follow sends events until the client disconnects, is too slow, or the timeout has
// passed.
func (e *events) follow(from *watcher, o *metav1.ListOptions, revision int64) {
	timeout := 30 * time.Minute
	if o.TimeoutSeconds != nil && *o.TimeoutSeconds > 0 && *o.TimeoutSeconds < int64(timeout/time.Second) {
		timeout = time.Duration(*o.TimeoutSeconds) * time.Second
	}
	end := time.NewTimer(timeout)
	defer end.Stop()
	last := time.NewTimer(timeout - lastBookmark)
	defer last.Stop()
	if timeout < lastBookmark {
		last.Stop()
	}
	tick := time.NewTicker(bookmarkEvery)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-e.request.Context().Done():
			return
		case <-e.server.done:
			return
		case <-end.C:
			return
		case <-tick.C:
			err = e.mark(from, o, revision)
		case <-last.C:
			err = e.mark(from, o, revision)
		case one, open := <-from.events:
			if !open {
				return
			}
			revision = one.revision
			err = e.send(&one)
		}
		if err == nil && len(from.events) == 0 {
			err = e.flush()
		}
		if err != nil {
			return
		}
	}
}

// send sends an event to the client, in the form that the client wants. The kind of event can change
// because of the selectors. For example, the client gets a deletion if the object no longer matches
// them.
func (e *events) send(one *event) error {
	if ns := e.target.namespace; ns != "" && document.MetaString(one.object, "namespace") != ns {
		return nil
	}
	what, object := one.what, one.object
	now, was := what != watch.Deleted && e.chosen.matches(object), e.chosen.matches(one.before)
	switch {
	case now && was:
		what = watch.Modified
	case now:
		what = watch.Added
	case was: // like an API server, send the object as it was before
		what, object = watch.Deleted, withRevision(one.before, one.revision)
	default:
		return nil
	}
	if converted, err := e.server.inVersion(e.target.resource, object); err == nil {
		object = converted
	} else if what != watch.Deleted {
		// If the object was deleted, its definition may also be gone. Then send the object as stored.
		return e.write(watch.Error, statusOf(err))
	}
	if e.form == asTable {
		return e.write(what, e.server.table(e.target.resource, []map[string]any{object}, metav1.ListMeta{ResourceVersion: document.MetaString(object, "resourceVersion")}, e.request))
	}
	return e.write(what, e.form.render(object))
}

// mark sends a bookmark with the current revision. It does nothing if the client does not allow
// bookmarks or if events are waiting.
func (e *events) mark(from *watcher, o *metav1.ListOptions, revision int64) error {
	now := e.server.store.now()
	if !o.AllowWatchBookmarks || len(from.events) > 0 {
		return nil
	}
	return e.bookmark(max(revision, now), false)
}

// bookmark tells the client that it has all events up to a revision. The argument initial is true for
// the bookmark that follows the events for existing objects.
func (e *events) bookmark(revision int64, initial bool) error {
	r := e.target.resource
	metadata := map[string]any{"resourceVersion": strconv.FormatInt(revision, 10), "creationTimestamp": nil}
	if initial {
		metadata["annotations"] = map[string]any{metav1.InitialEventsAnnotationKey: "true"}
	}
	object := map[string]any{"apiVersion": r.apiVersion(), "kind": r.kind, "metadata": metadata}
	if e.form == asMetadata {
		object["apiVersion"], object["kind"] = "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	if e.form == asTable {
		return e.write(watch.Bookmark, e.server.table(r, nil, metav1.ListMeta{ResourceVersion: strconv.FormatInt(revision, 10)}, e.request))
	}
	return e.write(watch.Bookmark, object)
}

// flush sends the written events, and then removes the write deadline. If the deadline stayed, it
// would end an HTTP/2 stream even while nothing is being written.
func (e *events) flush() error {
	err := e.control.Flush()
	if err == nil {
		e.control.SetWriteDeadline(time.Time{}) // this fails for an httptest.ResponseRecorder
	}
	return err
}

// write writes one event. The client must read it within sendTimeout.
func (e *events) write(what watch.EventType, object any) error {
	data, err := json.Marshal(map[string]any{"type": what, "object": object})
	if err != nil {
		return err
	}
	e.control.SetWriteDeadline(time.Now().Add(sendTimeout)) // this fails for an httptest.ResponseRecorder
	_, err = e.to.Write(append(data, '\n'))
	return err
}
