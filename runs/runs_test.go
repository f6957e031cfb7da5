package runs_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

const multi = "../golden/testdata/polygraphy/multi_output/outputs.json"

func readAll(path string) []runs.Named {
	GinkgoHelper()
	all, err := runs.ReadRuns(context.Background(), path)
	Expect(err).NotTo(HaveOccurred())
	return all
}

// text is a run in one line per iteration.
func text(run *backends.Run) string {
	var lines []string
	for _, set := range run.Outputs() {
		lines = append(lines, strings.ReplaceAll(set.GomegaString(), "\n", "; "))
	}
	return strings.Join(lines, "\n")
}

var _ = Describe("Saved runs", func() {
	It("of Polygraphy's are read, runner by runner", func() {
		all := readAll(multi)
		Expect(all).To(HaveLen(2))
		for i, named := range all {
			Expect(named.Name).To(MatchRegexp(`^onnxrt-runner-N%d-11/20/26-`, i))
			Expect(named.Run.Provenance.Backend).To(Equal(named.Name))
			Expect(named.Run.Iterations()).To(HaveLen(2))
			Expect(named.Run.Iterations()[0].Runtime).To(BeNumerically(">", 0))
		}
		Expect(text(all[0].Run)).To(Equal(text(all[1].Run)))
	})

	It("give back what Polygraphy saved, from each of its models", func() {
		for _, model := range []string{"fp32_gemm", "multi_output", "nan_inf", "scalar_mul"} {
			all := readAll("../golden/testdata/polygraphy/" + model + "/outputs.json")
			path := temporary("again.json")
			Expect(runs.WriteRuns(path, all)).To(Succeed())
			again := readAll(path)
			Expect(again).To(HaveLen(len(all)))
			for i := range all {
				Expect(again[i].Name).To(Equal(all[i].Name))
				Expect(text(again[i].Run)).To(Equal(text(all[i].Run)))
				Expect(again[i].Run.Iterations()[1].Runtime).To(Equal(all[i].Run.Iterations()[1].Runtime))
			}
		}
	})

	It("may be saved inputs", func() {
		all := readAll("../golden/testdata/polygraphy/fp32_gemm/inputs.json")
		Expect(all).To(HaveLen(1))
		Expect(all[0].Name).To(Equal("inputs"))
		Expect(all[0].Run.Iterations()).To(HaveLen(2))
		Expect(all[0].Run.Iterations()[0].Outputs.Names()).To(Equal([]string{"X"}))
	})

	It("keep every element type, NaN and the run times", func() {
		path := temporary("runs.json")
		first, second := runOf(every()), runOf(every(), set("other", tensor.Of[int8](1)))
		second.Iterations()[1].Runtime = -1
		Expect(runs.WriteRuns(path, []runs.Named{
			{Name: "same name", Run: first}, {Name: "same name", Run: second}})).To(Succeed())
		all := readAll(path)
		Expect(all).To(HaveLen(2))
		Expect(text(all[1].Run)).To(Equal(text(second)))
		Expect(all[0].Run.Iterations()[0].Runtime).To(Equal(first.Iterations()[0].Runtime))
		Expect(all[1].Run.Iterations()[1].Runtime).To(BeNumerically("<", 0))
		Expect(all[1].Run.Provenance).To(Equal(second.Provenance))
	})

	It("may be a folder, whose files are joined by runner", func() {
		folder := temporary("run")
		all := readAll(multi)
		Expect(runs.WriteRuns(folder, all)).To(Succeed())
		Expect(filepath.Glob(folder + "/*")).To(HaveLen(2))
		again := readAll(folder)
		Expect(again).To(HaveLen(2))
		Expect(text(again[0].Run)).To(Equal(text(all[0].Run)))
		Expect(runs.WriteRuns(folder, all)).To(MatchError(ContainSubstring("the folder is not empty")))
		uneven := []runs.Named{all[0], {Name: "short", Run: runOf(every())}}
		Expect(runs.WriteRuns(temporary("uneven"), uneven)).To(
			MatchError(ContainSubstring(`has 2 iterations, but run "short" has 1`)))
	})

	It("in a folder keep two runners of one name apart", func() {
		folder := temporary("run")
		a := runOf(must("x", tensor.Of[int8](1)), must("x", tensor.Of[int8](2)))
		b := runOf(must("x", tensor.Of[int8](3)), must("x", tensor.Of[int8](4)))
		both := []runs.Named{{Name: "r", Run: a}, {Name: "r", Run: b}}
		Expect(runs.WriteRuns(folder, both)).To(Succeed())
		again := readAll(folder)
		Expect(again).To(HaveLen(2))
		Expect(text(again[0].Run)).To(Equal(text(a)))
		Expect(text(again[1].Run)).To(Equal(text(b)))
	})

	DescribeTable("of one iteration have other formats", func(
		extension string, unnamed bool, name string,
	) {
		path := temporary("logits" + extension)
		run := runOf(must("y", tensor.Of[float32](1, 2)))
		Expect(runs.WriteRuns(path, []runs.Named{{Name: "r", Run: run}})).To(Succeed())
		all := readAll(path)
		Expect(all).To(HaveLen(1))
		Expect(all[0].Unnamed).To(Equal(unnamed))
		Expect(text(all[0].Run)).To(Equal(name + ": float32[2] [1 2]"))
		named, err := all[0].NamedLike(run)
		Expect(err).NotTo(HaveOccurred())
		Expect(text(named.Run)).To(Equal("y: float32[2] [1 2]"))
	},
		Entry("npz", ".npz", false, "y"),
		Entry("npy", ".npy", true, "logits"),
		Entry("TensorProto", ".pb", false, "y"),
		Entry("safetensors", ".safetensors", false, "y"),
	)

	It("without names are not matched by guess", func() {
		path := temporary("logits.npy")
		run := runOf(must("y", tensor.Of[float32](1, 2)))
		Expect(runs.WriteRuns(path, []runs.Named{{Name: "r", Run: run}})).To(Succeed())
		_, err := readAll(path)[0].NamedLike(runOf(every()))
		Expect(err).To(MatchError(ContainSubstring("1 unnamed outputs")))
		_, err = readAll(path)[0].NamedLike(&backends.Run{})
		Expect(err).To(MatchError(ContainSubstring("cannot be matched")))
	})

	DescribeTable("are not written where they cannot be", func(
		path string, all []runs.Named, want string,
	) {
		Expect(runs.WriteRuns(filepath.Join(GinkgoT().TempDir(), path), all)).To(
			MatchError(ContainSubstring(want)))
	},
		Entry("nothing", "x.json", nil, "no run to save"),
		Entry("an empty run", "x.json", []runs.Named{{Name: "r", Run: &backends.Run{}}},
			`run "r": the run has no iterations`),
		Entry("two runs in an archive", "x.npz", make2(), ".npz can store only one iteration of one run"),
		Entry("no format", "x.txt", make2()[:1], `unknown extension ".txt"`),
		Entry("no folder", "none/x.json", make2(), "does not exist"),
	)
})

