// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

// AddressOf returns the identity of an object.
var AddressOf = addressOf

// Remembered returns the number of objects in the memory of m.
func Remembered(m *FieldManager) int {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	return len(m.memory.objects)
}
