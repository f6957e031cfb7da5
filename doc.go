// Package modelparity decides, inside `go test`, whether two runs of a model are the same model.
//
// It has no code of its own: the packages below it are what a suite imports.
//
//	loaders    model files: loaders.ONNX("testdata/resnet18.onnx")
//	fixtures   what a model is fed with: random, saved, generated, or made of images
//	backends   engines and their runs: backends/ort, backends/trt, and others beside them
//	matchers   Gomega matchers over runs: MatchOutputsWithin, MatchGolden, HaveOutput
//	runs       saved runs: read, written, compared with each other
//	golden     golden files: written by -golden.update, read by MatchGolden
//	compare    the numbers behind the matchers: rules, statistics, verdicts
//	noise      what rounding alone does to a model; precision and twin: what a format of fewer
//	           bits does, and what an engine really computes in
//	relations  a model held to itself: batch, rows, repetition, padding
//	decode     a decoder driven token by token through its past and present
//	locate     the first node where two runs part, and the smallest model that still fails
//	report     what people look at: entries of Ginkgo's reports
//	tensor     element types, shapes, tensors and their encodings
//
// A spec reads
//
//	var _ = It("still gives the outputs we shipped", func(ctx SpecContext) {
//		model := loaders.ONNX("testdata/digits.onnx")
//		images := fixtures.Load("testdata/heldback.npz")
//		Expect(ort.Run(ctx, model, images)).To(
//			MatchGolden("digits").Within(1e-4, 1e-4, Elementwise))
//	})
//
// and `go test ./... -golden.update` writes the golden files that it is held to. The matchers serve
// plain testing as well, through Gomega's NewWithT.
//
// The command modelparity (cmd/modelparity) does the same for files: run, compare, locate, reduce,
// and others, which it lists.
// The pages under docs begin with docs/getting-started.md.
package modelparity
