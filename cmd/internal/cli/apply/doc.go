// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package apply implements the commands apply and update. Each command predicts requests, with
// package prediction, and prints the objects that a server would store.
package apply
