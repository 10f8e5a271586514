// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package resolve resolves the conflicts of a server-side apply. A conflict is a field that another
// manager owns and that the config would change. You choose how to resolve each conflict. The
// package returns a config that implements your choices, and the object to store.
//
// There are three ways to resolve a conflict:
//
//   - Force overwrites the value and takes ownership.
//   - Yield leaves the field out of the config. The other manager keeps it.
//   - Share applies the live value, so that all managers own the field.
//
// Call New with a FieldManager of package fieldmanager, and then Apply with Choices:
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
//	case errors.As(err, &conflict): // conflict.Conflicts have no choice yet
//	case err == nil: // store outcome.Result.Object, keep outcome.Config
//	}
//
// Apply stores nothing, so you can call it for each option and show the results to a user.
// Choices.With makes a choice for one conflict. Choices.Rest makes a choice for all conflicts that
// have no choice yet:
//
//	if errors.As(err, &conflict) {
//		c := &conflict.Conflicts[0]
//		forced, err := request.Apply(choices.With(c, resolve.Force))
//		shared, err := request.Apply(choices.Rest(resolve.Share))
//	}
//
// If you send Outcome.Config to an API server, the server returns the same object. Set force in
// that request if any conflict was forced. This package only changes the config; package
// fieldmanager merges it. fieldmanager.Conflict describes a conflict.
//
// # Errors
//
// No field leaves the config silently. If yielding or sharing one field makes another conflict
// disappear, that conflict is an error unless you also yield or share it. For example, if you yield
// a key of a list item, the whole item is removed from the config, including other conflicting
// fields in it. No choice overrides immutability or makes an invalid config valid. The
// documentation of Request.Apply lists the errors. Use errors.As to distinguish them.
//
// # Concurrency and sharing
//
// A Request is safe for concurrent use. It does not modify live or config, and you must not modify
// them as long as you use the Request. All results share parts with live, config and each other.
// Copy a result before you modify it.
package resolve
