// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upstream keeps both majors of structured-merge-diff required by
// go.mod, for the tools here load them by name.
package upstream

import (
	_ "sigs.k8s.io/structured-merge-diff/v4/merge" // v4.7.0, and with it fieldpath, schema, typed and value
	_ "sigs.k8s.io/structured-merge-diff/v6/merge" // v6.4.2
)
