// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package predicted compares the predictions of package kube/predict with the answers and
// stored objects of an API server.
//
// For each object, it sends a series of requests by several managers. These are create, apply,
// the same apply again, apply with a conflict, forced apply, update and merge patch, and
// requests to status and scale. Random requests follow. Before each request, it reads the live
// object. It predicts the status, the stored object, its managed fields, and whether the
// server stores anything. It does not compare fields in [predict.Prediction.OnlyServer].
package predicted
