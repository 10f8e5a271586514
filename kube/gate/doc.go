// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gate keeps controllers from sending applies that change nothing.
//
// A controller applies its configuration in every reconcile, and most of these requests change nothing:
// the server merges and compares, but stores nothing. A [Gate] reads the live object from the
// informer's cache and predicts whether an apply changes anything. Call [New] and [NewClient]:
//
//	g, err := gate.New(gate.Options{Release: "1.37"})
//	metrics.Registry.MustRegister(g)
//	c := gate.NewClient(mgr.GetClient(), g, gate.ClientOptions{Live: mgr.GetCache()})
//	decision, err := gate.Apply(ctx, c, configuration, "shop", client.ForceOwnership)
//
// Without a controller-runtime client, call [Gate.Check].
//
// # Which applies are skipped
//
// The gate skips an apply if package kube/predict predicts that it stores nothing: neither the
// object nor any entry of its managed fields changes. The prediction uses the types of the release,
// and the custom resources passed to [Gate.Define]. In all other cases the gate sends the apply,
// and [Reason] says why. For example, the cache lacks the object or its managed fields, the object
// is being deleted, its type is unknown, or the apply conflicts.
//
// # Stale caches
//
// A decision is correct for the version of the object in the cache. The server may already
// have a later version that needs the apply. When the event with this version arrives, it
// triggers another reconcile, and the gate then sends the apply. A controller must
// therefore watch the objects that it applies, with a predicate that accepts all changes
// by other managers.
//
// A [Client] also records the versions that it has written itself, by any method. While
// the cache has an older version of an object, the Client sends each apply of the object.
// After a deletion, or after a write whose response was lost, the Client sends the next
// apply of the object.
//
// # Limits
//
// If the cache contains Go types, it stores custom resources in the form that these types
// write. The quantity 1000m becomes 1, the duration 60m becomes 1h0m0s, and a missing field
// without omitempty becomes its zero value. The gate therefore skips an apply that changes
// only the spelling of a value. If the spelling matters, let ClientOptions.Live read
// unstructured objects.
//
// A gate does not evaluate admission webhooks or admission policies. A new or changed webhook sees
// an object only with the next apply that the gate sends. If that is too late, add the kinds that
// the webhook handles to Options.AlwaysSend.
//
// Call Define when a CustomResourceDefinition changes. Until this call, the gate uses the old
// definition.
package gate
