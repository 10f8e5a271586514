// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package flow writes plain data as YAML in one line, for messages. Start from Of:
//
//	flow.Of(map[string]any{"port": int64(80)}, 100) // {port: 80}
//
// It knows nothing of schemas, and refuses to write all of what is large.
package flow
