package trt

import (
	"io"
	"strings"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// Library names TensorRT's library (libnvinfer.so.10, or libnvinfer_lean.so.10, which only runs
// engines), or the folder it lies in. Without it the variable MODELPARITY_TENSORRT_LIBRARY_PATH is
// asked, then the tensorrt_libs of Python environments, then the system's loader; where there are
// both, 10 comes before 11. The lean runtime is looked for last, in the same places
// (tensorrt_lean_libs).
func Library(path string) Option { return func(s *settings) { s.library = path } }

// Device is the number of the GPU; 0 at first.
func Device(number int) Option { return func(s *settings) { s.device = number } }

// EngineCache is the folder that engines are kept in. Without it the variable
// MODELPARITY_ENGINE_CACHE names the folder, and without that it is modelparity/engines in the
// user's cache folder. An engine is found again by its model's bytes, the options, TensorRT's
// version and the GPU; parallel processes share the folder safely, and build an engine once. The
// folder can be deleted at any time.
func EngineCache(folder string) Option {
	return func(s *settings) { s.cache, s.noCache = folder, false }
}

// NoEngineCache builds the engine, whatever the cache holds, and keeps it nowhere.
func NoEngineCache() Option { return func(s *settings) { s.noCache = true } }

// ProfileIndex chooses the optimization profile that runs; the first, 0, otherwise.
func ProfileIndex(index int) Option { return func(s *settings) { s.run.profile = index } }

// AllocationStrategy is when an inference gets its working memory: "static" (at first: the most
// that any profile needs, at once), "profile" (the most of the profile in use), or "runtime" (what
// the inputs' shapes need).
func AllocationStrategy(name string) Option {
	return func(s *settings) {
		if _, ok := strategies[name]; !ok {
			s.fail("unknown allocation strategy %q; there are static, profile, runtime", name)
		}
		s.run.strategy = name
	}
}

var strategies = map[string]int{"": 0, "static": 0, "profile": 1, "runtime": 2}

// WeightStreamingBudget is how many bytes of streamable weights the GPU holds; -1 lets TensorRT
// choose. The engine must be built with [WeightStreaming].
func WeightStreamingBudget(bytes int64) Option {
	return func(s *settings) { s.run.budget, s.run.percent = &bytes, nil }
}

// WeightStreamingPercent is [WeightStreamingBudget] in hundredths of the streamable weights.
func WeightStreamingPercent(percent float64) Option {
	return func(s *settings) {
		if !(percent >= 0 && percent <= 100) {
			s.fail("a weight streaming budget of %v%%", percent)
		}
		s.run.percent, s.run.budget = &percent, nil
	}
}

// WarmUp runs the first inputs this many times before the iterations that count.
func WarmUp(n int) Option {
	return func(s *settings) {
		if n < 0 {
			s.fail("%d warm-up runs", n)
		}
		s.run.warmUp = n
	}
}

// LoadRuntime loads version-compatible engines by the lean runtime of another version.
func LoadRuntime(path string) Option { return func(s *settings) { s.run.loadRuntime = path } }

// Log writes TensorRT's log to w, from the given severity on: "error", "warning", "info",
// "verbose". In a spec, w is GinkgoWriter: then the log is part of a failure and of nothing else.
// Errors of TensorRT's are in the error of the call in any case.
func Log(w io.Writer, severity string) Option {
	return func(s *settings) {
		levels := []string{"internal_error", "error", "warning", "info", "verbose"}
		for i, level := range levels {
			if level == strings.ToLower(severity) {
				s.log, s.severity = w, trtabi.Severity(i)
				return
			}
		}
		s.fail("unknown severity %q; there are error, warning, info, verbose", severity)
	}
}

// OnProgress calls f with a line about the build whenever it gets on, for a progress bar. It is
// called from TensorRT's threads, one at a time. Under Ginkgo nothing is needed: with a
// SpecContext, the build is part of the spec's progress reports.
func OnProgress(f func(line string)) Option { return func(s *settings) { s.progress = f } }
