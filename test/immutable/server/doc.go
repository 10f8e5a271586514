// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package server answers updates of built-in objects as the API server of the release of
// Kubernetes that is linked does, by the update strategies that the server has: it decodes both objects and gives
// them their defaults by Kubernetes' own scheme, and asks. There is no store, no admission
// and no network.
package server
