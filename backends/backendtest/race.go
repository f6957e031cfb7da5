//go:build race

package backendtest

// raceDetector reports whether the race detector runs, which keeps a shadow of the memory it saw.
const raceDetector = true
