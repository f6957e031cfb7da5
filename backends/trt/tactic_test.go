//go:build linux && cgo

package trt_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
)

// The mock has two tactics for every layer, and takes the first where it is not told otherwise.
var _ = Describe("tactics", Label("mock"), func() {
	var file string
	record := func(ctx SpecContext, options ...trt.Option) string {
		GinkgoHelper()
		text, err := build(ctx, mock(10, 6), append(options, trt.SaveTactics(file))...)
		Expect(err).NotTo(HaveOccurred())
		return text
	}
	// edit replaces the first such text of the file.
	edit := func(from, to string) {
		GinkgoHelper()
		text, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(text)).To(ContainSubstring(from))
		Expect(os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o600)).
			To(Succeed())
	}
	// second makes a layer's tactic in the file the mock's second.
	second := func(layer string) {
		GinkgoHelper()
		text, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		before, after, found := strings.Cut(string(text), `"`+layer+`": {`)
		Expect(found).To(BeTrue())
		this, next, _ := strings.Cut(after, `"Algorithm"`)
		this = strings.NewReplacer(`2147483648`, `2147483649`, `001,`, `002,`, "FLOAT", "HALF",
			`3,`, "", `"vectorized_dim": -1`, `"vectorized_dim": 0`,
			`"components_per_element": 1`, `"components_per_element": 2`).Replace(this)
		text = []byte(before + `"` + layer + `": {` + this + `"Algorithm"` + next)
		Expect(os.WriteFile(file, text, 0o600)).To(Succeed())
	}
	BeforeEach(func() { file = filepath.Join(GinkgoT().TempDir(), "tactics.json") })

	It("are recorded and replayed", func(ctx SpecContext) {
		text := record(ctx)
		Expect(text).To(And(ContainSubstring("layer relu by tactic 0 of 2"),
			ContainSubstring("layer last by tactic 0 of 2")))
		second("add")
		text, err := build(ctx, mock(10, 6), trt.LoadTactics(file))
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(And(ContainSubstring("layer relu by tactic 0 of 1"),
			ContainSubstring("layer add by tactic 1 of 1"),
			ContainSubstring("layer last by tactic 0 of 1")))
	})

	It("are read and written by Polygraphy", func(ctx SpecContext) {
		python := pythontest.With(GinkgoT(), "polygraphy.backend.trt")
		record(ctx)
		theirs := filepath.Join(GinkgoT().TempDir(), "theirs.json")
		output, err := exec.CommandContext(ctx, python, "testdata/tactics.py", file, theirs).
			CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(output))
		ours, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.ReadFile(theirs)).To(Equal(ours))
		_, err = build(ctx, mock(10, 6), trt.LoadTactics(theirs))
		Expect(err).NotTo(HaveOccurred())
	})

	It("turn TensorRT's own timing cache off, but not a named one", func(ctx SpecContext) {
		Expect(record(ctx)).To(ContainSubstring("builder flag 5 on"))
		timing := trt.TimingCache(filepath.Join(GinkgoT().TempDir(), "timing"))
		Expect(record(ctx, timing)).NotTo(ContainSubstring("builder flag 5 on"))
	})

	It("are recorded of the engine itself, not of its debug tensors", func(ctx SpecContext) {
		record(ctx, trt.Debug("r"))
		with, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		record(ctx)
		Expect(os.ReadFile(file)).To(Equal(with))
	})

	It("are part of the engine's key, and recorded although it is cached", func(ctx SpecContext) {
		cache := trt.EngineCache(GinkgoT().TempDir())
		builds := func(options ...trt.Option) int {
			GinkgoHelper()
			text, err := build(ctx, mock(10, 6), append(options, cache)...)
			Expect(err).NotTo(HaveOccurred())
			return countOf(text, built)
		}
		Expect(builds()).To(Equal(1))
		for range 2 {
			Expect(os.RemoveAll(file)).To(Succeed())
			Expect(builds(trt.SaveTactics(file))).To(Equal(1))
			Expect(file).To(BeAnExistingFile())
		}
		Expect(builds()).To(Equal(0))
		Expect(builds(trt.LoadTactics(file))).To(Equal(1))
		Expect(builds(trt.LoadTactics(file))).To(Equal(0))
		second("relu")
		Expect(builds(trt.LoadTactics(file))).To(Equal(1))
	})

	DescribeTable("that do not fit are an error",
		func(ctx SpecContext, fail string, change func(), want string) {
			record(ctx)
			change()
			setenv("MOCK_TRT_FAIL", fail)
			_, err := build(ctx, mock(10, 6), trt.LoadTactics(file))
			Expect(err).To(MatchError(ContainSubstring(want)))
			Expect(err).To(MatchError(ContainSubstring("record it again with trt.SaveTactics or " +
				"polygraphy run --save-tactics")))
		},
		Entry("another tactic", "", func() { edit("-5000000000000000001", "7") },
			`tactics: layer "relu": TensorRT does not offer implementation 2147483648, tactic 7 of `+
				"tactics.json: the model, the options, TensorRT or the GPU have changed"),
		Entry("another layout", "", func() {
			edit(`"components_per_element": 1`,
				`"components_per_element": 4`)
		}, `layer "relu": TensorRT does not offer implementation 2147483648`),
		Entry("a layer that it lacks", "", func() { edit(`"add"`, `"sub"`) },
			`layer "add" of the engine is not in tactics.json: the model or the options have changed`),
		Entry("a choice that TensorRT does not keep to", "tactic", func() {},
			`layer "relu": TensorRT did not choose implementation 2147483648, `+
				"tactic -5000000000000000001, which tactics.json requires"),
		Entry("a file of something else", "", func() { edit("TacticReplayData", "RunResults") },
			`tactics: tactics.json: not a tactic replay file, or written by an old Polygraphy`),
	)

	It("give the build up where the first does not fit", func(ctx SpecContext) {
		record(ctx)
		edit("-5000000000000000001", "7")
		text, err := build(ctx, mock(10, 6), trt.LoadTactics(file))
		Expect(err).To(HaveOccurred())
		Expect(text).To(ContainSubstring("mock: no tactic is left"))
		Expect(text).NotTo(ContainSubstring("layer last"))
	})

	It("that TensorRT does not tell are an error, and nothing is written", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "report")
		_, err := build(ctx, mock(10, 6), trt.SaveTactics(file))
		Expect(err).To(MatchError(ContainSubstring("tactics: TensorRT reported no tactics")))
		Expect(file).NotTo(BeAnExistingFile())
	})

	It("of a build that fails are not written", func(ctx SpecContext) {
		setenv("MOCK_TRT_FAIL", "build")
		_, err := build(ctx, mock(10, 6), trt.SaveTactics(file))
		Expect(err).To(HaveOccurred())
		Expect(file).NotTo(BeAnExistingFile())
	})

	It("are not recorded and replayed at once", func(ctx SpecContext) {
		for _, both := range []trt.Option{
			trt.Options(trt.SaveTactics("a"), trt.LoadTactics("b")),
			trt.Options(trt.LoadTactics("b"), trt.SaveTactics("a")),
		} {
			_, err := build(ctx, mock(10, 6), both)
			Expect(err).To(MatchError(
				ContainSubstring("SaveTactics and LoadTactics cannot be combined")))
		}
	})

	It("need the file", func(ctx SpecContext) {
		_, err := build(ctx, mock(10, 6), trt.LoadTactics(file))
		Expect(errors.Is(err, os.ErrNotExist)).To(BeTrue(), "%v", err)
	})

	It("are gone from TensorRT 11, which has another way", func(ctx SpecContext) {
		_, err := build(ctx, mock(11, 1), trt.SaveTactics(file))
		Expect(err).To(MatchError(And(ContainSubstring("TensorRT 11 removed it"),
			ContainSubstring("trt.TimingCache and trt.EditableTimingCache"))))
	})
})
