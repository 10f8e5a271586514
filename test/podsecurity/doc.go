// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package podsecurity compares package kube/policy/podsecurity with the admission plugin
// PodSecurity of API servers. The requests are random Pods, workloads and Namespaces.
//
//	go test . -rounds 100000 -seed 1
package podsecurity
