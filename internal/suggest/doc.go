// Package suggest finds out what may have been meant by a name that is not there: one
// that is spelled alike, or a field at another level of a type.
package suggest
