// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package gate keeps controllers from sending applies that change nothing.
//
// A controller applies what it wants each time that it reconciles, and most of these
// requests change nothing: the server merges, compares, and stores nothing. A [Gate] says so
// beforehand, of the live object that the informer has. Start from [New] and [NewClient]:
//
//	g, err := gate.New(gate.Options{Release: "1.37"})
//	metrics.Registry.MustRegister(g)
//	c := gate.NewClient(mgr.GetClient(), g, gate.ClientOptions{Live: mgr.GetCache()})
//	decision, err := gate.Apply(ctx, c, configuration, "shop", client.ForceOwnership)
//
// Those who have no client of controller-runtime ask [Gate.Check].
//
// # What is not sent
//
// An apply of which package kube/predict says, with the types of the release and the custom
// resources that are known to [Gate.Define], that it stores nothing: the object stays the same,
// and so do all entries of its managed fields. Whatever is not known is sent, and the
// [Reason] says what that was: an object that is not in the cache, has no managed fields there or
// is being deleted; a type that is not known; a conflict; a request that is refused; a live object
// with what the types do not know.
//
// # Caches lag
//
// A decision is right for the version of the object that was read. A later version may need the apply:
// then its event, which is on its way, reconciles the object again, and the apply is sent. So a
// controller has to watch what it applies, with a predicate that lets all changes of others
// through. A [Client] knows the versions that it has written itself, and sends as long as the cache has
// an older one.
//
// # What it does not know
//
// Admission webhooks and admission policies. One that would change the object again, since it
// changed itself or is new, is asked by the next apply that is sent. Name the kinds in
// Options.AlwaysSend where that is too late. Nor does it know of a definition that has changed
// before Define tells it.
package gate
