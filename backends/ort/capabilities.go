package ort

import (
	"io"

	"github.com/modelparity/modelparity/backends"
)

// Capabilities is what [backends.CapabilitiesOf] asks for.
func (e engine) Capabilities() backends.Capabilities {
	return backends.Capabilities{Threads: e.threads, Levels: e.levels, Log: e.logged,
		Reweigh: e.reweigh, Neighborly: e.neighborly}
}

// threads is the engine with so many threads within one operator.
func (e engine) threads(n int) (backends.Engine, error) {
	return engine{e.With(Threads(n))}, nil
}

// levels is the engine at each level of graph optimisation.
func (e engine) levels() ([]backends.Engine, error) {
	var list []backends.Engine
	for _, level := range []Level{OptimizeNone, OptimizeBasic, OptimizeExtended, OptimizeLayout,
		OptimizeAll} {
		list = append(list, engine{e.With(OptimizationLevel(level))})
	}
	return list, nil
}

// logged is the engine that writes its log to w, from [LogInfo] or [LogVerbose] on.
func (e engine) logged(w io.Writer, verbose bool) backends.Engine {
	if verbose {
		return engine{e.With(Log(w, LogVerbose))}
	}
	return engine{e.With(Log(w, LogInfo))}
}

// neighborly reports whether the engine computes on the CPU alone. The process keeps to itself what
// the library holds, and a run ends between two nodes.
func (e engine) neighborly() bool {
	s, err := e.Settings()
	return err == nil && !s.accelerated()
}
