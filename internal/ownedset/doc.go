// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package ownedset answers questions about the field sets of managers, without walking the
// object: whether a manager can have given up anything at all ([CoveredBy]), whether a manager
// owns something of an item whose keys nobody owns ([HasUnkeyedItems]), and what a stored set
// means under the current schema ([Reconcile]).
//
// It does not build field sets from values and does not decide what to remove; package engine
// does.
package ownedset
