// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// A Request is an apply that may be in conflict. It is safe for concurrent use.
type Request struct {
	fm           *fieldmanager.FieldManager
	live, config map[string]any
	manager      string
	// first applies config as it is, once: every Apply begins with what comes of it.
	first func() (*fieldmanager.Result, error)
}

// New is the apply of config by manager to live, with the arguments of
// fieldmanager.FieldManager.Apply; live is nil if there is no object yet. It does nothing
// yet: what is wrong with them is an error of Apply. Live and config have to stay as they
// are as long as the Request is used.
func New(fm *fieldmanager.FieldManager, live, config map[string]any, manager string) *Request {
	r := &Request{fm: fm, live: live, config: config, manager: manager}
	r.first = sync.OnceValues(func() (*fieldmanager.Result, error) { return r.apply(config, false) })
	return r
}

// apply applies config instead of that of the request.
func (r *Request) apply(config map[string]any, force bool) (*fieldmanager.Result, error) {
	return r.fm.Apply(r.live, config, r.manager, force)
}

// Outcome is what became of an apply with choices. It shares parts with the live object
// and the config, and with other outcomes: it is read-only.
type Outcome struct {
	// Result is what is to be stored, nil with an error.
	Result *fieldmanager.Result
	// Config is what was applied: the config given, but for what was dropped and
	// matched; if there was any of that, also without the items that
	// fieldmanager.Options.Duplicates drops. Apply it next time, and these conflicts
	// do not come back.
	Config map[string]any
	// Resolutions are the conflicts that there were and are no more, in order.
	Resolutions []Resolution
}

// Resolution is a conflict and what became of it.
type Resolution struct {
	Conflict fieldmanager.Conflict
	// Choice is never Refuse; of a Share without a live value it is Yield.
	Choice Choice
}

// Apply applies the config with a choice for each conflict. The outcome is that of
// applying Outcome.Config, by force if any conflict was forced: the API server does the
// same for that config. Nothing is stored, so any number of choices can be tried.
//
// The error is a *fieldmanager.ConflictError with the conflicts for which there was no
// choice, and those that cannot be forced since they go with what is dropped or matched,
// such as the fields of an item that goes with its key. Otherwise it is that of
// fieldmanager.FieldManager.Apply: a *fieldmanager.ImmutableError, which no choice
// overrides, a *fieldmanager.RequestError or a *managedfields.EntryError. With an error that is
// about conflicts or immutability, the Outcome says how the config has changed until then;
// otherwise it is nil.
func (r *Request) Apply(choices Choices) (*Outcome, error) {
	return newResolution(r, choices).run()
}
