// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package apply implements the commands apply and update. Each predicts a request and prints the
// object that a server would store. Package prediction does the prediction.
package apply
