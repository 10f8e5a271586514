// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package apply implements the commands apply and update. Both commands print the objects that a
// server would store, as predicted by package prediction.
package apply
