// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package prediction predicts how an API server answers requests that send the objects in
// files.
//
// [MakeRequests] first finds the live object of each object, in files or in a cluster
// (pairs.go). It then predicts the request with package predict (request.go, stored.go), and
// validates custom resources with their CRDs (customresource.go). The result of each request
// is an [Outcome], which includes the ways to resolve its conflicts (resolutions.go).
//
// Commands that make no request also produce outcomes. [EachObject] reads their objects and
// calls their code for each object.
//
// Package fieldmanager implements the merge itself. This package prints no results.
package prediction
