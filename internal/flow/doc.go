// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package flow writes plain data as YAML in one line, for messages. It knows nothing
// of schemas, and gives up soon where a value is large.
package flow
