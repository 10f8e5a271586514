// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package predicted compares predictions of package kube/predict with an API server: with its
// answers, and with the objects that it stores.
//
// Several managers send a series of requests for each object: create, apply, the same apply
// again, apply with a conflict, forced apply, update, merge patch, and requests to status and
// scale. Random requests follow. Before each request, the package reads the live object and
// predicts the result. The prediction covers the status, the stored object, its managed fields,
// and whether the server stores anything. The comparison ignores the fields in
// [predict.Prediction.OnlyServer].
package predicted
