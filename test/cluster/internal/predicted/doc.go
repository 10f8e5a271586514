// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package predicted compares what package kube/predict says of requests with what an API server
// answers and stores.
//
// For each object it makes a series of requests by several managers: create, apply, again,
// with a conflict, by force, update, merge patch, to status and scale; and then requests at
// random. Before each it reads the live object and predicts: the status, the object that is
// stored, but for what [predict.Prediction.OnlyServer] names, its managed fields, and whether
// anything is stored at all.
package predicted
