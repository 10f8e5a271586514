// Package guide holds the programs of docs/library.md, as examples that run.
package guide
