// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/typed"
)

// wishes are what is known of values that were asked for and are not what is
// live, since a webhook or the like has changed them.
type wishes struct {
	// last is what client-side apply last asked for, done what a forced apply of
	// the config would come to with the Defaulter; nil if not known.
	last, done *typed.TypedValue
}

// earlierWishes are looked for only where there is a conflict to explain.
func (r *request) earlierWishes(live, merged *typed.TypedValue) (w wishes) {
	if text := clientside.Text(r.live); text != "" {
		if config, err := clientside.Decode([]byte(text)); err == nil {
			if version, _ := document.TypeOf(config); version == r.apiVersion {
				w.last = place.TypedOf(r.liveType, config)
			}
		}
	}
	if r.m.o.Defaulter != nil {
		if object, err := r.mergedObject(merged); err == nil {
			w.done = place.TypedOf(r.liveType, object)
		}
	}
	return w
}

// hint tells that the owner asked for what the config asks for, or that asking
// for it is of no use.
func (w wishes) hint(find place.Finders, c *Conflict) string {
	if v, ok := find.Value(w.last, c.Path); ok && c.Manager == clientside.Manager && c.HasYours && document.Equal(v, c.Yours) {
		return fmt.Sprintf("%s asked for the same value; it was changed since", c.Manager)
	}
	if v, ok := find.Value(w.done, c.Path); ok && c.HasLive && c.HasYours && document.Equal(v, c.Live) {
		return fmt.Sprintf("the server makes the live value of yours; %s may have asked for the same value as you", c.Manager)
	}
	return ""
}
