// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package managed runs the cases of level 3 from the folder spec: requests to objects with
// metadata.managedFields. It runs them with two field managers: the one of apimachinery, which
// every API server uses, and the one of Dovetail.
package managed
