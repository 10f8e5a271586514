// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package resolve solves the conflicts of a server-side apply: for each field that the
// config would change and somebody else owns, you choose what is to become of it, and get
// the config that does that, and the object that is to be stored.
//
// A conflict has three ways out. Force takes the field; Yield takes it out of the config
// and leaves it to its owners; Share gives the config the live value, so that all own it.
// Start from New, with a FieldManager of package fieldmanager, and Choices:
//
//	choices := resolve.Choices{
//		Force: []fieldpath.Path{fieldpath.MakePathOrDie("spec", "type")},
//		Choose: func(c *fieldmanager.Conflict) resolve.Choice {
//			if c.Manager == "autoscaler" {
//				return resolve.Yield
//			}
//			return resolve.Refuse
//		},
//	}
//	request := resolve.New(fm, live, config, "gitops")
//	outcome, err := request.Apply(choices)
//	var conflict *fieldmanager.ConflictError
//	switch {
//	case errors.As(err, &conflict): // conflict.Conflicts are those nothing was chosen for
//	case err == nil: // store outcome.Result.Object, keep outcome.Config
//	}
//
// To show somebody the ways out, ask for each: Apply stores nothing, and a Request can be
// asked as often as you like. Choices.With chooses for one conflict, Choices.Rest for all
// that nothing was chosen for yet:
//
//	if errors.As(err, &conflict) {
//		c := &conflict.Conflicts[0]
//		forced, err := request.Apply(choices.With(c, resolve.Force))
//		shared, err := request.Apply(choices.Rest(resolve.Share))
//	}
//
// There is one merge, that of package fieldmanager, and nothing is forced or dropped
// inside it: each Outcome is what an API server makes of Outcome.Config, by force if
// any conflict was forced. fieldmanager.Conflict says what is known of a conflict.
//
// # What it refuses
//
// Nothing is lost silently: a conflict that would go along with what is dropped or matched
// elsewhere, as fields of an item go with its key, is an error unless it is dropped or
// matched, too. No choice overrides immutability, or makes a valid config of a wrong one.
// Request.Apply lists the errors; errors.As finds them.
//
// # Concurrency and sharing
//
// A Request is safe for concurrent use. Neither live nor config is modified; they have to
// stay as they are as long as the Request is used. What comes out shares parts with them,
// and with what else comes out of the Request: copy before you change it.
package resolve
