// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package prediction predicts how an API server answers requests. It runs no server: objects come
// from files or a cluster. [MakeRequests] finds the live object of each object (pairs.go), makes the request
// by package predict (request.go, stored.go), and holds custom resources to
// their definitions (customresource.go). What became of each is an [Outcome], with the ways
// to resolve its conflicts (resolutions.go). Commands that make no request have outcomes, too:
// [EachObject] goes through their objects.
//
// It decides nothing about the merge, which is package fieldmanager's, and prints nothing.
package prediction
