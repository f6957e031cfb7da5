package backends

import (
	"context"
	"fmt"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
)

// ThreadsEngine is an engine whose number of threads can be set.
type ThreadsEngine interface {
	Engine

	// WithThreads returns the engine with so many threads, and with all its other options.
	WithThreads(n int) (Engine, error)
}

// WithThreads returns the engine with so many threads. An engine without such a setting is an
// error.
func WithThreads(e Engine, n int) (Engine, error) {
	if t, ok := e.(ThreadsEngine); ok {
		return t.WithThreads(n)
	}
	return nil, fmt.Errorf("%v has no number of threads to set", e)
}

// LevelsEngine is an engine that rewrites models by levels.
type LevelsEngine interface {
	Engine

	// Levels returns the engine at each of its levels of optimisation, the lowest first.
	Levels() ([]Engine, error)
}

// Levels returns the engine at each of its levels of optimisation, the lowest first. An engine
// without levels is an error.
func Levels(e Engine) ([]Engine, error) {
	if l, ok := e.(LevelsEngine); ok {
		return l.Levels()
	}
	return nil, fmt.Errorf("%v has no levels of optimisation to set", e)
}

// StreamsEngine is an engine that queues its work in streams of a device.
type StreamsEngine interface {
	Engine

	// WithStreams returns the engine whose runs take turns among n streams of one session, with all
	// its other options; ok is false where what it wraps has no streams.
	WithStreams(n int) (e Engine, ok bool, err error)
}

// WithStreams returns the engine whose runs take turns among n streams; ok is false where it has
// none.
func WithStreams(e Engine, n int) (several Engine, ok bool, err error) {
	if of, is := e.(StreamsEngine); is {
		return of.WithStreams(n)
	}
	return nil, false, nil
}

// Profile is the shapes that an engine serves, by the names of inputs: the smallest, the most
// likely and the largest.
type Profile struct{ Min, Opt, Max map[string]tensor.Shape }

// ProfiledEngine is an engine that may be built for a profile.
type ProfiledEngine interface {
	Engine

	// Profile returns the profile that the options state; ok is false where they state none.
	Profile() (p Profile, ok bool, err error)
}

// ProfileOf returns the profile that an engine's options state; ok is false where there is none.
func ProfileOf(e Engine) (p Profile, ok bool, err error) {
	if of, is := e.(ProfiledEngine); is {
		return of.Profile()
	}
	return Profile{}, false, nil
}

// MarkingEngine is an engine that makes every tensor inside a model an output by itself.
type MarkingEngine interface {
	Engine

	// MarkingAll returns the engine that gives out every tensor.
	MarkingAll() (Engine, error)
}

// BuildingEngine is an engine that builds models and chooses among kernels as it does, so that two
// builds of one model may differ.
type BuildingEngine interface {
	Engine

	// Anew returns the engine that builds a model again, whatever caches hold. Once it has been
	// opened, choices tells the kernel that it chose for each layer, as far as it reveals it. The
	// caller calls forget, which is never nil, at the end.
	Anew() (e Engine, choices func() (map[string]string, error), forget func(), err error)
}

// KeepingEngine is an engine that may compute in a lower precision, but for the nodes of a model
// that it is told to compute in float32.
type KeepingEngine interface {
	Engine

	// LayersOf are the names of the layers that the engine makes of each node of a model, in the
	// order of the nodes: of those whose precision can be chosen. A Gemm, for one, may become two, of
	// which one has the node's name.
	LayersOf(ctx context.Context, model fixtures.Declaration) ([][]string, error)
	// Keeping returns the engine with these layers in float32, and with all its other options. The
	// name of a node in ONNX is that of a layer, too.
	Keeping(layers []string) (Engine, error)
}

// LayeredEngine is an engine that may compute in a lower precision, but for the layers that it
// makes of a model which it is told to compute in a higher one.
type LayeredEngine interface {
	Engine

	// Layers are the names of the layers of a model's network, in its order; "" is one whose
	// precision cannot be chosen. An engine that may not compute in any lower precision is an error.
	Layers(ctx context.Context, model fixtures.Declaration) ([]string, error)
	// Raising returns the engine that computes layers in a type, with all its other options.
	Raising(layers []string, elem tensor.ElementType) (Engine, error)
	// Saving returns the engine that writes what it builds to a file, each time anew.
	Saving(path string) LayeredEngine
}
