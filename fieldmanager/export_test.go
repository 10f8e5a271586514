// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

// AddressOf returns the address of an object.
var AddressOf = addressOf

// Remembered returns the number of objects in the cache of m.
func Remembered(m *FieldManager) int {
	m.liveCache.mu.Lock()
	defer m.liveCache.mu.Unlock()
	return len(m.liveCache.objects)
}
