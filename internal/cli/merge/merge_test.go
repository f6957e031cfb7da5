package merge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/merge"
	"github.com/modelparity/modelparity/internal/reportfile"
	"github.com/modelparity/modelparity/internal/schema"
)

const total = 3

// shard is the report of one of three shards of a suite of nine specs, each of which runs three.
// One spec is pending, one is filtered out and one lacks its engine.
func shard(index int) *types.Report {
	share := reportfile.Share{Index: index, Total: total, Package: "example.com/a", From: "test"}
	r := &types.Report{SuitePath: fmt.Sprintf("/host%d/a", index), SuiteDescription: "a",
		SuiteSucceeded: true, PreRunStats: types.PreRunStats{TotalSpecs: 9, SpecsThatWillRun: 7},
		StartTime: time.Unix(int64(1000+index), 0), EndTime: time.Unix(int64(2000+index), 0)}
	for i := range 9 {
		owner := reportfile.Share{Index: i % total, Total: total}
		spec := types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: fmt.Sprintf("spec %d", i),
			State: types.SpecStatePassed, LeafNodeLabels: []string{owner.Label()}}
		if owner.Index != index {
			spec.State = types.SpecStateSkipped
			spec.Failure.Message = owner.Elsewhere()
		}
		switch i {
		case 6:
			spec.State, spec.Failure = types.SpecStatePending, types.Failure{}
		case 7:
			spec.State, spec.Failure = types.SpecStateSkipped, types.Failure{}
		case 8:
			if owner.Index == index {
				spec.State, spec.Failure.Message = types.SpecStateSkipped, "no GPU"
			}
		}
		r.SpecReports = append(r.SpecReports, spec)
	}
	r.SpecReports = append(r.SpecReports, types.SpecReport{
		LeafNodeType: types.NodeTypeReportAfterSuite, State: types.SpecStatePassed,
		ReportEntries: types.ReportEntries{{Name: reportfile.Shard, Value: types.WrapEntryValue(share)}}})
	return r
}

// read is a file of a report.
func read(name string, reports ...*types.Report) reportfile.File {
	GinkgoHelper()
	text, err := json.Marshal(reports)
	Expect(err).NotTo(HaveOccurred())
	f, err := reportfile.Decode(bytes.NewReader(text))
	Expect(err).NotTo(HaveOccurred())
	f.Path = name
	return f
}

// reset gives the shard's entry another share.
func reset(r *types.Report, change func(*reportfile.Share)) {
	last := &r.SpecReports[len(r.SpecReports)-1]
	share := last.ReportEntries[0].Value.GetRawValue().(reportfile.Share)
	change(&share)
	last.ReportEntries = types.ReportEntries{{Name: reportfile.Shard,
		Value: types.WrapEntryValue(share)}}
}

