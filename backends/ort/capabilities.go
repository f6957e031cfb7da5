package ort

import (
	"context"
	"io"
	"log/slog"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/loaders"
)

// Capabilities returns what this engine can do; see [backends.CapabilitiesOf].
func (e engine) Capabilities() backends.Capabilities {
	can := backends.Capabilities{Threads: e.threads, Levels: e.levels, Log: e.logged,
		Releases: e.releases, Reweigh: e.reweigh, Unshared: e.unshared, Reference: e.reference,
		Neighborly: e.neighborly, Loop: startLoop, Computed: e.computed,
		Passes: e.passes, WithoutPasses: e.withoutPasses}
	if e.neighborly() { // on the CPU, where matrix multiplications add up blocks of 128 terms
		can.Chain = func(string) int { return 128 }
	}
	return can
}

func (e engine) with(o Option) engine {
	e.List = e.With(o)
	return e
}

func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}

// threads returns a copy of the engine that runs each operator on n threads.
func (e engine) threads(n int) (backends.Engine, error) {
	return e.with(Threads(n)), nil
}

func (e engine) levels() ([]backends.Engine, error) {
	var list []backends.Engine
	for _, level := range []Level{OptimizeNone, OptimizeBasic, OptimizeExtended, OptimizeLayout,
		OptimizeAll} {
		list = append(list, e.with(OptimizationLevel(level)))
	}
	return list, nil
}

// releases implements [backends.Capabilities.Releases].
func (e engine) releases(words []string) (list []backends.Release, err error) {
	found, err := engines.Releases(engines.ONNXRuntime.Name, words...)
	for _, r := range found {
		list = append(list, backends.Release{Version: r.Version, Engine: e.with(Release(r.Version))})
	}
	return list, err
}

// logged returns a copy of the engine that writes its log to w, at level debug if verbose is true
// and info otherwise.
func (e engine) logged(w io.Writer, verbose bool) backends.Engine {
	if verbose {
		return e.with(Log(w, slog.LevelDebug))
	}
	return e.with(Log(w, slog.LevelInfo))
}

// reference returns a copy of this engine without optimisation, with the same library and custom
// operators. If this engine does not run on the CPU, reference returns the engine that the caller
// passes as plain.
func (e engine) reference(plain backends.Engine) backends.Engine {
	s, err := e.Settings()
	if err != nil || s.accelerated() {
		return plain
	}
	return e.with(OptimizationLevel(OptimizeNone)).unshared()
}

// computed returns a description of the precision in which the engine computes a model.
func (e engine) computed(ctx context.Context, model *loaders.Model) (string, error) {
	s, err := e.Settings()
	if err != nil {
		return "", err
	}
	return s.computed(ctx, model)
}

// neighborly reports whether the engine computes only on the CPU. If so, it never waits for a
// device that another engine uses, and its runs can be stopped between two nodes.
func (e engine) neighborly() bool {
	s, err := e.Settings()
	return err == nil && !s.accelerated()
}
