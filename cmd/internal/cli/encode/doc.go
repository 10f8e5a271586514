// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package encode writes results as JSON, YAML and KYAML. To save memory, it encodes large
// objects piece by piece, and moves long lists of results to temporary files.
package encode
