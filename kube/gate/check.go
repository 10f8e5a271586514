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

// Reason says why an apply is sent, or is not.
type Reason string

// Unchanged is the one reason not to send an apply. All others send it.
const (
	// Unchanged is that it would change nothing.
	Unchanged Reason = "unchanged"
	// Changed is that it would change the object, or who owns what of it.
	Changed Reason = "changed"
	// NotFound is that there is no live object in the cache.
	NotFound Reason = "not-found"
	// Conflict is that others own what it changes. Forced or not, the server decides.
	Conflict Reason = "conflict"
	// Refused is that the request looks wrong: the server says it better.
	Refused Reason = "refused"
	// UnknownType is that the type of the object is not known.
	UnknownType Reason = "unknown-type"
	// Unsure is that the live object is not what the types make of it: they are of another release,
	// or the definition has changed.
	Unsure Reason = "unsure"
	// Unowned is that the live object has no managed fields, as when the cache strips them.
	Unowned Reason = "no-managed-fields"
	// Ending is that the live object is being deleted.
	Ending Reason = "ending"
	// Versioned is that the request names a resourceVersion or a uid, which the server has to compare.
	Versioned Reason = "versioned"
	// Stale is that the cache has an older version than the one that the Client has written.
	Stale Reason = "stale"
	// Asked is that all applies of the kind are sent, by Options.AlwaysSend, or that the endpoint is
	// another one than those of the object and its status.
	Asked Reason = "asked"
	// Unread is that the live object could not be read.
	Unread Reason = "unread"
)

// Decision is what a gate says of an apply.
type Decision struct {
	Reason Reason
	// Err is what a Conflict, Refused, UnknownType or Unread comes from. It is not what the server
	// answers.
	Err error
}

// Send says whether the apply is to be sent.
func (d Decision) Send() bool { return d.Reason != Unchanged }

func (d Decision) String() string {
	if d.Err != nil {
		return fmt.Sprintf("%s: %v", d.Reason, d.Err)
	}
	return string(d.Reason)
}

// Check says whether an apply by owner has to be sent. live is the object as the cache has it, nil if
// there is none, applied what is to be applied to it, and subresource "" or "status". It writes to neither.
//
// The decision holds for an apply by force and for one without.
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
	case g.always(apiVersion, kind), subresource != "" && subresource != "status":
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
		Verb: predict.Apply, Subresource: subresource, Manager: owner, Time: later(entries), Object: applied, Live: live,
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
	case slices.ContainsFunc(p.Warnings, func(w managedfields.Warning) bool { return w.Live }), !same(p.Live, live):
		return Decision{Reason: Unsure}
	}
	return Decision{Reason: Unchanged}
}

// same says whether a live object is read again as it was read. If not, what is stored is of another
// form, which the next request mends, whatever it is. A null is nothing: Go's converter writes some.
func same(again, read any) bool {
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
			if w, there := x[name]; !there || !same(w, v) {
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
		return ok && slices.EqualFunc(x, y, same)
	}
	return document.Equal(again, read)
}

// later is a time after those of all entries. A server that takes an apply for a change gives its entry
// the time of the request, and takes that back only if the entries keep their order: so
// whether it does must not depend on the clocks of both.
func later(entries []any) time.Time {
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