func make2() []runs.Named {
	run := backends.NewRun(backends.Provenance{},
		backends.Iteration{Outputs: must("x", tensor.Of[int8](1))})
	return []runs.Named{{Name: "a", Run: run}, {Name: "b", Run: run}}
}

var _ = Describe("Picking out of a file", func() {
	var path string
	BeforeEach(func() {
		path = temporary("runs.json")
		var all []runs.Named
		for i, name := range []string{"a", "b/1", "a", "5"} {
			all = append(all, runs.Named{Name: name, Run: runOf(
				must("x", tensor.Of(int8(i), 0)), must("x", tensor.Of(int8(i), 1)))})
		}
		Expect(runs.WriteRuns(path, all)).To(Succeed())
	})

	DescribeTable("one run or iteration", func(selection, want, problem string) {
		all, err := runs.ReadRuns(context.Background(), path+selection)
		if problem != "" {
			Expect(err).To(MatchError(ContainSubstring(problem)))
			return
		}
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(HaveLen(1))
		Expect(strings.ReplaceAll(text(all[0].Run), "x: int8[2] ", "")).To(Equal(want))
	},
		Entry("by index", "#1", "[1 0]\n[1 1]", ""),
		Entry("from the end", "#-2", "[2 0]\n[2 1]", ""),
		Entry("by name", "#b/1", "[1 0]\n[1 1]", ""),
		Entry("a name before an index", "#5", "[3 0]\n[3 1]", ""),
		Entry("an iteration", "#2/1", "[2 1]", ""),
		Entry("an iteration of a name with a slash", "#b/1/0", "[1 0]", ""),
		Entry("the last iteration", "#0/-1", "[0 1]", ""),
		Entry("a name that is not unique", "#a", "",
			`2 runs are named "a": select one by its index, from [0 2]`),
		Entry("a name that is not there", "#c", "",
			`no run is named "c"; the runs are "a", "b/1", "a", "5"`),
		Entry("an index that is not there", "#4", "", "no run 4: the file has 4, counted from 0"),
		Entry("an iteration that is not there", "#0/2", "",
			"no iteration 2: the file has 2, counted from 0"),
	)

	It("leaves a file alone that has # in its name", func() {
		odd := temporary("run#1.json")
		Expect(os.WriteFile(odd, []byte(contents(multi)), 0o600)).To(Succeed())
		Expect(readAll(odd)).To(HaveLen(2))
		Expect(readAll(odd + "#1/0")[0].Run.Iterations()).To(HaveLen(1))
	})

	It("names the file that is missing", func() {
		_, err := runs.ReadRuns(context.Background(), "absent.json#1")
		Expect(err).To(MatchError("absent.json: no such file or directory"))
	})

	It("names a damaged file once, in each format", func() {
		for _, name := range []string{"x.npz", "x.npy", "x.pb", "x.safetensors", "x.json"} {
			path := temporary(name)
			Expect(os.WriteFile(path, []byte("\xff"), 0o600)).To(Succeed())
			_, err := runs.ReadRuns(context.Background(), path)
			Expect(err).To(HaveOccurred())
			Expect(strings.Count(err.Error(), path)).To(Equal(1), err.Error())
		}
	})
})

