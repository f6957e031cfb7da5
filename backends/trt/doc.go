// Package trt runs models in NVIDIA TensorRT 10.x and 11.x, which is opened at run time: the same
// test binary runs with and without it, and building needs neither TensorRT nor CUDA.
//
//	Expect(trt.Run(ctx, model, inputs, trt.FP16())).To(
//		MatchOutputsWithin(1e-3, 1e-3, Median).Of(ort.Run(ctx, model, inputs)))
//
// TensorRT turns a model into an engine for one GPU, which takes from seconds to minutes. Engines
// are kept in a cache (see [EngineCache]), so that the next run of a suite builds nothing.
//
// Without an NVIDIA GPU, without TensorRT, or with an unsupported version, calls return a
// [backends.Missing] and [Require] skips the spec. On systems other than Linux every call does.
package trt
