// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gate keeps controllers from sending applies that change nothing.
//
// A controller applies its configuration with every reconcile, and most of these requests
// change nothing: the server merges, compares, and stores nothing. A [Gate] predicts this
// from the live object in the informer's cache. Call [New] and [NewClient]:
//
//	g, err := gate.New(gate.Options{Release: "1.37"})
//	metrics.Registry.MustRegister(g)
//	c := gate.NewClient(mgr.GetClient(), g, gate.ClientOptions{Live: mgr.GetCache()})
//	decision, err := gate.Apply(ctx, c, configuration, "shop", client.ForceOwnership)
//
// If you do not use a client of controller-runtime, call [Gate.Check].
//
// # Which applies are not sent
//
// An apply is not sent if package kube/predict predicts that it stores nothing: neither
// the object nor any entry of its managed fields changes. The prediction uses the types
// of the release, and the custom resources passed to [Gate.Define]. In all other cases
// the apply is sent, and [Reason] gives the cause. Examples are an object that is not in
// the cache, has no managed fields there, or is being deleted; an unknown type; a
// conflict; an invalid request; and a live object with undeclared fields.
//
// # Stale caches
//
// A decision is correct for the version of the object in the cache. The server may have a later
// version that needs the apply, whose event has not arrived yet. When the event arrives, it
// triggers another reconcile, and then the gate sends the apply. So a controller must watch the
// objects that it applies, with a predicate that accepts all changes by other managers. A [Client]
// records the versions that it has written itself, with any method. It sends applies as long as the
// cache has an older version. After a deletion, or a write whose response was lost, it sends the
// next apply of the object.
//
// # Limits
//
// A cache of Go types has custom resources in the form that these types write: the quantity
// 1000m as 1, the duration 60m as 1h0m0s, and a missing field without omitempty as its zero
// value. So an apply that only changes this form is not sent. If the form matters, let
// ClientOptions.Live read unstructured objects.
//
// A gate does not evaluate admission webhooks and admission policies. If a new or changed
// webhook would change the object, it runs only with the next apply that the gate sends. If
// that is too late, add the kinds to Options.AlwaysSend. A gate uses the old
// CustomResourceDefinition until you call Define.
package gate
