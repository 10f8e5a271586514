// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

// AddressOf is what an object is known by.
var AddressOf = addressOf

// Remembered is how many objects m remembers.
func Remembered(m *FieldManager) int {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	return len(m.memory.of)
}
