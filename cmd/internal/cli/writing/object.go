// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package writing

import "github.com/dovetail-ssa/dovetail/kube/manifest"

func (i *Item) undoObject(x *record, live *manifest.Object, same bool) (*Change, string) {
	return nil, "todo"
}
