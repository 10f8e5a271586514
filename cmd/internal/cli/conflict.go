package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// writeConflict says everything about a conflict that helps to decide it.
func writeConflict(w io.Writer, o *outcome, c *fieldmanager.Conflict) {
	path := c.Path.String()
	say := func(format string, args ...any) {
		fmt.Fprintln(w, visible(fmt.Sprintf(format, args...)))
	}
	say("%v: conflict: %v: %s", o.object.Position(path), o.object.Identity(), path)
	say("  yours  %s", valueOrNone(c.Yours, c.HasYours))
	say("  live   %s", valueOrNone(c.Live, c.HasLive))
	say("  owner  %s", describeOwner(c.Owner, c.Time))
	if c.Hint != "" {
		say("  note   %s", c.Hint)
	}
	them, both := c.Manager, "you and "+c.Manager+" both own it"
	if c.Manager == o.manager {
		them, both = "the "+string(c.Operation)+" of "+c.Manager, "both entries of "+c.Manager+" own it"
	}
	if c.Cleared {
		say("  to clear it      --force-conflicts: it goes, and %s no longer owns it", them)
		say("  to leave it      choose in your config what the live object has")
		return
	}
	say("  to take it over  --force-conflicts: it becomes yours, and %s no longer owns it", them)
	say("  to leave it      drop it from your config: it stays what it is")
	if c.HasLive {
		say("  to share it      write %s: %s", flow(c.Live), both)
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

func describeOwners(entries []fieldmanager.Entry) string {
	if len(entries) == 0 {
		return "nobody"
	}
	owners := make([]string, len(entries))
	for i, e := range entries {
		owners[i] = describeOwner(e.Owner, e.Time)
	}
	return strings.Join(owners, ", ")
}
