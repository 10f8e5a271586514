// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build v1.35 || v1.36

package server

func since137(map[string]map[string]strategy) {}
