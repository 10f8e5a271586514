//go:build declarativedefaults

package policy

const declarativeDefaults = true
