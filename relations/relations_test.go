package relations_test

import (
	"context"
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/testing/fickle"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/relations"
)

func subject(ctx context.Context, f fickle.Fault, rows int) backends.Subject {
	return backends.Subject{Engine: fickle.Engine(f), Model: fickle.Model{},
		Inputs: fickle.Inputs(rows, 3)}
}

// all lists the relations that hold for the network, which only multiplies and rectifies.
func all() []relations.Relation {
	return []relations.Relation{relations.Batch(), relations.Order(), relations.Rows(),
		relations.Threads(), relations.Repeat(3), relations.Padding(1, "mask"),
		relations.Under(relations.Scaled(8))}
}

func found(report *relations.Report) (broken []string) {
	for _, r := range report.Results {
		if r.Verdict == compare.Fail {
			broken = append(broken, r.Relation)
		}
	}
	return broken
}

var _ = Describe("an engine that contradicts itself", func() {
	DescribeTable("is named by the relation that it breaks first",
		func(ctx SpecContext, f fickle.Fault, primary, says string, broken ...string) {
			report, err := relations.Check(ctx, subject(ctx, f, 2), relations.Options{}, all()...)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Primary()).NotTo(BeNil())
			Expect(report.Primary().Relation).To(Equal(primary), report.Text())
			Expect(report.Text()).To(ContainSubstring(says))
			Expect(found(report)).To(ConsistOf(broken))
			Expect(report.Headline()).To(HavePrefix(primary + " is broken: "))
			for _, r := range report.Results {
				Expect(r.Refused).To(BeEmpty())
			}
		},
		Entry("a row leak also breaks batch and order, which follow", fickle.RowLeak, "rows",
			"row 1 of a batch of 2, its neighbours have other values", "rows", "batch", "order"),
		Entry("equal rows that differ", fickle.SameRows, "batch",
			"row 1 of a batch of 2, equal rows", "batch", "order", "under"),
		Entry("a neighbour's NaN", fickle.NeighbourNaN, "rows", "its neighbours have NaN", "rows",
			"batch"),
		Entry("a scale that the whole batch shares", fickle.SharedScale, "rows",
			"its neighbours have huge values", "rows", "batch", "under"),
		Entry("a stale buffer shows in the second run", fickle.StaleBuffer, "repeat",
			"in run 2 of one session, after a run of other inputs", "repeat", "rows", "batch",
			"order"),
		Entry("a race of two goroutines", fickle.Race, "repeat", "with 4 goroutines at once",
			"repeat"),
		Entry("a race of two sessions", fickle.SharedMemory, "repeat", "with 2 sessions at once",
			"repeat"),
		Entry("a stream that differs", fickle.OtherStream, "repeat",
			"in run 2 of one session, on 3 alternating streams, after a run of other inputs", "repeat"),
		Entry("sessions that differ", fickle.OneSession, "repeat", "in a new session", "repeat",
			"threads", "under"),
		Entry("one shape", fickle.OneShape, "batch", "row 0 of a batch of 7, equal rows", "batch"),
		Entry("a row that is wrong on its own", fickle.OneRow, "batch",
			"the values of the other rows are not the cause: a batch of copies of this row is wrong, too",
			"batch", "under"),
		Entry("swapped rows", fickle.Swapped, "rows", "2 of 3 rows are wrong: 0, 2",
			"batch", "order", "rows"),
		Entry("one range of magnitudes", fickle.OneMagnitude, "under", "inputs scaled by 8", "under"),
		Entry("padding that leaks", fickle.PaddingLeak, "padding",
			"padded from 3 to 4 positions with other values", "padding"),
		Entry("the place of a row", fickle.ByIndex, "batch", "row 0 of a batch of 2, equal rows",
			"batch", "order", "under"),
		Entry("threads that add in another order", fickle.ByThreads, "threads",
			"with 2 threads, compared with 1", "threads"),
	)

	It("passes without a fault, after real comparisons", func(ctx SpecContext) {
		for _, rows := range []int{1, 2, 5} {
			report, err := relations.Check(ctx, subject(ctx, fickle.None, rows), relations.Options{},
				all()...)
			Expect(err).NotTo(HaveOccurred())
			Expect(report.Holds()).To(BeTrue(), report.Text())
			for _, r := range report.Results {
				Expect(r.Compared).To(BeNumerically(">", 1), r.Relation)
			}
		}
	})

	It("writes a report as the schema has it", func(ctx SpecContext) {
		for _, f := range []fickle.Fault{fickle.None, fickle.RowLeak} {
			report, err := relations.Check(ctx, subject(ctx, f, 2), relations.Options{},
				append(all(), relations.Padding(0, "no"))...)
			Expect(err).NotTo(HaveOccurred())
			text, err := json.Marshal(report)
			Expect(err).NotTo(HaveOccurred())
			Expect(reportschema.Validate(text)).To(Succeed(), string(text))
		}
	})
})
