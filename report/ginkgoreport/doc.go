// Package ginkgoreport shows the outcomes of matchers in Ginkgo's reports: an entry for each
// comparison, and a summary after the suite of what was skipped and which golden files were
// written. It is the one package beside tests that imports Ginkgo.
//
// One line in the suite file is enough:
//
//	var _ = ginkgoreport.Suite()
//
// A comparison that should be in the JSON or JUnit report says so itself:
//
//	Expect(run).To(MatchGolden("digits").Within(1e-5, 1e-5, Elementwise).
//		ReportTo(ginkgoreport.Attach))
//
// [Save] keeps the outputs of those that fail.
//
// Everything here works under `go test`, `ginkgo` and `ginkgo -p`. Values are JSON whatever the
// numbers are: encoding/json refuses NaN, and a refused report entry empties Ginkgo's report file
// and stops a parallel run for ever.
package ginkgoreport
