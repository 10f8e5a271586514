// Package functions has handwritten functions.
package functions

// +k8s:openapi-gen=true
type Widget struct {
	Name string `json:"name"`
}

type Widgets []Widget

func SetDefaults_Widget(in *Widget)      {}
func SetDefaults_Widget_Name(in *Widget) {}
func SetDefaults_Widgets(in *Widgets)    {}

func SetDefaults_Gadget(in *Widget)             {}
func SetDefaults_Value(in Widget)               {}
func SetDefaults_Result(in *Widget) error       { return nil }
func SetDefaults_Two(in *Widget, other *Widget) {}
