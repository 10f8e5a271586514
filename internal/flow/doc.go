// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package flow formats plain data as YAML on one line, for messages. Start with Of:
//
//	flow.Of(map[string]any{"port": int64(80)}, 100) // {port: 80}
//
// Package flow does not use schemas. It shortens large values.
package flow
