// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package encode writes results as JSON and YAML. An object may be large: YAML is given
// to its encoder in parts.
package encode
