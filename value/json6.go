// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !go1.27

package value

import "errors"

var errOldGo = errors.New("encoding JSON as structured-merge-diff v7 does needs Go 1.27")

func fromJSON7([]byte) (Value, error) { return nil, errOldGo }

func toJSON7(Value) ([]byte, error) { return nil, errOldGo }
