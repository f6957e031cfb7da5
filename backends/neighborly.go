package backends

// NeighborlyEngine is an engine that may do without the computer to itself.
type NeighborlyEngine interface {
	Engine

	// Neighborly reports whether the engine computes on the CPU and in this process, waits for no
	// device that another engine holds, and ends a run soon after its context. Two such engines run
	// side by side, and a run that takes too much memory can be stopped.
	Neighborly() bool
}

// Neighborly reports whether every engine is a [NeighborlyEngine] that says so.
func Neighborly(engines ...Engine) bool {
	for _, e := range engines {
		if n, ok := e.(NeighborlyEngine); !ok || !n.Neighborly() {
			return false
		}
	}
	return true
}
