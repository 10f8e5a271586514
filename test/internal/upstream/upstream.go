// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream makes go.mod require both major versions of structured-merge-diff, because
// tools load them by name.
package upstream

import (
	_ "sigs.k8s.io/structured-merge-diff/v4/merge" // v4.7.0, with fieldpath, schema, typed and value
	_ "sigs.k8s.io/structured-merge-diff/v6/merge" // v6.4.2
)
