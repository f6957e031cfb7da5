//go:build race

package backendtest

// raceDetector reports whether the race detector is on, because it keeps shadow memory.
const raceDetector = true