var _ = DescribeTable("A file of runs that is not one", func(content, want string) {
	path := temporary("x.json")
	Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	_, err := runs.ReadRuns(context.Background(), path)
	Expect(err).To(MatchError(ContainSubstring(want)))
	Expect(err).To(MatchError(ContainSubstring(path)))
},
	Entry("empty", "", "byte 0: the document ends too early"),
	Entry("another class", `{"lst": [], "polygraphy_class": "AccuracyResults"}`,
		`an object has the class "AccuracyResults", expected RunResults`),
	Entry("no runs", `{"lst": [], "polygraphy_class": "RunResults"}`, "the file has no runs"),
	Entry("a runner alone", `{"lst": [["r"]]}`,
		"runner 0: byte 14: a runner must be [name, [iteration, …]], but elements are missing"),
	Entry("an iteration without outputs", `{"lst": [["r", [{"runtime": 1}]]]}`,
		`runner 0: iteration 0: byte 30: an iteration without "outputs"`),
	Entry("an output twice",
		`{"lst": [["r", [{"outputs": {"x": {"array": "`+scalar+`"}, "x": {}}}]]]}`,
		`duplicate tensor "x"`),
	Entry("raw bytes without a head", `{"lst": [["r", [{"outputs": {"x": {"array": "`+
		rawScalar+`"}}}]]]}`, `byte 33: tensor "x": npy: byte 0: the file holds raw bytes (<V2)`),
	Entry("a PyTorch tensor", `[{"x": {"tensor": "AAAA", "polygraphy_class": "Tensor"}}]`,
		`tensor "x": byte 17: a PyTorch tensor`),
)

// rawScalar is two raw elements of two bytes each.
var rawScalar = func() string {
	data, err := base64.StdEncoding.DecodeString(scalar)
	if err != nil {
		panic(err)
	}
	text := strings.Replace(strings.Replace(string(data), "<f4", "<V2", 1), "(), }", "(2,)}", 1)
	return base64.StdEncoding.EncodeToString([]byte(text))
}()

// scalar is a 0-d float32 as Polygraphy saves it.
var scalar = func() string {
	var inputs []map[string]struct{ Array string }
	data, err := os.ReadFile("../golden/testdata/polygraphy/scalar_mul/inputs.json")
	if err == nil {
		err = json.Unmarshal(data, &inputs)
	}
	if err != nil {
		panic(err)
	}
	return inputs[0]["X"].Array
}()
