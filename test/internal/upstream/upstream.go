// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream imports two major versions of structured-merge-diff, so that go.mod
// requires them. Tools load these packages by import path.
package upstream

import (
	_ "sigs.k8s.io/structured-merge-diff/v4/merge" // v4.7.0, including the packages that merge imports: fieldpath, schema, typed and value
	_ "sigs.k8s.io/structured-merge-diff/v6/merge" // v6.4.2, including the same packages
)
