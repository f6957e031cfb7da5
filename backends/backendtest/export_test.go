package backendtest

// RaceDetector reports whether the specs of memory except themselves.
const RaceDetector = raceDetector
