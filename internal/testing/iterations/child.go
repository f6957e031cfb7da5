//go:build linux || darwin

package main

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/matchers"
)

// file is the golden file, whose data lies in it.
const file = "testdata/golden/wide.json"

// child goes one way in Go.
func child() (err error) {
	n, err := iterationsOf()
	if err != nil {
		return err
	}
	run := func(options ...ort.Option) (*backends.Run, error) {
		m := loaders.ONNX(*model)
		return ort.Run(context.Background(), m, fixtures.Random(m, fixtures.Seed(3),
			fixtures.Iterations(n)), options...)
	}
	inline := golden.Options{Layout: golden.Layout{Inline: -1}}
	actual, err := run()
	if err != nil {
		return err
	}
	switch *do {
	case "runs":
		expected, err := run(ort.OptimizationLevel(ort.OptimizeNone))
		if err != nil {
			return err
		}
		return holds(actual, matchers.MatchOutputsWithin(1e-5, 1e-5, compare.Elementwise).Of(expected))
	case "write":
		return golden.Write(file, actual, inline)
	case "check":
		return holds(actual, matchers.MatchGolden("wide").Within(1e-5, 1e-5, compare.Elementwise))
	case "update":
		p, err := golden.Prepare(golden.All, file, actual, inline)
		if err == nil {
			_, err = p.Commit()
		}
		return err
	}
	return fmt.Errorf("unknown way %q", *do)
}

// holds asserts as a spec does.
func holds(run *backends.Run, m types.GomegaMatcher) (err error) {
	g := gomega.NewGomega(func(message string, _ ...int) { err = fmt.Errorf("%s", message) })
	g.Expect(run).To(m)
	return err
}
