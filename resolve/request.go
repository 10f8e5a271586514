// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// A Request is an apply that may have conflicts. It is safe for concurrent use.
type Request struct {
	fm           *fieldmanager.FieldManager
	live, config map[string]any
	manager      string
	// applyUnchanged applies the config as given. Every call of Apply starts with applyUnchanged, which
	// runs the merge only once and caches the result.
	applyUnchanged func() (*fieldmanager.Result, error)
}

// New returns a Request in which manager applies config to the object live. The argument live is
// nil if the object does not exist yet. The arguments are the same as those of
// fieldmanager.FieldManager.Apply. New does not check them. Request.Apply checks them and returns
// the errors. You must not modify live or config as long as you use the Request.
func New(fm *fieldmanager.FieldManager, live, config map[string]any, manager string) *Request {
	r := &Request{fm: fm, live: live, config: config, manager: manager}
	r.applyUnchanged = sync.OnceValues(func() (*fieldmanager.Result, error) { return r.apply(config, false) })
	return r
}

// apply is like FieldManager.Apply for the request, but with the given config.
func (r *Request) apply(config map[string]any, force bool) (*fieldmanager.Result, error) {
	return r.fm.Apply(r.live, config, r.manager, force)
}

// Outcome is the result of an apply with choices. Do not modify it, because it shares parts
// with the live object, the config, and other outcomes.
type Outcome struct {
	// Result holds the object to store. It is nil if Apply returned an error.
	Result *fieldmanager.Result
	// Config is the applied config: the given config without the yielded fields, and with the
	// live values of the shared fields. If any field is yielded or shared, Config also lacks the
	// duplicate items that fieldmanager.Options.Duplicates removes. With
	// fieldmanager.Options.StripManagedFields, it lacks managed fields. Use Config for later
	// applies, so that the resolved conflicts do not return.
	Config map[string]any
	// Resolutions are the resolved conflicts, in the order in which they were resolved.
	Resolutions []Resolution
}

// Resolution is a conflict and the choice that resolved it.
type Resolution struct {
	Conflict fieldmanager.Conflict
	// Choice is the choice that resolved the conflict. It is never Refuse. It is Yield if Share
	// was chosen but there is no live value.
	Choice Choice
}

// Apply applies the config with a choice for each conflict. The result is the same as if you sent
// Outcome.Config to an API server, with force if any conflict was forced. Apply stores nothing, so
// you can try any number of choices.
//
// Apply returns these errors:
//
//   - A *fieldmanager.ConflictError has the conflicts that are not resolved. These are the refused
//     conflicts, and conflicts that disappear only because you yield or share another field. For
//     example, if you yield the key of an item, the other conflicts in the item disappear. To allow
//     this, yield or share these conflicts, too.
//   - A *fieldmanager.ImmutableError has the changes of immutable fields. No choice can allow them.
//     It occurs only with fieldmanager.Options.CheckTransitions.
//   - All other errors come from fieldmanager.FieldManager.Apply, such as
//     *fieldmanager.RequestError and *managedfields.EntryError.
//
// With a ConflictError or an ImmutableError, Apply also returns an Outcome, whose Config has the
// changes made so far. With any other error, the Outcome is nil.
func (r *Request) Apply(choices Choices) (*Outcome, error) {
	return newResolver(r, choices).run()
}
