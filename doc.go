// Package modelparity decides, inside `go test`, whether two runs of a model agree.
//
// It contains no code; a suite imports the packages below it:
//
//	loaders    model files: loaders.ONNX("testdata/resnet18.onnx"); loaders/edit changes them
//	fixtures   inputs: random, saved, generated, or made from images
//	backends   engines and their runs: backends/ort, backends/trt and others
//	matchers   Gomega matchers over runs: MatchOutputsWithin, MatchGolden, HaveOutput
//	runs       saved runs: read, written, compared with each other
//	golden     golden files: written by -golden.update, read by MatchGolden
//	compare    the numbers behind the matchers: rules, statistics, verdicts
//	noise      what rounding alone does to a model
//	precision  what a lower precision costs, and which precision an engine really uses
//	relations  a model compared with itself: batch, rows, repetition, padding
//	decode     a decoder run token by token, with its key and value caches
//	locate     the first node where two runs differ, and the smallest model that still fails
//	report     Ginkgo's report entries, pages, pictures and shards
//	tensor     element types, shapes, tensors, and sets of named tensors
//
// A spec looks like this:
//
//	var _ = It("still gives the outputs we shipped", func(ctx SpecContext) {
//		model := loaders.ONNX("testdata/digits.onnx")
//		images := fixtures.Load("testdata/heldback.npz")
//		Expect(ort.Run(ctx, model, images)).To(
//			MatchGolden("digits").Within(1e-4, 1e-4, Elementwise))
//	})
//
// The command `go test ./... -golden.update` writes its golden file. The matchers also work in
// plain testing, through Gomega's NewWithT.
//
// The command modelparity (cmd/modelparity) does the same for files: run, compare, locate, reduce
// and others; its help lists them all. The documentation begins with docs/getting-started.md.
package modelparity
