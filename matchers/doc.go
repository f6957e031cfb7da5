// Package matchers holds Gomega matchers for the outputs of models. The file matchers.go is the
// catalogue; every matcher has a file of its own.
//
//	Expect(ort.Run(ctx, model, inputs)).To(MatchGolden("digits").Within(1e-5, 1e-5, Elementwise))
//	Expect(trt.Run(ctx, model, inputs)).To(
//		MatchOutputsWithin(1e-3, 1e-3, Median).ForOutput("logits", 5e-3, 5e-3, Max).
//			Of(ort.Run(ctx, model, inputs)))
//
// The actual value of every matcher is a *[backends.Run], a *[tensor.Set], a []*[tensor.Set] (one
// per iteration) or a *[tensor.Tensor].
//
// Numbers out of tolerance, and outputs that are not those expected, are a failure. Misuse (an
// actual value of another type, a NaN tolerance, a golden file that cannot be read) is an error,
// which fails To and NotTo alike.
//
// The package does not import Ginkgo: it serves Ginkgo suites and plain tests (gomega's
// NewWithT) alike. What Ginkgo adds, report entries and suite summaries, is in package report.
package matchers
