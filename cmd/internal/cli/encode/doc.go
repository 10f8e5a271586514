// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package encode writes JSON and YAML as the encoders write them, and takes less memory: a
// result may be as large as all the input. [Pieces] is a result in the making.
package encode
