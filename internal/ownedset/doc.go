// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package ownedset says what field sets tell before data is looked at: whether a manager
// can have given up anything at all ([CoveredBy]), whether somebody owns something of an
// item whose keys nobody owns ([UnkeyedItems]), and what a stored set is under the schema
// of today ([Reconcile]).
//
// It makes no sets of values, and decides nothing about them: package engine does.
package ownedset
