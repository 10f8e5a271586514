// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/client-go/util/jsonpath"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// form is the form in which a client wants objects: as they are, only with metadata, or as a table.
type form int

const (
	asObject form = iota
	asMetadata
	asTable
)

// formOf returns the first form in the Accept header of a request that the server supports.
func formOf(r *http.Request) form {
	for one := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		media, parameters, err := mime.ParseMediaType(one)
		if err != nil || media != "application/json" && media != "*/*" && media != "application/*" {
			continue
		}
		switch parameters["as"] {
		case "Table":
			return asTable
		case "PartialObjectMetadata", "PartialObjectMetadataList":
			return asMetadata
		case "":
			return asObject
		}
	}
	return asObject
}

// render returns an object in the form f, which must not be asTable.
func (f form) render(object map[string]any) map[string]any {
	if f == asMetadata {
		return map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object["metadata"]}
	}
	return object
}

// table returns objects as the table that "kubectl get" prints. The first column is the name. The
// other columns of a custom resource are the printer columns of its definition. A few built-in
// kinds have fixed columns. All other kinds have only a column for the age.
func (s *Server) table(r *resource, objects []map[string]any, meta metav1.ListMeta, q *http.Request) *metav1.Table {
	t := &metav1.Table{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"}, ListMeta: meta, Rows: []metav1.TableRow{}}
	t.ColumnDefinitions = []metav1.TableColumnDefinition{{Name: "Name", Type: "string", Format: "name", Description: "the name of the object"}}
	columns := r.columns
	builtin, isBuiltin := tableOf(r)
	if isBuiltin {
		t.ColumnDefinitions = append(t.ColumnDefinitions, builtin.columns...)
	} else if len(columns) == 0 {
		columns = []column{{name: "Age", kind: "date", description: "the time since the object was created", path: ".metadata.creationTimestamp"}}
	}
	var paths []*jsonpath.JSONPath
	for _, c := range columns {
		p := jsonpath.New(c.name).AllowMissingKeys(true)
		if p.Parse("{"+c.path+"}") != nil {
			break // like a server, leave out this column and all columns after it
		}
		paths = append(paths, p)
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: c.name, Type: c.kind, Format: c.format, Description: c.description, Priority: c.priority})
	}
	include := q.URL.Query().Get("includeObject")
	for _, object := range objects {
		row := metav1.TableRow{Cells: []any{document.MetaString(object, "name")}}
		if isBuiltin {
			row.Cells = append(row.Cells, builtin.cells(object, s.options.Now())...)
		}
		for i, p := range paths {
			row.Cells = append(row.Cells, s.cell(p, columns[i].kind, object))
		}
		switch include {
		case "None":
		case "Object":
			row.Object = rawOf(object)
		default:
			row.Object = rawOf(asMetadata.render(object))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell returns the value at a path for a table cell, or nil if there is none.
func (s *Server) cell(p *jsonpath.JSONPath, kind string, object map[string]any) any {
	found, err := p.FindResults(object)
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return nil
	}
	v := found[0][0].Interface()
	switch kind {
	case "date":
		at, err := time.Parse(time.RFC3339, fmt.Sprint(v))
		if err != nil {
			return "<unknown>"
		}
		return duration.HumanDuration(s.options.Now().Sub(at))
	case "string":
		var out bytes.Buffer
		if p.PrintResults(&out, found[0]) != nil {
			return nil
		}
		return out.String()
	}
	return v
}

func rawOf(object map[string]any) runtime.RawExtension {
	data, _ := json.Marshal(object) // object was decoded from JSON, so this cannot fail
	return runtime.RawExtension{Raw: data}
}
