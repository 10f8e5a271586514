// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package model is the rules of server-side apply as a small program, for people to read
// beside spec/README.md and for tests to compare engines with. It is the plainest form we
// know: values are walked from the top for each question, sets are maps of paths, nothing
// is shared, remembered or fast. It takes valid values; what is invalid, it does not say.
//
// A comment "rule S3" names the rule of the text that the code below it is.
package model
