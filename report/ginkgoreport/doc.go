// Package ginkgoreport adds the outcomes of matchers to Ginkgo's reports: an entry for each
// comparison, and, after the suite, a summary of the skipped specs and the written golden files.
// Apart from tests, only this package and package shards import Ginkgo.
//
// One line in the suite file is enough:
//
//	var _ = ginkgoreport.Suite()
//
// To include a comparison in the JSON or JUnit report, pass [Attach] to its matcher:
//
//	Expect(run).To(MatchGolden("digits").Within(1e-5, 1e-5, Elementwise).
//		ReportTo(ginkgoreport.Attach))
//
// [Save] keeps the outputs of failed comparisons.
//
// All of this works under `go test`, `ginkgo` and `ginkgo -p`. Report entries are valid JSON even
// if they contain NaN: encoding/json rejects NaN, and an entry that cannot be encoded would leave
// Ginkgo's report file empty and hang a parallel run.
package ginkgoreport
