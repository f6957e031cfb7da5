package ort

import (
	"io"

	"github.com/modelparity/modelparity/backends"
)

var (
	_ backends.ThreadsEngine = engine{}
	_ backends.LevelsEngine  = engine{}
	_ backends.LoggingEngine = engine{}
)

// WithThreads is the engine with so many threads within one operator.
func (e engine) WithThreads(n int) (backends.Engine, error) {
	return engine{e.With(Threads(n))}, nil
}

// Levels is the engine at each level of graph optimisation.
func (e engine) Levels() ([]backends.Engine, error) {
	var list []backends.Engine
	for _, level := range []Level{OptimizeNone, OptimizeBasic, OptimizeExtended, OptimizeLayout,
		OptimizeAll} {
		list = append(list, engine{e.With(OptimizationLevel(level))})
	}
	return list, nil
}

// Logged is the engine that writes its log to w, from [LogInfo] or [LogVerbose] on.
func (e engine) Logged(w io.Writer, verbose bool) backends.Engine {
	if verbose {
		return engine{e.With(Log(w, LogVerbose))}
	}
	return engine{e.With(Log(w, LogInfo))}
}

var _ backends.NeighborlyEngine = engine{}

// Neighborly reports whether the engine computes on the CPU alone. The process keeps to itself what
// the library holds, and a run ends between two nodes.
func (e engine) Neighborly() bool {
	s, err := e.Settings()
	return err == nil && !s.accelerated()
}
