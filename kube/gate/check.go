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

// Reason is the reason why the gate sends or skips an apply.
type Reason string

// The gate skips an apply only for the reason Unchanged. For every other reason, it sends
// the apply.
const (
	// Unchanged means that the apply would not change anything.
	Unchanged Reason = "unchanged"
	// Changed means that the apply would change the object or the managed fields
	// of the object.
	Changed Reason = "changed"
	// NotFound means that the live object is not in the cache.
	NotFound Reason = "not-found"
	// Conflict means that the apply changes fields that other managers own. The gate sends
	// such an apply, with or without force, and the server decides.
	Conflict Reason = "conflict"
	// Refused means that the request looks invalid. The gate sends it anyway, because the
	// server's error message is better.
	Refused Reason = "refused"
	// UnknownType means that the gate does not know the type of the object.
	UnknownType Reason = "unknown-type"
	// Unsure means that the live object does not match its type. For example, the release of
	// the server may differ from Options.Release, or the CustomResourceDefinition may have
	// changed.
	Unsure Reason = "unsure"
	// Unowned means that the live object has no managed fields, for example because the cache
	// strips managed fields.
	Unowned Reason = "no-managed-fields"
	// Ending means that the live object is being deleted.
	Ending Reason = "ending"
	// Versioned means that the request has a resourceVersion or a uid, which only the server
	// can check.
	Versioned Reason = "versioned"
	// Stale means that the cache is older than the last write of the Client.
	Stale Reason = "stale"
	// Asked means that Options.AlwaysSend contains the kind, or that the request is for a
	// subresource other than status.
	Asked Reason = "asked"
	// Unread means that reading the live object failed.
	Unread Reason = "unread"
)

// Decision is a gate's decision about an apply, with the reason.
type Decision struct {
	Reason Reason
	// Err explains the reasons Conflict, Refused, UnknownType and Unread. It comes from the gate,
	// not from the server.
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

// Check decides whether an apply by owner must be sent. The argument live is the object from the
// cache, or nil if the object is not in the cache. The argument applied is the configuration to
// apply. subresource is "" or "status". Check modifies neither object.
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
		return Decision{UnknownType, fmt.Errorf("the type of %s %s is not known: for a custom resource, call Gate.Define with its CRD", apiVersion, kind)}
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

// equalAsRead compares the live object (read) with the same object after the server decodes and encodes
// it (encoded). If the two differ, the next request changes the stored object. Nulls count as absent,
// because Go's converter adds some.
func equalAsRead(encoded, read any) bool {
	switch x := encoded.(type) {
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
	return document.Equal(encoded, read)
}

// timeAfter returns a time later than the current time and the times of all entries of the managed
// fields. The prediction of an apply can depend on the order of the times. If the gate used the current
// time, its decision would depend on the clocks of the controller and the server.
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
