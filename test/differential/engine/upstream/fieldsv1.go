// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"bytes"

	"github.com/dovetail-ssa/dovetail/test/differential/fieldsv1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// FieldsV1 returns a codec that reads and writes FieldsV1.
func FieldsV1() fieldsv1.Codec { return codec{} }

type codec struct{}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (codec) Read(document []byte, pieces []int) (r fieldsv1.Read) {
	s := &fieldpath.Set{}
	r.Error = text(s.FromJSON(fieldsv1.Pieces(document, pieces)))
	r.Paths, r.Size = fieldsv1.AnyOrder(s.String()), s.Size()
	written, err := s.ToJSON()
	r.Written, r.WriteError = string(written), text(err)
	if err != nil {
		return r
	}
	again := &fieldpath.Set{}
	r.AgainError = text(again.FromJSON(bytes.NewReader(written)))
	written, err = again.ToJSON()
	if r.Again = string(written); err != nil {
		r.AgainError += text(err)
	}
	r.EqualToAgain = s.Equals(again) && again.Equals(s)
	r.Elements = true
	s.Iterate(func(p fieldpath.Path) { r.Elements = r.Elements && again.Has(p) })
	return r
}

func (codec) Element(serialized string) (written, wrong string) {
	pe, err := fieldpath.DeserializePathElement(serialized)
	if err != nil {
		return "", text(err)
	}
	written, err = fieldpath.SerializePathElement(pe)
	return written + " " + fieldsv1.AnyOrder(pe.String()), text(err)
}
