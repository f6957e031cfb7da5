package ort_test

import (
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// compiled is a shared library of a file of C, as the C compiler that built this test makes it.
func compiled(source string, flags ...string) string {
	GinkgoHelper()
	compiler, err := exec.Command("go", "env", "CC").Output()
	Expect(err).NotTo(HaveOccurred())
	library := filepath.Join(GinkgoT().TempDir(), "lib"+
		strings.TrimSuffix(filepath.Base(source), ".c")+".so")
	command := append(strings.Fields(string(compiler)), "-shared", "-fPIC", "-o", library, source)
	command = append(command, flags...)
	output, err := exec.Command(command[0], command[1:]...).CombinedOutput() //nolint:gosec // a test
	Expect(err).NotTo(HaveOccurred(), string(output))
	return library
}

// doubled is a model of doubling:Double and a Neg behind it.
func doubled() *loaders.Model {
	value := func(name string) onnxtest.Value {
		return onnxtest.Value{Name: name, Elem: 1, Dims: []any{"n"}}
	}
	return loaders.ONNXBytes("doubled.onnx", onnxtest.Model{
		Opsets: map[string]int64{"": 19, "doubling": 1},
		Graph: onnxtest.Graph{
			Inputs: []onnxtest.Value{value("x")}, Outputs: []onnxtest.Value{value("y")},
			Nodes: []onnxtest.Node{
				{Op: "Double", Domain: "doubling", Name: "double", In: []string{"x"}, Out: []string{"twice"}},
				{Op: "Neg", Name: "neg", In: []string{"twice"}, Out: []string{"y"}},
			}}}.Bytes())
}

var _ = Describe("Custom operators", func() {
	library := func() string {
		GinkgoHelper()
		return compiled(filepath.Join("testdata", "custom_ops.c"))
	}
	input := func() fixtures.Inputs { return x(tensor.Of[float32](1, -2, 3)) }

	It("of a library compute, in as many sessions as are opened", func(ctx SpecContext) {
		path := library()
		for range 3 {
			run, err := ort.Run(ctx, doubled(), input(), ort.CustomOps(path))
			Expect(err).NotTo(HaveOccurred())
			Expect(values(run.Outputs()[0])).To(ConsistOf("y: float32[3] [-2 4 -6]"))
			Expect(run.Provenance.Options["custom_ops"]).To(
				MatchRegexp(`^libcustom_ops\.so sha256 [0-9a-f]{64}$`))
		}
	})

	It("are found by a path relative to the test's folder", func(ctx SpecContext) {
		here, err := os.Getwd()
		Expect(err).NotTo(HaveOccurred())
		path, err := filepath.Rel(here, library())
		Expect(err).NotTo(HaveOccurred())
		run, err := ort.Run(ctx, doubled(), input(), ort.CustomOps(path))
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Outputs()).To(HaveLen(1))
	})

	It("are part of the engine's text and Go", func() {
		both := ort.Engine(ort.CustomOps("b.so", "a.so"))
		Expect(both.GoString()).To(Equal(`ort.Engine(ort.CustomOps("b.so"), ort.CustomOps("a.so"))`))
		Expect(both.Text()).To(Equal(`ort {"custom_ops":["b.so","a.so"]}`))
		Expect(both).To(Equal(ort.Engine(ort.CustomOps("b.so"), ort.CustomOps("a.so", "b.so"))))
		Expect(both).NotTo(Equal(ort.Engine(ort.CustomOps("a.so", "b.so"))), "they load in their order")
		Expect(ort.Engine()).NotTo(Equal(ort.Engine(ort.CustomOps("a.so"))))
	})

	It("that are missing are named with the remedy", func(ctx SpecContext) {
		_, err := ort.Run(ctx, doubled(), input())
		Expect(err).To(MatchError(ContainSubstring("operator doubling:Double is unknown; if it is a " +
			"custom operator, pass its library with ort.CustomOps")))
	})

	DescribeTable("refuse a file that is not a library of operators with one located error",
		func(ctx SpecContext, write func(path string), expected string) {
			path := filepath.Join(GinkgoT().TempDir(), "ops.so")
			write(path)
			_, err := ort.Run(ctx, doubled(), input(), ort.CustomOps(path))
			Expect(err).To(MatchError(And(HavePrefix("onnxruntime"), ContainSubstring(expected),
				ContainSubstring("ops.so"), Not(ContainSubstring("\n")))))
		},
		Entry("a missing file", func(string) {}, "no such file"),
		Entry("a folder", func(path string) {
			Expect(os.Mkdir(path, 0o700)).To(Succeed())
		}, "is not a regular file"),
		Entry("a text", func(path string) {
			Expect(os.WriteFile(path, []byte("not a library\n"), 0o600)).To(Succeed())
		}, "Failed to load library"),
		Entry("a library without the entry point", func(path string) {
			source := filepath.Join(GinkgoT().TempDir(), "none.c")
			Expect(os.WriteFile(source, []byte("int nothing;\n"), 0o600)).To(Succeed())
			Expect(os.Rename(compiled(source), path)).To(Succeed())
		}, "symbol RegisterCustomOps"),
		Entry("a library that is cut short", func(path string) {
			if runtime.GOOS != "linux" {
				Skip("only Linux's libraries are looked at before they are loaded")
			}
			whole, err := os.ReadFile(library())
			Expect(err).NotTo(HaveOccurred())
			Expect(os.WriteFile(path, whole[:len(whole)/2], 0o600)).To(Succeed())
		}, "is damaged"),
	)

	It("with an empty path are refused", func(ctx SpecContext) {
		_, err := ort.Run(ctx, doubled(), input(), ort.CustomOps(""))
		Expect(err).To(MatchError(ContainSubstring(`ort.CustomOps(""): the path is empty`)))
	})

	It("that two libraries have are refused", func(ctx SpecContext) {
		_, err := ort.Run(ctx, doubled(), input(), ort.CustomOps(library(), library()))
		Expect(err).To(MatchError(And(HavePrefix("onnxruntime"), Not(ContainSubstring("\n")))))
	})
})

var _ = Describe("The log", func() {
	It("goes to the writer, from its severity on", func(ctx SpecContext) {
		verbose, warnings := gbytes.NewBuffer(), gbytes.NewBuffer()
		one := x(tensor.Of[float32](1))
		for range 2 {
			_, err := ort.Run(ctx, model("identity_float"), one, ort.Log(verbose, slog.LevelDebug))
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(verbose).To(gbytes.Say(`(?m)^\[ONNX Runtime (verbose|info)\] .+$`))
		_, err := ort.Run(ctx, model("identity_float"), one, ort.Log(warnings, slog.LevelWarn))
		Expect(err).NotTo(HaveOccurred())
		Expect(warnings.Contents()).To(BeEmpty())
	})

	It("has a writer", func(ctx SpecContext) {
		_, err := open(model("identity_float"), ort.Log(nil, slog.LevelInfo))
		Expect(err).To(MatchError(ContainSubstring("the writer is nil; pass GinkgoWriter")))
	})

	It("goes on where the model is refused", func() {
		buffer := gbytes.NewBuffer()
		_, err := open(model("unknown_domain"), ort.Log(buffer, slog.LevelDebug))
		Expect(err).To(MatchError(ContainSubstring("Frobnicate is unknown")))
		_, err = open(model("identity_float"), ort.Log(buffer, slog.LevelInfo))
		Expect(err).NotTo(HaveOccurred())
	})
})
