// Package matchers provides Gomega matchers for the outputs of models. The file matchers.go lists
// most of the constructors, and types.go the types that they return.
//
//	Expect(ort.Run(ctx, model, inputs)).To(MatchGolden("digits").Within(1e-5, 1e-5, Elementwise))
//	Expect(trt.Run(ctx, model, inputs)).To(
//		MatchOutputsWithin(1e-3, 1e-3, Median).ForOutput("logits", 5e-3, 5e-3, Max).
//			Of(ort.Run(ctx, model, inputs)))
//
// The actual value of every matcher is a *[backends.Run], a *[tensor.Set], a []*[tensor.Set] (one
// per iteration) or a *[tensor.Tensor].
//
// Numbers out of tolerance, and outputs that only one side has, are a failure. Misuse (an actual
// value of another type, a NaN tolerance, an unreadable golden file) is an error, which fails both
// To and NotTo.
//
// The package does not import Ginkgo, so it also works in plain tests with gomega's NewWithT.
// Package report adds Ginkgo's report entries and suite summaries.
package matchers
