//go:build race

package backendtest

// raceDetector reports whether the race detector is on. It keeps memory of its own.
const raceDetector = true
