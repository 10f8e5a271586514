package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// writeConflict says everything about a conflict that helps to decide it.
func writeConflict(w io.Writer, o *outcome, c *fieldmanager.Conflict) {
	path := c.Path.String()
	fmt.Fprintf(w, "%v: conflict: %v: %s\n", o.object.Position(path), o.object.Identity(), path)
	fmt.Fprintf(w, "  yours  %s\n", valueOrNone(c.Yours, c.HasYours))
	fmt.Fprintf(w, "  live   %s\n", valueOrNone(c.Live, c.HasLive))
	fmt.Fprintf(w, "  owner  %s\n", describeOwner(c.Owner, c.Time))
	if c.Hint != "" {
		fmt.Fprintf(w, "  note   %s\n", c.Hint)
	}
	fmt.Fprintf(w, "  to take it over  --force-conflicts: it becomes yours, and %s no longer owns it\n", c.Manager)
	fmt.Fprintf(w, "  to leave it      drop it from your config: it stays what it is\n")
	if c.HasLive {
		fmt.Fprintf(w, "  to share it      write %s: you and %s both own it\n", flow(c.Live), c.Manager)
	}
}

func valueOrNone(v any, has bool) string {
	if !has {
		return "(not set)"
	}
	return flow(v)
}

// describeOwner names an owner with all that managed fields say of it.
func describeOwner(o fieldmanager.Owner, at *time.Time) string {
	s := fmt.Sprintf("%s (%s, %s", o.Manager, o.Operation, o.APIVersion)
	if o.Subresource != "" {
		s += ", subresource " + o.Subresource
	}
	if at != nil {
		s += ", " + at.UTC().Format(time.RFC3339)
	}
	return s + ")"
}
