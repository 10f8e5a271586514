// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package managed runs the cases of level 3 from the folder spec: requests to objects with
// metadata.managedFields. It runs the cases with two field managers: apimachinery's, which
// every API server uses, and Dovetail's.
package managed
