package process_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// polygraphys is a script as users of Polygraphy write it.
const polygraphys = "testdata/polygraphy_script.py"

var _ = Describe("A script that was written for Polygraphy", func() {
	BeforeEach(func() { process.Require(GinkgoT(), process.Script(polygraphys)) })

	// drawn is the sets of inputs, and the error that ends them.
	drawn := func(script string) (texts []string, err error) {
		for set, wrong := range process.Inputs(script).All() {
			if err = wrong; err == nil {
				texts = append(texts, set.GomegaString())
			}
		}
		return texts, err
	}

	DescribeTable("makes inputs once, also where they are random", func(function string) {
		inputs := process.Inputs(polygraphys + ":" + function)
		var texts [3]string
		for i := range texts {
			for set, err := range inputs.All() {
				Expect(err).NotTo(HaveOccurred())
				if texts[i] += set.GomegaString() + "\n"; i == 0 {
					break // as those do who look at the shapes
				}
			}
		}
		Expect(strings.Count(texts[2], "x: ")).To(Equal(3))
		Expect(texts[1]).To(Equal(texts[2]))
		Expect(texts[2]).To(HavePrefix(texts[0]))
		Expect(texts[2]).NotTo(Equal(strings.Repeat(texts[0], 3)))
	},
		Entry("a generator", "drawn"),
		Entry("a list", "drawn_list"),
	)

	It("makes inputs, as often as it is named", func() {
		for range 2 {
			Expect(drawn(polygraphys)).To(Equal([]string{"x: float32[2] [0 0]", "x: float32[2] [1 1]",
				"x: float32[2] [2 2]"}))
		}
		Expect(drawn(polygraphys + ":several")).To(Equal(
			[]string{"x: float32[1] [1]\nn: int64[] [3]"}))
		Expect(process.Inputs(polygraphys + ":several").Origin().Text).To(Equal(
			"made by polygraphy_script.py"))
		for set, err := range process.Inputs(polygraphys).All() { // stops early
			Expect(err).NotTo(HaveOccurred())
			Expect(set.Len()).To(Equal(1))
			break
		}
	})

	It("returns dictionaries as maps, whatever other outputs are called", func(ctx SpecContext) {
		script := filepath.Join(GinkgoT().TempDir(), "net.py")
		Expect(os.WriteFile(script, []byte("import numpy as np\n\n\ndef run(inputs):\n"+
			"    return {'p': [{'cat': 0.5, 'dog': 0.25}], 'X.key': np.array([3, 1]),\n"+
			"            'X.value': np.array([0.5, 0.25])}\n"), 0o600)).To(Succeed())
		x, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1)})
		Expect(err).NotTo(HaveOccurred())
		run, err := process.Run(ctx, loaders.ONNX("../ort/testdata/identity_float.onnx"),
			fixtures.Of(x), process.Script(script))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()[0].Values()).To(HaveExactElements(HaveField("Name", "p"),
			HaveField("Name", "X.key"), HaveField("Name", "X.value")))
	})

	It("says what is wrong with its inputs", func() {
		texts, err := drawn(polygraphys + ":broken")
		Expect(texts).To(HaveLen(1))
		Expect(err).To(MatchError(ContainSubstring("polygraphy_script.py: ValueError: the file of the " +
			"second image is gone")))
		_, err = drawn(polygraphys + ":no_inputs")
		Expect(err).To(MatchError(ContainSubstring("TypeError: the script gave ndarray, not inputs")))
		_, err = drawn(polygraphys + ":absent")
		Expect(err).To(MatchError(ContainSubstring("AttributeError: the script defines no absent")))
		_, err = drawn("absent.py")
		Expect(err).To(MatchError(ContainSubstring("absent.py: the program ended before it answered")))
	})

	It("compares outputs", func(ctx SpecContext) {
		set := func(values ...float32) *tensor.Set {
			made, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(values...)})
			Expect(err).NotTo(HaveOccurred())
			return made
		}
		p, err := process.StartScript(ctx, polygraphys)
		Expect(err).NotTo(HaveOccurred())
		defer p.Close()
		Expect(p.Compare(ctx, set(1, 2), set(1, 2.25), "a", "b")).To(Equal(
			map[string]process.ScriptVerdict{"y": {Passed: true, Text: "(worst 0.25)"},
				"who": {Passed: true}}))
		Expect(p.Compare(ctx, set(1, 3), set(1, 2), "b", "a")).To(Equal(
			map[string]process.ScriptVerdict{"y": {Text: "(worst 1.0)"}, "who": {}}))
		of, err := process.StartScript(ctx, polygraphys+":Compare")
		Expect(err).NotTo(HaveOccurred())
		defer of.Close()
		Expect(of.Compare(ctx, set(1), set(5), "a", "b")).To(Equal(
			map[string]process.ScriptVerdict{"y": {Passed: true}}))
	})

	It("changes outputs", func(ctx SpecContext) {
		p, err := process.StartScript(ctx, polygraphys)
		Expect(err).NotTo(HaveOccurred())
		defer p.Close()
		outputs, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of[float32](1, 7, 3)})
		Expect(err).NotTo(HaveOccurred())
		changed, err := p.PostProcess(ctx, backends.NewRun(backends.Provenance{},
			backends.Iteration{Outputs: outputs}), "a")
		Expect(err).NotTo(HaveOccurred())
		Expect(changed.Outputs()[0].GomegaString()).To(Equal("y: int64[] [1]"))
	})
})

