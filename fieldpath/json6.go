// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !go1.27

package fieldpath

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
)

var errOldGo = errors.New("the FieldsV1 of structured-merge-diff v7 needs Go 1.27")

func set7ToJSON(*Set) ([]byte, error) { return nil, errOldGo }

func writeError7(err error) error { return err }

func serializeElement7(PathElement) (string, error) { return "", errOldGo }

func replaySet7(*Set, jsoniter.Source) error { return errOldGo }

func replayElement7(string) (PathElement, error) { return PathElement{}, errOldGo }
