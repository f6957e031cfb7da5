// Package trt runs models in NVIDIA TensorRT 10.x and 11.x, which it opens at run time: the same
// test binary runs with and without it, and building needs neither TensorRT nor CUDA.
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		MatchOutputsWithin(1e-3, 1e-3, Median).Of(ort.Run(ctx, model, inputs)))
//
// TensorRT builds an engine for one GPU from a model, which takes seconds to minutes. Engines are
// kept in a cache (see [EngineCache]), so that the next run of a suite builds nothing.
//
// Without an NVIDIA GPU or TensorRT, with an unsupported version, and on every system other than
// Linux, calls return a [backends.Missing] and [Require] skips the spec.
package trt
