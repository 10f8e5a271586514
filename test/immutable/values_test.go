// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/test/builtin"
	"github.com/dovetail-ssa/dovetail/test/immutable/probe"
	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

var manifests = flag.String("manifests", "", "`folder` with more objects for TestValues")

// TestValues checks that kube/predict finds no invalid value in a new object that Kubernetes'
// strategies accept. It uses the objects of testdata, with each field changed, and the objects
// of -manifests.
func TestValues(t *testing.T) {
	s := &predict.Server{Kind: catalog().Kind, Release: must(defaults.New(builtin.Minor))(t)}
	var accepted, refused, predicted int
	check := func(what string, k *server.Kind, content map[string]any) bool {
		internal, err := k.Read(content)
		if err != nil {
			return false
		}
		said := k.Complaints(internal)
		object, err := k.Write(internal)
		if err != nil {
			return false
		}
		causes, err := s.InvalidValues(object, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case len(said) == 0:
			accepted++
			if len(causes) > 0 {
				t.Errorf("%s: %v, but the server accepts it", what, causes)
			}
		default:
			refused++
			if len(causes) > 0 {
				predicted++
			}
		}
		return len(said) == 0
	}
	table := probe.NewTable()
	number := 0
	changes := func(what string, k *server.Kind, content map[string]any, some int) {
		table.Root(k).All(func(p *probe.Place) {
			if number++; number%some != 0 {
				return
			}
			for _, c := range p.Changes(content) {
				check(fmt.Sprintf("%s %s %v", what, c.How, p), k, c.Next)
			}
		})
	}
	for _, o := range must(objects())(t) {
		check(o.String(), o.Kind, o.Content)
		some := 16
		if *all {
			some = 1
		}
		changes(o.String(), o.Kind, o.Content, some)
	}
	if *manifests != "" {
		each(t, *manifests, func(file string, k *server.Kind, content map[string]any) {
			if check(file, k, content) && *all {
				changes(file, k, content, 16)
			}
		})
	}
	t.Logf("%d accepted, %d rejected, of which %d were predicted", accepted, refused, predicted)
	if accepted < 1000 || predicted < 500 {
		t.Errorf("too few objects")
	}
}

// each calls f for each object of a built-in kind in a folder.
func each(t *testing.T, folder string, f func(file string, k *server.Kind, content map[string]any)) {
	err := filepath.WalkDir(folder, func(file string, _ fs.DirEntry, err error) error {
		if ext := filepath.Ext(file); err != nil || ext != ".yaml" && ext != ".json" {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for text := range strings.SplitSeq(string(data), "\n---") {
			var content map[string]any
			data, err := yaml.YAMLToJSON([]byte(text))
			if err != nil || json.Unmarshal(data, &content) != nil {
				continue // the file is a template
			}
			items, isList := content["items"].([]any)
			if !isList {
				items = []any{content}
			}
			for _, item := range items {
				object, _ := item.(map[string]any)
				apiVersion, _ := object["apiVersion"].(string)
				kind, _ := object["kind"].(string)
				k := server.Find(apiVersion, kind)
				metadata, _ := object["metadata"].(map[string]any)
				if k == nil || metadata == nil {
					continue
				}
				object = runtime.DeepCopyJSON(object)
				metadata, _ = object["metadata"].(map[string]any)
				if k.Namespaced() {
					metadata["namespace"] = "default"
				}
				f(file, k, object)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestValidationTable generates the table of rules about values again, and compares it with the file of
// the release. A change of the generator, or of the file, must not lose rules.
func TestValidationTable(t *testing.T) {
	limits := probe.NewLimits()
	for _, o := range must(probe.Objects("testdata/objects"))(t) {
		limits.Probe(o)
	}
	limits.DropConditional()
	file := filepath.Join("../../kube/internal/releases", builtin.Minor, "validation.txt")
	want := string(must(os.ReadFile(file))(t))
	_, version, _ := strings.Cut(want, "\nrelease ")
	version, _, _ = strings.Cut(version, "\n")
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(limits.Text(version), "\n")); diff != "" {
		t.Errorf("%s is not up to date, run kube/internal/releases/make.sh %s (-file +generated):\n%s", file, builtin.Minor, diff)
	}
}
