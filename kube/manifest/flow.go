// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import "github.com/dovetail-ssa/dovetail/internal/flow"

// Flow returns plain data as YAML in one line, for messages: maps in the order of
// their keys, strings in quotes where YAML would read them otherwise. It gives up
// soon after most bytes, so that a large value costs no more than a small one;
// cutting the text is up to the caller. What is no plain data is "?".
func Flow(v any, most int) string { return flow.Of(v, most) }
