package markers

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"unicode/utf8"
)

// checkValid holds a default to the validation markers beside it.
func (s *Source) checkValid(d *Default, all []Marker, name string, t types.Type) {
	for i := range all {
		m := &all[i]
		v, err := m.Decode()
		if err != nil || m.Name == "default" {
			continue
		}
		if problem := violated(d.Value, m.Name, v, all); problem != "" {
			s.findings.add(d.Marker.pos, DefaultInvalid, fmt.Sprintf("the default %s of %s is not valid", JSON(d.Value), name),
				problem+" by "+m.String(), "change one of the two").Warning = d.Marker.kubebuilder()
		}
	}
}

// violated returns what is wrong with a value by a validation marker.
func violated(v any, name string, bound any, all []Marker) string {
	size, kind := -1, ""
	switch x := v.(type) {
	case string:
		size, kind = utf8.RuneCountInString(x), "Length"
	case []any:
		size, kind = len(x), "Items"
	case map[string]any:
		size, kind = len(x), "Properties"
	}
	limit, _ := bound.(int64)
	exclusive := func(marker string) bool {
		m, ok := Find(all, "kubebuilder:validation:"+marker)
		return ok && m.Value != "false"
	}
	switch name {
	case "kubebuilder:validation:Enum":
		list, _ := bound.([]any)
		if !slices.ContainsFunc(list, func(e any) bool { return JSON(e) == JSON(v) }) {
			return "it is none of the values"
		}
	case "kubebuilder:validation:Min" + kind:
		if size >= 0 && int64(size) < limit {
			return "it is too short"
		}
	case "kubebuilder:validation:Max" + kind:
		if int64(size) > limit {
			return "it is too long"
		}
	case "kubebuilder:validation:Pattern":
		text, isText := v.(string)
		pattern, _ := bound.(string)
		if re, err := regexp.Compile(pattern); err == nil && isText && !re.MatchString(text) {
			return "it does not match"
		}
	case "kubebuilder:validation:Minimum", "kubebuilder:validation:Maximum":
		n, isNumber := float(v)
		most, _ := float(bound)
		switch {
		case !isNumber:
		case name == "kubebuilder:validation:Minimum" && (n < most || n == most && exclusive("ExclusiveMinimum")):
			return "it is too small"
		case name == "kubebuilder:validation:Maximum" && (n > most || n == most && exclusive("ExclusiveMaximum")):
			return "it is too large"
		}
	}
	return ""
}
