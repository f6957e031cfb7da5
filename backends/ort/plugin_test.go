package ort_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

var _ = skips.Announce("ort-webgpu is missing", "a GPU")

// idle is the plug-in of testdata/plugin.c, which runs no operator. devices is "0" or "1".
func idle(devices string) string {
	GinkgoHelper()
	binding, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/yalue/onnxruntime_go").Output()
	Expect(err).NotTo(HaveOccurred())
	return compiled(filepath.Join("testdata", "plugin.c"), "-DDEVICES="+devices,
		"-I"+strings.TrimSpace(string(binding)))
}

var _ = Describe("A plug-in execution provider", func() {
	input := x(tensor.Of[float32](1, -2, 3))

	It("is part of the engine's text and Go", func() {
		e := ort.Engine(ort.PluginEP("a.so", ort.PluginOption("k", "v")), ort.Providers("cpu"))
		Expect(e.GoString()).To(Equal(`ort.Engine(ort.PluginEP("a.so", ort.PluginOption("k", "v")), ` +
			`ort.Providers("cpu"))`))
		Expect(e.Text()).To(Equal(`ort {"plugins":[{"path":"a.so","options":{"k":"v"}}],` +
			`"providers":["CPUExecutionProvider"]}`))
		Expect(e).NotTo(Equal(ort.Engine(ort.PluginEP("a.so", ort.PluginOption("k", "v")))))
		Expect(ort.Engine(ort.Providers("cpu"))).To(Equal(ort.Engine()))
	})

	DescribeTable("that cannot be loaded is an error, and never a skip",
		func(path func() string, reason string) {
			err := ort.Available(ort.PluginEP(path()))
			Expect(err).To(MatchError(And(HavePrefix("ort.PluginEP(\""), ContainSubstring(reason))))
			var missing *backends.Missing
			Expect(errors.As(err, &missing)).To(BeFalse())
			_, opened := open(model("identity_float"), ort.PluginEP(path()))
			Expect(opened).To(MatchError(ContainSubstring(reason)))
		},
		Entry("no file", func() string { return "/nowhere/ep.so" }, "no such file"),
		Entry("a folder", func() string { return "testdata" }, "testdata"),
		Entry("no library", func() string { return "testdata/models.py" },
			"ONNX Runtime rejects the plug-in "),
		Entry("no plug-in", func() string {
			return compiled(filepath.Join("testdata", "custom_ops.c"))
		}, "symbol CreateEpFactories"),
	)

	It("is refused if it is truncated, before the loader crashes", func() {
		whole, err := os.ReadFile(idle("1"))
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(GinkgoT().TempDir(), "cut.so")
		Expect(os.WriteFile(path, whole[:len(whole)/2], 0o600)).To(Succeed())
		Expect(ort.Available(ort.PluginEP(path))).To(MatchError(ContainSubstring("cut.so")))
	})

	It("without a device is missing", func() {
		err := ort.Available(ort.PluginEP(idle("0")))
		var missing *backends.Missing
		Expect(errors.As(err, &missing)).To(BeTrue(), "%v", err)
		Expect(missing.Backend).To(Equal("ort-plugin"))
		Expect(missing.Reason).To(HaveSuffix("libplugin.so finds no device on this machine"))
	})

	It("leaves no node to the CPU unless the options say so", func(ctx SpecContext) {
		path := idle("1")
		Expect(ort.Available(ort.PluginEP(path))).To(Succeed())
		_, err := ort.Run(ctx, model("identity_float"), input, ort.PluginEP(path))
		Expect(err).To(MatchError(ContainSubstring(
			`Identity would run on the CPU; to allow that, add "cpu" as the last provider`)))
		_, err = ort.Run(ctx, model("identity_float"), input, ort.PluginEP(path), ort.Providers("cpu"))
		Expect(err).To(MatchError(ContainSubstring(
			"IdleExecutionProvider runs none of the model's nodes, which run on CPUExecutionProvider")))
		var refused *backends.Refusal
		Expect(errors.As(err, &refused)).To(BeTrue())
		Expect(refused.Reason).To(Equal(backends.NoProvider))
	})

	It("gets its options", func(ctx SpecContext) {
		_, err := ort.Run(ctx, model("identity_float"), input,
			ort.PluginEP(idle("1"), ort.PluginOption("refuse", "1")))
		Expect(err).To(MatchError(ContainSubstring("the option refuse is set")))
	})

	It("opens every session of the engine, not only the first", func(ctx SpecContext) {
		can := backends.CapabilitiesOf(ort.Engine(ort.PluginEP(idle("1")), ort.Providers("cpu")))
		_, optimised, err := can.Passes(ctx, model("two_inputs"))
		Expect(err).NotTo(HaveOccurred())
		Expect(optimised.Bytes()).NotTo(BeEmpty())
		a, b := in("a", tensor.Of[float32](1, 2)), in("b", tensor.Of[float32](5, 0.5))
		Expect(can.Reweigh(ctx, model("two_inputs"), feed(a, b), func(loaders.Constant) (*tensor.Tensor,
			error) {
			return nil, nil
		})).To(HaveLen(1))
	})

	It("cannot be named twice or without a path", func() {
		Expect(ort.Available(ort.PluginEP("a.so"), ort.PluginEP("a.so"))).To(MatchError(
			ContainSubstring("ort.PluginEP lists a.so twice")))
		Expect(ort.Available(ort.PluginEP(""))).To(MatchError(ContainSubstring("the path is empty")))
	})

	Context("of WebGPU", func() {
		webgpu := ort.PluginEP("webgpu")
		BeforeEach(func() { ort.Require(GinkgoT(), webgpu) })

		It("computes, and is in the provenance", func(ctx SpecContext) {
			a, b := in("a", tensor.Of[float32](1, 2)), in("b", tensor.Of[float32](5, 0.5))
			run, err := ort.Run(ctx, model("two_inputs"), feed(a, b), webgpu)
			Expect(err).NotTo(HaveOccurred())
			Expect(run).To(matchers.MatchOutputsWithin(0, 0, compare.Elementwise).Of(
				ort.Run(ctx, model("two_inputs"), feed(a, b))))
			Expect(run.Provenance.Provider).To(Equal("WebGpuExecutionProvider"))
			Expect(run.Provenance.Options["plugin_ep"]).To(MatchRegexp(
				`^libonnxruntime_providers_webgpu\.\w+ ` + engines.WebGPU.Version +
					` sha256 [0-9a-f]{64} on \w`))
		})

		It("runs several sessions at once without a crash", func(ctx SpecContext) {
			var group errgroup.Group
			for range 4 {
				group.Go(func() error {
					for range 8 {
						if _, err := ort.Run(ctx, model("identity_float"), input, webgpu); err != nil {
							return err
						}
					}
					return nil
				})
			}
			Expect(group.Wait()).To(Succeed())
		})

		It("does not run strings on the CPU in silence", func() {
			_, err := open(model("identity_string"), webgpu)
			Expect(err).To(MatchError(ContainSubstring("would run on the CPU")))
		})
	})
})
