// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/test/builtin"
	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

// Object is a valid object of a kind.
type Object struct {
	Kind *server.Kind
	// Name distinguishes the objects of one kind. It is the comment at the start of the YAML
	// document, without a text such as "since 1.36" at the end.
	Name    string
	Content map[string]any
}

func (o *Object) String() string {
	if o.Name == "" {
		return o.Kind.APIVersion() + " " + o.Kind.Kind
	}
	return o.Kind.APIVersion() + " " + o.Kind.Kind + " " + o.Name
}

// Objects reads the objects in the files of a folder. It returns each object in all versions
// of its kind that the linked release has. It omits objects that are meant for different
// releases (see [OfRelease]).
func Objects(folder string) ([]*Object, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []*Object
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, text := range strings.Split(string(data), "\n---\n") {
			name := ""
			if rest, ok := strings.CutPrefix(text, "# "); ok {
				line, _, _ := strings.Cut(rest, "\n")
				var holds bool
				if name, holds = OfRelease(line, builtin.Minor); !holds {
					continue
				}
			}
			content, err := read(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			more, err := inAllVersions(name, content)
			if err != nil {
				return nil, fmt.Errorf("%s: %v: %w", file, content["kind"], err)
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

func read(text string) (map[string]any, error) {
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	var content map[string]any
	return content, json.Unmarshal(data, &content)
}

// inAllVersions returns the object in all versions of its kind. In its own version, the object
// stays unchanged. Kubernetes' scheme converts it to the other versions.
func inAllVersions(name string, content map[string]any) ([]*Object, error) {
	apiVersion, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	home := server.Find(apiVersion, kind)
	if home == nil {
		return nil, nil
	}
	internal, err := home.Read(content)
	if err != nil {
		return nil, err
	}
	var all []*Object
	for _, k := range server.Kinds {
		switch {
		case k == home:
			all = append(all, &Object{k, name, content})
		case k.Group == home.Group && k.Kind == home.Kind:
			converted, err := k.Write(internal)
			if err != nil {
				return nil, err
			}
			all = append(all, &Object{k, name, converted})
		}
	}
	return all, nil
}
