// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package flux pins the release of Flux's library for server-side apply that is tested over
// both engines, see cmd/suites.
package flux
