// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// Reason is the reason why an apply is sent or not.
type Reason string

// Unchanged is the only reason not to send an apply. With all other reasons, the gate sends the
// apply.
const (
	// Unchanged means that the apply would change nothing.
	Unchanged Reason = "unchanged"
	// Changed means that the apply would change the object or its owners.
	Changed Reason = "changed"
	// NotFound means that the live object is not in the cache.
	NotFound Reason = "not-found"
	// Conflict means that other managers own fields that the apply changes. The gate sends
	// the apply, with or without force, and the server decides.
	Conflict Reason = "conflict"
	// Refused means that the request seems invalid. The gate sends it, because the server returns a
	// better message.
	Refused Reason = "refused"
	// UnknownType means that the type of the object is unknown.
	UnknownType Reason = "unknown-type"
	// Unsure means that the live object does not match the types: the server has another
	// release, or the definition has changed.
	Unsure Reason = "unsure"
	// Unowned means that the live object has no managed fields, for example because the cache
	// removes them.
	Unowned Reason = "no-managed-fields"
	// Ending means that the live object is being deleted.
	Ending Reason = "ending"
	// Versioned means that the request has a resourceVersion or a uid, which the server must
	// compare.
	Versioned Reason = "versioned"
	// Stale means that the cache has an older version than the one that the Client has written.
	Stale Reason = "stale"
	// Asked means that Options.AlwaysSend contains the kind, or that the request goes to
	// another subresource than status.
	Asked Reason = "asked"
	// Unread means that the live object could not be read.
	Unread Reason = "unread"
)

// Decision is a gate's decision about an apply.
type Decision struct {
	Reason Reason
	// Err is the error that led to the reason Conflict, Refused, UnknownType or Unread.
	// It is not the response of the server.
	Err error
}

// Send reports whether the apply must be sent.
func (d Decision) Send() bool { return d.Reason != Unchanged }

func (d Decision) String() string {
	if d.Err != nil {
		return fmt.Sprintf("%s: %v", d.Reason, d.Err)
	}
	return string(d.Reason)
}

// Check decides whether an apply by owner must be sent. live is the object in the cache, or nil
// if the cache does not have it. applied is the object of the apply. subresource is "" or
// "status". Neither object is modified.
//
// The decision is the same with and without force.
func (g *Gate) Check(live, applied map[string]any, owner, subresource string) Decision {
	apiVersion, _ := applied["apiVersion"].(string)
	kind, _ := applied["kind"].(string)
	metadata := func(object map[string]any, name string) any {
		m, _ := object["metadata"].(map[string]any)
		return m[name]
	}
	entries, _ := metadata(live, "managedFields").([]any)
	_, known := g.types.Type(apiVersion, kind)
	switch {
	case g.alwaysSends(apiVersion, kind), subresource != "" && subresource != "status":
		return Decision{Reason: Asked}
	case !known:
		return Decision{UnknownType, fmt.Errorf("the type of %s %s is not known", apiVersion, kind)}
	case live == nil:
		return Decision{Reason: NotFound}
	case metadata(applied, "resourceVersion") != nil || metadata(applied, "uid") != nil:
		return Decision{Reason: Versioned}
	case metadata(live, "deletionTimestamp") != nil:
		return Decision{Reason: Ending}
	case len(entries) == 0:
		return Decision{Reason: Unowned}
	}
	p, err := g.server.Predict(&predict.Request{
		Verb: predict.Apply, Subresource: subresource, Manager: owner, Time: timeAfter(entries), Object: applied, Live: live,
	})
	var conflict *fieldmanager.ConflictError
	switch {
	case errors.As(err, &conflict):
		return Decision{Conflict, err}
	case errors.Is(err, fieldmanager.ErrUnknownType):
		return Decision{UnknownType, err}
	case err != nil:
		return Decision{Refused, err}
	case p.Changed:
		return Decision{Reason: Changed}
	case slices.ContainsFunc(p.Warnings, func(w managedfields.Warning) bool { return w.Live }), !equalAsRead(p.Live, live):
		return Decision{Reason: Unsure}
	}
	return Decision{Reason: Unchanged}
}

// equalAsRead reports whether decoding and encoding a live object again gives an equal object. read
// is the live object, and again is the result. If they differ, the stored form of the object is
// different, too, and the next request updates it. Nulls count as absent, because Go's converter
// writes some nulls.
func equalAsRead(again, read any) bool {
	switch x := again.(type) {
	case map[string]any:
		y, ok := read.(map[string]any)
		if !ok {
			return false
		}
		n := 0
		for name, v := range y {
			if v == nil {
				continue
			}
			if w, there := x[name]; !there || !equalAsRead(w, v) {
				return false
			}
			n++
		}
		for _, v := range x {
			if v == nil {
				n++
			}
		}
		return n == len(x)
	case []any:
		y, ok := read.([]any)
		return ok && slices.EqualFunc(x, y, equalAsRead)
	}
	return document.Equal(again, read)
}

// timeAfter returns a time after the times of all entries. If a server counts an apply as a
// change, it gives the entry the time of the request. The server restores the old time only if
// the order of the entries does not change. The decision must not depend on the clocks of the
// controller and the server.
func timeAfter(entries []any) time.Time {
	last := time.Now()
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		text, _ := entry["time"].(string)
		if t, err := time.Parse(time.RFC3339, text); err == nil && t.After(last) {
			last = t
		}
	}
	return last.Add(time.Hour)
}
