package ort_test

import (
	"testing"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// BenchmarkRun is what a run costs beside the model's own work.
func BenchmarkRun(b *testing.B) {
	ort.Require(b)
	backend, err := open(model("identity_float"))
	if err != nil {
		b.Fatal(err)
	}
	defer backend.Close()
	set, err := tensor.NewSet(in("x", tensor.Of[float32](1, 2, 3)))
	if err != nil {
		b.Fatal(err)
	}
	inputs := fixtures.Of(set)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := backend.Run(b.Context(), inputs); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRunOnce is a session's making and end, and one run.
func BenchmarkRunOnce(b *testing.B) {
	ort.Require(b)
	set, err := tensor.NewSet(in("x", tensor.Of[float32](1, 2, 3)))
	if err != nil {
		b.Fatal(err)
	}
	inputs := fixtures.Of(set)
	for b.Loop() {
		if _, err := ort.Run(b.Context(), model("identity_float"), inputs); err != nil {
			b.Fatal(err)
		}
	}
}
