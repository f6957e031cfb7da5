package ort

import (
	"io"

	"github.com/modelparity/modelparity/backends"
)

// Capabilities is what [backends.CapabilitiesOf] asks for.
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Threads: e.threads, Levels: e.levels, Log: e.logged,
		Reweigh: e.reweigh, Unshared: e.unshared, Neighborly: e.neighborly}
}

// with is the engine with one more option.
func (e engine) with(o Option) engine {
	e.List = e.With(o)
	return e
}

// unshared is the engine with sessions of its own.
func (e engine) unshared() backends.Engine {
	e.alone = true
	return e
}

// threads is the engine with so many threads within one operator.
func (e engine) threads(n int) (backends.Engine, error) {
	return e.with(Threads(n)), nil
}

// levels is the engine at each level of graph optimisation.
func (e engine) levels() ([]backends.Engine, error) {
	var list []backends.Engine
	for _, level := range []Level{OptimizeNone, OptimizeBasic, OptimizeExtended, OptimizeLayout,
		OptimizeAll} {
		list = append(list, e.with(OptimizationLevel(level)))
	}
	return list, nil
}

// logged is the engine that writes its log to w, from [LogInfo] or [LogVerbose] on.
func (e engine) logged(w io.Writer, verbose bool) backends.Engine {
	if verbose {
		return e.with(Log(w, LogVerbose))
	}
	return e.with(Log(w, LogInfo))
}

// neighborly reports whether the engine computes on the CPU alone. The process keeps to itself what
// the library holds, and a run ends between two nodes.
func (e engine) neighborly() bool {
	s, err := e.Settings()
	return err == nil && !s.accelerated()
}
