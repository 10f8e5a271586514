// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package clusterapi pins the release of Cluster API whose server-side apply is tested over
// both engines, see cmd/suites.
package clusterapi
