module github.com/dovetail-ssa/dovetail/conformance/scale

go 1.24.0

require github.com/dovetail-ssa/dovetail v0.0.0

require (
	github.com/dovetail-ssa/dovetail/conformance v0.0.0
	github.com/google/go-cmp v0.7.0 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
)

replace github.com/dovetail-ssa/dovetail => ../..

replace github.com/dovetail-ssa/dovetail/conformance => ..
