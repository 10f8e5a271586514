// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package native tests the programs in kube/native. Each program contains the code of one
// Kubernetes release. The tests build the programs, and send them requests for every kind that
// the release stores.
//
//	go test .              # test all releases
//	go test . -short       # test the newest release
//	go test . -programs D  # test the programs in the folder D, and build none
package native
