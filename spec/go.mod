module github.com/dovetail-ssa/dovetail/spec

go 1.26.0