var _ = Describe("Shards", func() {
	var shards []*types.Report
	BeforeEach(func() { shards = []*types.Report{shard(0), shard(1), shard(2)} })

	merged := func(shards ...*types.Report) merge.Report {
		GinkgoHelper()
		var files []reportfile.File
		for i, s := range shards {
			files = append(files, read(fmt.Sprintf("%d.json", i), s))
		}
		m, err := merge.Files(files...)
		Expect(err).NotTo(HaveOccurred())
		return m
	}

	It("make one suite, in which every spec is what it was where it ran", func() {
		m := merged(shards[2], shards[0], shards[1])
		Expect(m.Text()).To(Equal("a: 9 specs of 3 shards: 6 passed, 0 failed, 2 skipped, 1 pending\n"))
		Expect(m.Whole()).To(BeTrue())
		Expect(m.Suites).To(HaveLen(1))
		s := m.Suites[0].Merged
		Expect(s.Count()).To(Equal(9))
		Expect(s.RunTime).To(Equal(1002 * time.Second))
		for _, spec := range s.Specs {
			Expect(spec.Elsewhere()).To(BeFalse(), spec.FullText())
		}
		var text bytes.Buffer
		Expect(reportfile.Write(&text, m.All())).To(Succeed())
		var back []types.Report
		Expect(json.Unmarshal(text.Bytes(), &back)).To(Succeed())
		Expect(back[0].SuiteSucceeded).To(BeTrue())
	})

	It("stay apart from the shards of other suites, in one file or in several", func() {
		other := shard(0)
		other.SuiteDescription, other.SpecReports = "b", other.SpecReports[:1] // was not sharded
		m, err := merge.Files(read("all.json", shards[0], other, shards[1]), read("2.json", shards[2]))
		Expect(err).NotTo(HaveOccurred())
		Expect(m.Text()).To(Equal("a: 9 specs of 3 shards: 6 passed, 0 failed, 2 skipped, 1 pending\n" +
			"b: 1 spec: 1 passed, 0 failed, 0 skipped, 0 pending\n"))
		Expect(m.Whole()).To(BeTrue())
	})

	It("that failed fail", func() {
		shards[1].SpecReports[1].State = types.SpecStateFailed
		Expect(merged(shards...).Whole()).To(BeFalse(), "whatever the suite says")
		shards[1].SuiteSucceeded = false
		m := merged(shards...)
		Expect(m.Whole()).To(BeFalse())
		Expect(m.Text()).To(ContainSubstring("5 passed, 1 failed"))
		Expect(m.Suites[0].Problems).To(BeEmpty())
	})

	DescribeTable("that are not the whole are red", func(damage func(), want ...string) {
		damage()
		m := merged(shards...)
		Expect(m.Suites[0].Problems).To(HaveExactElements(want))
		Expect(m.Whole()).To(BeFalse())
		Expect(m.Suites[0].Merged.SpecialSuiteFailureReasons).To(ContainElements(want))
	},
		Entry("one is missing", func() { shards = shards[:2] },
			"shard 3 of 3 is missing", "3 specs ran nowhere: spec 2; spec 5; spec 8"),
		Entry("the first is missing", func() { shards = shards[1:] },
			"shard 1 of 3 is missing", "2 specs ran nowhere: spec 0; spec 3"),
		Entry("one is there twice", func() { shards = append(shards, shard(1)) },
			"shard 2 of 3 occurs 2 times: 1.json, 3.json",
			"2 specs ran more than once: spec 1; spec 4"),
		Entry("a spec ran in a shard that is not its own",
			func() { shards[0].SpecReports[1].State = types.SpecStatePassed },
			"1 spec ran more than once: spec 1"),
		Entry("one was interrupted before its specs", func() {
			for i := range shards[2].SpecReports {
				shards[2].SpecReports[i].State = types.SpecStateSkipped
				shards[2].SpecReports[i].Failure = types.Failure{}
			}
		}, "3 specs ran nowhere: spec 2; spec 5; spec 8"),
		Entry("one failed before its specs, which it then does not list", func() {
			shards[2].SpecReports = shards[2].SpecReports[9:]
		}, "3 specs ran nowhere: spec 2; spec 5; spec 8"),
		Entry("their suites differ", func() { shards[1].SpecReports[1].LeafNodeText = "new" },
			"1 spec ran nowhere: spec 1", "1 spec not in every shard's suite, so the suites differ: new"),
		Entry("their numbers differ", func() {
			reset(shards[2], func(s *reportfile.Share) { s.Total = 4 })
		}, "2.json is one of 4 shards, but 0.json is one of 3"),
		Entry("their weights differ", func() {
			reset(shards[1], func(s *reportfile.Share) { s.Weights = fmt.Sprintf("%064d", 7) })
		}, "1.json was sharded by the weights 000000000000, but 0.json by no weights"),
		Entry("their filters differ", func() { shards[1].SuiteConfig.LabelFilter = "gpu" },
			"1.json and 0.json ran under different filters"),
	)

	It("of specs of one text are counted, so that none hides another", func() {
		for _, s := range shards {
			s.SpecReports[3].LeafNodeText = "spec 0" // of one shard both
		}
		Expect(merged(shards...).Whole()).To(BeTrue())
		shards[0].SpecReports[3].State = types.SpecStateSkipped
		Expect(merged(shards...).Suites[0].Problems).To(HaveExactElements("1 spec ran nowhere: spec 0"))
	})

	It("that claim what cannot be are refused by file", func() {
		reset(shards[1], func(s *reportfile.Share) { s.Index = 3 })
		_, err := merge.Files(read("1.json", shards[1]))
		Expect(err).To(MatchError(`1.json: a: the entry "modelparity: shard": invalid shard 3 of 3`))
		_, err = merge.Files(reportfile.File{Path: "vote.json",
			Document: &reportfile.Document{Schema: schema.Of("vote")}})
		Expect(err).To(MatchError(HavePrefix("vote.json: a report of kind vote has no shards")))
	})
})
