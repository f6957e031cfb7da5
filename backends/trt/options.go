package trt

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/modelparity/modelparity/internal/option"
	"github.com/modelparity/modelparity/internal/trtabi"
)

// Option sets how an engine is built, found or run. By default an engine computes in float32
// without TF32, as Polygraphy's does, and all other settings have TensorRT's defaults.
//
// Opening an engine reports all invalid options, in the order of the options. An option that the
// installed TensorRT does not support makes the build fail. If TensorRT 11 removed the feature, the
// error names the replacement.
type Option = option.Option[settings]

// building returns an option that applies only to building an engine; [Plan] rejects it. An
// option made with [option.New] or [option.Field] also applies to a plan.
func building(call option.Invocation, apply func(*settings) error) Option {
	return option.New(call, func(s *settings) error {
		s.build = append(s.build, call.GoString())
		return apply(s)
	})
}

// field returns an option that sets one field to value. The option applies only to building an
// engine. wrong says what is wrong with the value, if anything: opening an engine with the option
// then returns this error.
func field[T any](call option.Invocation, value T, of func(*settings) *T, wrong ...error) Option {
	return building(call, func(s *settings) error {
		*of(s) = value
		return errors.Join(wrong...)
	})
}

// element is like [field], but its option adds one value to a sorted list.
func element[T ~string](call option.Invocation, value T, of func(*settings) *[]T,
	wrong ...error) Option {
	return building(call, func(s *settings) error {
		*of(s) = with(*of(s), value)
		return errors.Join(wrong...)
	})
}

// each makes an option for every value with the given function, and joins the options.
func each[T any](values []T, one func(T) Option) Option {
	options := make([]Option, len(values))
	for i, value := range values {
		options[i] = one(value)
	}
	return option.Join(options...)
}

// set sets m[key] to value. It creates the map if it is nil.
func set[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// with returns a sorted copy of list that also contains value.
func with[T ~string](list []T, value T) []T {
	i, found := slices.BinarySearch(list, value)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, value)
}

// The options below set where engines come from, and how they run. options_network.go has the
// options about the network, and options_build.go the others about the build.

// EngineCache names the folder in which engines are stored. The default is the folder in
// MODELPARITY_ENGINE_CACHE, or else modelparity/engines in the user's cache folder. The cache key
// of an engine consists of the model's bytes, the options, TensorRT's version and the GPU. Parallel
// processes can share the folder; they build each engine once. The folder can be deleted at any
// time.
func EngineCache(folder string) Option {
	return option.New(option.Call("trt.EngineCache", folder), func(s *settings) error {
		s.Cache, s.NoCache = folder, false
		return nil
	})
}

// NoEngineCache makes opening a model always build its engine, and does not store the engine in the
// cache. Two engines of the same model can then differ, and return different results.
func NoEngineCache() Option {
	return option.New(option.Call("trt.NoEngineCache"), func(s *settings) error {
		s.Cache, s.NoCache = "", true
		return nil
	})
}

// Library names TensorRT's library, libnvinfer.so.10, or the folder that contains it. The default
// is MODELPARITY_TENSORRT_LIBRARY_PATH, then the Python package tensorrt_libs of an active virtual
// environment or of python3, then the system's loader; version 10 is preferred to 11.
func Library(path string) Option {
	return option.Field(option.Call("trt.Library", path), path,
		func(s *settings) *string { return &s.Library })
}

// Device sets the number of the GPU; the default is 0.
func Device(number int) Option {
	return option.Field(option.Call("trt.Device", number), number,
		func(s *settings) *int { return &s.Device })
}

// LoadRuntime sets the path of the lean runtime of a different TensorRT version. That runtime then
// loads the version-compatible engine.
func LoadRuntime(path string) Option {
	return option.Field(option.Call("trt.LoadRuntime", path), path,
		func(s *settings) *string { return &s.LoadRuntime })
}

// AllocateForProfile allocates as much working memory as the current profile needs. By default an
// inference has enough for every profile.
func AllocateForProfile() Option {
	return option.Field(option.Call("trt.AllocateForProfile"), "ON_PROFILE_CHANGE", strategy)
}

// AllocateForShapes allocates as much working memory as the shapes of the current inputs need.
func AllocateForShapes() Option {
	return option.Field(option.Call("trt.AllocateForShapes"), "USER_MANAGED", strategy)
}

func strategy(s *settings) *string { return &s.Strategy }

// WeightStreamingBudget sets the number of bytes of streamable weights that stay on the GPU; with
// -1, TensorRT chooses the number. The engine must be built with [WeightStreaming].
func WeightStreamingBudget(bytes int64) Option {
	return option.New(option.Call("trt.WeightStreamingBudget", bytes), func(s *settings) error {
		s.Budget, s.Percent = &bytes, nil
		return nil
	})
}

// WeightStreamingPercent sets the [WeightStreamingBudget] as a percentage of the streamable
// weights.
func WeightStreamingPercent(percent float64) Option {
	return option.New(option.Call("trt.WeightStreamingPercent", percent), func(s *settings) error {
		if !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("the percentage must be 0 to 100, got %v", percent)
		}
		s.Percent, s.Budget = &percent, nil
		return nil
	})
}

// Streams makes the inferences of an opened engine take turns on n CUDA streams; by default all use
// one stream. State that an inference leaves in a stream can affect the next inference on that
// stream; see relations.Repeat.
func Streams(n int) Option {
	return option.Field(option.Call("trt.Streams", n), n,
		func(s *settings) *int { return &s.Streams },
		option.Refuse(n < 1, "the number of streams must be 1 or more, got %d", n))
}

// WarmUp runs the inputs of the first iteration n times before the measured iterations.
func WarmUp(n int) Option {
	return option.Field(option.Call("trt.WarmUp", n), n,
		func(s *settings) *int { return &s.WarmUp },
		option.Refuse(n < 0, "the number of runs must be 0 or more, got %d", n))
}

// Log writes TensorRT's log to w. Messages below level are omitted. [slog.LevelDebug] means
// TensorRT's VERBOSE, and any level above [slog.LevelError] means its INTERNAL_ERROR. In a spec,
// pass GinkgoWriter, which shows the log only if the spec fails. Errors always contain TensorRT's
// own errors.
func Log(w io.Writer, level slog.Level) Option {
	return option.LeftOut("trt.Log", "a writer", func(s *settings) error {
		levels := []slog.Level{slog.LevelError, slog.LevelWarn, slog.LevelInfo, slog.LevelDebug}
		s.log, s.severity = w, trtabi.InternalError
		for i, most := range levels {
			if level <= most {
				s.severity = trtabi.Severity(i + 1)
			}
		}
		return nil
	})
}
