// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package encode writes results as JSON and YAML. A result may be as large as all the input:
// YAML is given to its encoder in parts, and [Pieces] is a result in the making.
package encode
