package relationflags_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/internal/cli/compareflags"
	"github.com/modelparity/modelparity/internal/cli/relationflags"
	"github.com/modelparity/modelparity/internal/testing/flagtest"
	"github.com/modelparity/modelparity/relations"
)

// given sets the flags of a command line.
func given(line string) (*relationflags.Flags, error) {
	var f relationflags.Flags
	_, err := arguments.Parse(f.List(), strings.Fields(line), nil)
	return &f, err
}

var _ = Describe("flags of relations", func() {
	DescribeTable("become relations", func(line string, want ...string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		list, err := f.Relations()
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, r := range list {
			names = append(names, r.String())
		}
		Expect(names).To(Equal(want))
	},
		Entry("the usual ones", "", "repeat", "threads", "rows", "batch", "order"),
		Entry("those that are named, in one order and each once", "--only batch,repeat --only repeat",
			"repeat", "batch"),
		Entry("padding and the default ones", "--padding mask:1", "repeat", "threads", "rows", "batch",
			"order", "padding"),
		Entry("padding alone", "--padding mask:1 --only padding", "padding"),
		Entry("relations of engines", "--only rebuild marking levels --builds 3", "levels", "marking",
			"rebuild"),
		Entry("the number of runs", "--repeats 5 --only repeat", "repeat"),
		Entry("relations of a decoder", "--tokens a.json", "steps", "rollback", "sequences"),
		Entry("positions that begin elsewhere", "--tokens a.json --shift 2", "steps", "rollback",
			"sequences", "shift"),
		Entry("flags of a stream", "--frames a.npz --state hn:h cn:c", "reset"),
		Entry("chunks of a stream", "--frames a.npz --state hn:h --only reset chunks --batch-axis x:0",
			"reset", "chunks"),
		Entry("others of a decoder", "--tokens a.json --only repeat,steps", "repeat", "steps"),
	)

	It("are all known by their names", func() {
		for _, name := range relationflags.Known() {
			driven := "--tokens a.json --shift 2 --only shift "
			if name == "reset" || name == "chunks" {
				driven = "--frames a.npz --state hn:h --only "
			}
			f, err := given("--padding mask:1 " + driven + "padding " + name)
			Expect(err).NotTo(HaveOccurred())
			list, err := f.Relations()
			Expect(err).NotTo(HaveOccurred())
			Expect(list).To(ContainElement(HaveField("String()", name)))
		}
	})

	DescribeTable("say what to write", func(line, says string) {
		_, err := given(line)
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("a relation", "--only batches", `unknown value "batches": want repeat, threads`),
		Entry("one run", "--repeats 1", `"1" is not a whole number of at least 2`),
		Entry("one build", "--builds 1", `"1" is not a whole number of at least 2`),
		Entry("a number that is missing", "--builds", "--builds needs a value"),
		Entry("no rows", "--batch-sizes 2 0", `"0" is not a whole number of at least 1`),
		Entry("an axis", "--batch-axis x", `"x" is not an axis; write 0, or tokens:1`),
		Entry("an axis below 0", "--batch-axis tokens:-1", `"tokens:-1" is not an axis`),
		Entry("a file without a name", "--tokens", "--tokens needs a value"),
		Entry("no position", "--shift 0", `"0" is not a whole number of at least 1`),
		Entry("half a state", "--state hn", `"hn" does not name a state; write OUTPUT:INPUT`),
		Entry("a mask without a name", "--padding 1",
			`"1" does not name a mask; write NAME:AXIS, such as attention_mask:1`),
	)

	DescribeTable("are refused where they would do nothing", func(line, says string) {
		f, err := given(line)
		Expect(err).NotTo(HaveOccurred())
		_, err = f.Relations()
		Expect(err).To(MatchError(ContainSubstring(says)))
	},
		Entry("padding without its mask", "--only padding", "--only padding needs --padding MASK:AXIS"),
		Entry("a mask", "--only repeat --padding mask:1",
			"--padding has no effect without the relation padding"),
		Entry("a decoder's without a text", "--only repeat,rollback", "--only rollback needs --tokens"),
		Entry("shift without its position", "--tokens a.json --only shift", "needs --shift N"),
		Entry("a stream's without frames", "--only reset", "--only reset needs --frames FILE"),
		Entry("frames without states", "--frames a.npz", "--frames FILE and --state"),
		Entry("states without frames", "--state hn:h", "--frames FILE and --state"),
		Entry("tokens and frames", "--frames a.npz --tokens b.json --state hn:h",
			"--frames FILE and --state"),
		Entry("a position", "--shift 3", "--shift has no effect without"),
		Entry("repeats", "--only batch --repeats 3",
			"--repeats has no effect without the relation repeat"),
		Entry("builds", "--builds 3", "--builds has no effect without the relation rebuild"),
		Entry("sizes", "--only repeat --batch-sizes 2", "--batch-sizes has no effect"),
		Entry("an axis", "--only repeat --batch-axis 0", "--batch-axis has no effect"),
	)

	It("become options, with a rule that is bit for bit unless another one is given", func() {
		f, err := given("--batch-sizes 1 4 --batch-axis 0 tokens:1 --locate")
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Options(context.Background(), new(compareflags.Flags))).To(Equal(relations.Options{
			Sizes: []int{1, 4}, Along: map[string]int{"*": 0, "tokens": 1}, Locate: true}))
		rule := func(line string) (relations.Rule, error) {
			var r compareflags.Flags
			Expect(flagtest.Set(append(r.List(), r.NoiseFlags(false)...), line)).To(Succeed())
			options, err := new(relationflags.Flags).Options(context.Background(), &r)
			return options.Rule, err
		}
		Expect(rule("--atol 1e-3 --rtol 1e-2")).To(HaveField("Checks",
			Equal([]compare.Check{compare.Within(1e-3, 1e-2, compare.Elementwise)})))
		Expect(rule("--noise --false-alarm 0.01")).To(Equal(relations.Rule{Noise: true,
			Bars: compare.Bars{FalseAlarm: 0.01}}))
		_, err = rule("--atol logits:1e-3")
		Expect(err).To(MatchError("relations applies one rule to all outputs; give the tolerance " +
			"without an output's name"))
	})
})
