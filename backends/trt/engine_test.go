//go:build linux && cgo

package trt_test

import (
	"encoding/json"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/trt"
)

var _ = Describe("an engine", Label("mock"), func() {
	var plan string
	BeforeEach(func() { plan = filepath.Join(GinkgoT().TempDir(), "chain.plan") })

	save := func(ctx SpecContext, minor int, options ...trt.Option) {
		GinkgoHelper()
		e, err := trt.New(ctx, chain("c", 1, 2), none, on(mock(10, minor), options...)...)
		Expect(err).NotTo(HaveOccurred())
		defer e.Close()
		Expect(e.Save(plan)).To(Succeed())
	}
	load := func(ctx SpecContext, minor int, options ...trt.Option) ([]float32, error) {
		e, err := trt.Load(plan, on(mock(10, minor), options...)...)
		if err != nil {
			return nil, err
		}
		defer e.Close()
		run, err := e.Run(ctx, feed(floats([]int{2}, 1, 2)))
		if err != nil {
			return nil, err
		}
		Expect(run.Provenance.Model).To(Equal("chain.plan"))
		Expect(run.Provenance.ModelSHA256).To(HaveLen(64))
		return values(run, "y"), nil
	}

	It("is saved and loaded", func(ctx SpecContext) {
		save(ctx, 6)
		Expect(load(ctx, 6)).To(Equal([]float32{2, 3}))
	})

	It("is refused by another version, with TensorRT's own words", func(ctx SpecContext) {
		save(ctx, 6)
		_, err := load(ctx, 12)
		Expect(err).To(MatchError(Equal("tensorrt 10.12.2.7: chain.plan: TensorRT 10.12.2.7 returned " +
			"no engine from the plan; TensorRT says:\n\tmock: the plan's version tag does not match")))
	})

	It("is loaded by another version where it is version compatible", func(ctx SpecContext) {
		save(ctx, 6, trt.VersionCompatible())
		runtime := filepath.Join(GinkgoT().TempDir(), "lean.so")
		Expect(os.WriteFile(runtime, nil, 0o644)).To(Succeed())
		Expect(load(ctx, 12, trt.VersionCompatible())).To(Equal([]float32{2, 3}))
		Expect(load(ctx, 12, trt.LoadRuntime(runtime))).To(Equal([]float32{2, 3}))
		_, err := load(ctx, 12, trt.LoadRuntime("/nowhere"))
		Expect(err).To(MatchError(ContainSubstring("returned no runtime from /nowhere")))
	})

	DescribeTable("is refused where the file is not a plan",
		func(ctx SpecContext, content, want string) {
			Expect(os.WriteFile(plan, []byte(content), 0o644)).To(Succeed())
			_, err := load(ctx, 6)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry(nil, "", "the plan is empty"),
		Entry(nil, "MOCK PLAN", "this is not a plan"),
	)

	It("is refused if the file is missing", func(ctx SpecContext) {
		_, err := load(ctx, 6)
		Expect(err).To(MatchError(os.ErrNotExist))
	})

	It("describes itself", func(ctx SpecContext) {
		profile := func(low, high int) trt.Option {
			return trt.Profile(trt.Range("x", []int{low}, []int{low}, []int{high}))
		}
		e, err := trt.New(ctx, chain("c", 1, "n"), none, on(mock(10, 6), profile(1, 2), profile(3, 8))...)
		Expect(err).NotTo(HaveOccurred())
		defer e.Close()
		info, err := e.Information()
		Expect(err).NotTo(HaveOccurred())
		Expect(info).To(Equal(trt.Information{
			Name: "mock engine", TensorRT: "10.6.2.7", Layers: 3, Profiles: 2,
			DeviceMemory: 512,
			Tensors: []trt.TensorInfo{
				{Name: "x", Input: true, Type: "float32", Shape: []int{-1}, Format: "Row-major",
					Profiles: [][][]int{{{1}, {1}, {2}}, {{3}, {3}, {8}}}},
				{Name: "y", Type: "float32", Format: "Row-major"},
			},
			Inspector: json.RawMessage(`{"Layers": ["relu"]}`),
		}))
	})
})
