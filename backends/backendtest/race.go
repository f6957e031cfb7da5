//go:build race

package backendtest

// raceDetector reports whether the race detector is on. Checks for leaks are skipped if it is,
// because the detector allocates memory itself.
const raceDetector = true
