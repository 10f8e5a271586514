// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package native tests the programs that contain the code of a Kubernetes release
// (kube/native). It builds each of them and sends it requests for every kind that the release
// stores.
//
//	go test .              all releases
//	go test . -short       the newest release
//	go test . -programs D  the programs in a folder; none is built
package native
