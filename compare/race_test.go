//go:build race

package compare_test

// raceDetector reports whether the race detector runs, under which counting takes 40 times as long.
const raceDetector = true
