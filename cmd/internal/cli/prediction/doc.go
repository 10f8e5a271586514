// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package prediction predicts how an API server answers requests for objects in files.
//
// [MakeRequests] finds the live object of each object (pairs.go), in files or in a cluster. It makes
// the request with package predict (request.go, stored.go), and validates custom resources by their
// definitions (customresource.go). The result of each request is an [Outcome], with the ways to
// resolve its conflicts (resolutions.go). Commands that make no request use outcomes, too:
// [EachObject] calls them for each of their objects.
//
// The merge itself is in package fieldmanager. This package prints nothing.
package prediction
