module github.com/dovetail-ssa/dovetail/kube

go 1.25.0

require github.com/dovetail-ssa/dovetail v0.0.0
