// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package server pins Kubernetes 1.37 as the module server pins 1.36.
package server