// examplesVariable names a folder with Polygraphy's own examples (tools/Polygraphy/examples/cli of
// NVIDIA/TensorRT), which are not copied here.
const examplesVariable = "MODELPARITY_POLYGRAPHY_EXAMPLES"

var _ = Describe("Polygraphy's own examples", func() {
	// scripts of that name; the spec is skipped where the folder is not named.
	scripts := func(name string) (found []string) {
		GinkgoHelper()
		folder := os.Getenv(examplesVariable)
		if folder == "" {
			Skip("make engines runs this one where " + examplesVariable + " names their folder")
		}
		Expect(filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Base(path) == name {
				found = append(found, path)
			}
			return err
		})).To(Succeed())
		Expect(found).NotTo(BeEmpty())
		return found
	}

	It("of data loaders run unchanged", func() {
		process.Require(GinkgoT(), process.Script(polygraphys))
		for _, script := range scripts("data_loader.py") {
			GinkgoT().Chdir(GinkgoT().TempDir())
			sets := 0
			for set, err := range process.Inputs(script).All() {
				Expect(err).NotTo(HaveOccurred(), script)
				x, ok := set.Get("x")
				Expect(ok).To(BeTrue())
				Expect(x.ElementType()).To(Equal(tensor.Float32))
				Expect(x.Float64At(x.Len() - 1)).To(Equal(1.0))
				sets++
			}
			Expect(sets).To(Equal(5), script)
		}
	})

	It("for others' data run unchanged, and their results are read", func(ctx SpecContext) {
		process.Require(GinkgoT(), process.Script(polygraphys))
		for _, script := range scripts("generate_data.py") {
			command := exec.CommandContext(ctx, os.Getenv(process.PythonVariable), script)
			command.Dir = GinkgoT().TempDir()
			out, err := command.CombinedOutput()
			Expect(err).NotTo(HaveOccurred(), string(out))
			for set, err := range fixtures.Load(filepath.Join(command.Dir, "custom_inputs.json")).All() {
				Expect(err).NotTo(HaveOccurred())
				Expect(set.String()).To(Equal("{x: float32[1,1,2,2]}"))
			}
			saved, err := runs.ReadAll(context.Background(),
				[]string{filepath.Join(command.Dir, "custom_outputs.json")})
			Expect(err).NotTo(HaveOccurred())
			Expect(saved).To(HaveLen(1))
			Expect(saved[0].Run.Outputs()[0].String()).To(Equal("{y: float32[1,1,2,2]}"))
		}
	})
})
