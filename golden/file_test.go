package golden_test

import (
	"context"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// every is one tensor of each element type, with 0-d, empty and odd-sized ones among them.
func every() *tensor.Set {
	var entries []any
	for _, elem := range tensor.ElementTypes() {
		if elem == tensor.String {
			continue
		}
		data := make([]byte, elem.Bytes(3))
		for i := range data {
			data[i] = byte(i & 1)
		}
		t, err := tensor.FromBytes(elem, tensor.Shape{3}, data)
		Expect(err).NotTo(HaveOccurred())
		entries = append(entries, elem.String(), t)
	}
	text, err := tensor.FromStrings(tensor.Shape{2, 1}, []string{"é<日", ""})
	Expect(err).NotTo(HaveOccurred())
	none, err := tensor.New(tensor.Shape{0, 4}, []float32{})
	Expect(err).NotTo(HaveOccurred())
	return set(append(entries, "tëxt", text, "none", none, "scalar", tensor.Scalar(2.5))...)
}

var _ = Describe("A golden file", func() {
	It("gives back the run, of every element type", func() {
		path := temporary("all.json")
		written := runOf(every(), every())
		Expect(golden.Write(path, written, golden.Options{})).To(Succeed())
		read, err := golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Provenance).To(Equal(written.Provenance))
		Expect(read.Iterations()).To(HaveLen(2))
		Expect(read.Iterations()[1].Runtime).To(BeNumerically("<", 0), "a golden file has no run time")
		got := read.Iterations()[1].Outputs
		Expect(got.Names()).To(Equal(every().Names()))
		for name, t := range every().All() {
			same, _ := got.Get(name)
			Expect(same.String()).To(Equal(t.String()))
			Expect(string(same.Bytes())).To(Equal(string(t.Bytes())))
			Expect(same.Strings()).To(Equal(t.Strings()))
		}
	})

	It("has the same bytes for the same run, in text that reviews well", func() {
		first, second := temporary("digits.json"), temporary("digits.json")
		run := runOf(set("logits", tensor.Of[float32](1, -2.5, 0.1), "labels", tensor.Of[int64](7)))
		Expect(golden.Write(first, run, golden.Options{})).To(Succeed())
		run.Iterations()[0].Runtime = 5 // seconds differ from day to day
		Expect(golden.Write(second, run, golden.Options{})).To(Succeed())
		Expect(contents(first)).To(Equal(contents(second)))
		Expect(contents(first)).To(Equal(contents("testdata/digits.json")))
	})

	It("of format 1, whose head has no checksum, does not vouch, and an update replaces it", func() {
		path := temporary("digits.json")
		Expect(os.WriteFile(path, []byte(contents("testdata/format1.json")), 0o600)).To(Succeed())
		_, err := golden.Read(context.Background(), path)
		Expect(err).To(MatchError(ContainSubstring("format 1: the file was edited by hand")))
		Expect(goldentree.Look(context.Background(), path).Problem).To(ContainSubstring("format 1"))

		asked("1")
		run, err := golden.Read(context.Background(), "testdata/digits.json")
		Expect(err).NotTo(HaveOccurred())
		Expect(golden.Update(path, run, golden.Options{Judge: passes})).
			To(HaveField("Kind", golden.Rewritten))
		Expect(contents(path)).To(Equal(contents("testdata/digits.json")))
	})

	It("is not touched when nothing changes", func() {
		path := temporary("digits.json")
		run := runOf(set("x", tensor.Of[float32](1)))
		Expect(golden.Write(path, run, golden.Options{})).To(Succeed())
		before, err := os.Stat(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(golden.Write(path, run, golden.Options{})).To(Succeed())
		after, err := os.Stat(path)
		Expect(err).NotTo(HaveOccurred())
		Expect(os.SameFile(before, after)).To(BeTrue())
	})

	DescribeTable("is never written from", func(run *backends.Run, want string) {
		path := temporary("x.json")
		Expect(golden.Write(path, run, golden.Options{})).To(MatchError(ContainSubstring(want)))
		Expect(path).NotTo(BeAnExistingFile())
	},
		Entry("no run", nil, "the run has no iterations"),
		Entry("an empty run", &backends.Run{}, "the run has no iterations"),
		Entry("an iteration without outputs",
			backends.NewRun(backends.Provenance{}, backends.Iteration{}),
			"iteration 0 of the run has no outputs"),
		Entry("NaN", backends.NewRun(backends.Provenance{}, backends.Iteration{
			Outputs: must("y", tensor.Of(1, math.NaN()))}), `iteration 0, output "y" has 1 NaN at [1]`),
		Entry("an infinity", backends.NewRun(backends.Provenance{}, backends.Iteration{
			Outputs: must("y", tensor.Scalar(float32(math.Inf(-1))))}), `output "y" has 1 -Inf at []`),
	)

	It("holds NaN and infinities where they are allowed, payload and all", func() {
		path := temporary("x.json")
		odd := math.Float32frombits(0x7fc12345)
		run := runOf(set("y", tensor.Of(odd, float32(math.Inf(1)), 2)))
		Expect(golden.Write(path, run, golden.Options{AllowNonFinite: true})).To(Succeed())
		Expect(contents(path)).To(ContainSubstring(
			`"min":2,"max":2,"mean":2,"nan":1,"inf":1,"values":["NaN","Infinity",2]`))
		read, err := golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(read.Iterations()[0].Outputs.At(0).Tensor.Bytes()[:4]).To(Equal(
			[]byte{0x45, 0x23, 0xc1, 0x7f}))
	})

	It("that is missing is an error that says so", func() {
		_, err := golden.Read(context.Background(), "testdata/golden/absent.json")
		Expect(err).To(MatchError(fs.ErrNotExist))
		Expect(err).To(MatchError(ContainSubstring("testdata/golden/absent.json")))
	})

	It("keeps to its folder's rights", func() {
		if os.Geteuid() == 0 {
			// Root writes everywhere; a file instead of the folder stops it as well.
			blocked := temporary("blocked")
			Expect(os.WriteFile(blocked, nil, 0o600)).To(Succeed())
			err := golden.Write(filepath.Join(blocked, "x.json"), runOf(every()), golden.Options{})
			Expect(err).To(MatchError(ContainSubstring("not a directory")))
			return
		}
		folder := GinkgoT().TempDir()
		Expect(os.Chmod(folder, 0o555)).To(Succeed())
		err := golden.Write(filepath.Join(folder, "x.json"), runOf(every()), golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("cannot be written to")))
	})
})

func must(name string, t *tensor.Tensor) *tensor.Set {
	s, err := tensor.NewSet(tensor.Entry{Name: name, Tensor: t})
	if err != nil {
		panic(err)
	}
	return s
}

// The checksums in testdata/digits.json: of an output, and of the head itself.
const (
	logitsSum = "2f9cc761bc2594fa578868daeedc59b0fc115513fae3e5dc09c4e86e50b8aaf6"
	headSum   = "6b5547eae980a5eb777654f3547c4d0e80a0195c8be1e1ce0520eda0c3f948b8"
)

var _ = Describe("A golden file that was changed by hand", func() {
	DescribeTable("is an error that says what", func(old, replacement, want string) {
		text := contents("testdata/digits.json")
		Expect(strings.Count(text, old)).To(BeNumerically(">", 0), old)
		path := temporary("digits.json")
		text = strings.Replace(text, old, replacement, 1)
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		_, err := golden.Read(context.Background(), path)
		Expect(err).To(MatchError(ContainSubstring(want)))
		Expect(err).To(MatchError(ContainSubstring("digits.json")))
	},
		Entry("a bit of the data", "AIA/AAAgwM", "AIA/AAAhwM", `output "logits": the data's sha256`),
		Entry("a value", `"values":[1,`, `"values":[2,`,
			`output "logits": the file header says that values is [2,-2.5,0.1], but by the data it is [1,`),
		Entry("a statistic", `"min":-2.5`, `"min":-2`,
			`output "logits": the file header says that min is -2, but by the data it is -2.5: the file `+
				"header was edited by hand"),
		Entry("a statistic, away", `"min":-2.5,`, "",
			`output "logits": the file header says that min is null, but by the data it is -2.5`),
		Entry("a shape", `"shape":[3]`, `"shape":[3,1]`,
			`output "logits": the file header says float32[3,1]`),
		Entry("a type", `"type":"float32"`, `"type":"int32"`, `tensor "logits"`),
		Entry("a name", `"name":"labels"`, `"name":"label"`,
			`output 1: the file header calls it "label", the data "labels"`),
		Entry("an output's key", `"name":"logits"`, `"nombre":"logits"`,
			"/runs/0/iterations/0/0/nombre is misspelled"),
		Entry("a key", `"mean"`, `"average"`, "/runs/0/iterations/0/0/average is misspelled"),
		Entry("the format's version", `"format": 2`, `"format": 9`, "reads up to 2: update modelparity"),
		Entry("the format's version, away", "\"format\": 2,\n", "", "format 0: the file was edited"),
		Entry("the format's version, back", `"format": 2`, `"format": 1`,
			"format 1: the file was edited"),
		Entry("the kind", `"kind": "golden"`, `"kind": "run"`, "is a saved run"),
		Entry("who made it", `"version": "1.31.1"`, `"version": "1.31.2"`,
			"the file header (JSON key \"modelparity\") has the sha256 "),
		Entry("what it was made of, away", "\"model_sha256\": \"ab12\",", "",
			"the file header (JSON key \"modelparity\") has the sha256"),
		Entry("a checksum, empty", `"sha256":"`+logitsSum, `"sha256":"`,
			"/sha256 is misspelled, empty or null"),
		Entry("a checksum, null", `"sha256":"`+logitsSum+`"`, `"sha256":null`, "/sha256 is misspelled"),
		Entry("a checksum, away", `,"sha256":"`+logitsSum+`"`, ``,
			`output "logits": the file header lacks its sha256`),
		Entry("a checksum, renamed", `"sha256":"`+logitsSum, `"sha-256":"`+logitsSum,
			"/runs/0/iterations/0/0/sha-256 is misspelled"),
		Entry("a checksum, in capitals", `"sha256":"`+logitsSum, `"SHA256":"`+logitsSum,
			"/runs/0/iterations/0/0/SHA256 is misspelled"),
		Entry("a checksum, doubled", `"sha256":"`+logitsSum, `"sha256":"","sha256":"`+logitsSum,
			"/runs/0/iterations/0/0/sha256 occurs twice"),
		Entry("a checksum, wrong", `"sha256":"`+logitsSum, `"sha256":"ff`+logitsSum[2:],
			`output "logits": the data's sha256`),
		Entry("the head's checksum, empty", `"sha256": "`+headSum, `"sha256": "`,
			"/sha256 is misspelled"),
		Entry("the head's checksum, null", `"sha256": "`+headSum+`"`, `"sha256": null`, "misspelled"),
		Entry("the head's checksum, away", ",\n  \"sha256\": \""+headSum+`"`, "",
			`but its field "sha256" is ""`),
		Entry("the head's checksum, doubled", `"sha256": "`+headSum+`"`,
			`"sha256": "0", "sha256": "`+headSum+`"`, "twice"),
		Entry("the head's key", `"modelparity":`, `"modelparityy":`, "has no modelparity file header"),
		Entry("the head's key, in capitals", `"modelparity":`, `"Modelparity":`,
			"has no modelparity file header"),
		Entry("the head, empty", `"modelparity": {`, `"modelparity": {}, "old": {`, "format 0"),
		Entry("the head, null", `"modelparity": {`, `"modelparity": null, "old": {`, "format 0"),
		Entry("the head, doubled", `"modelparity": {`, `"modelparity": {}, "modelparity": {`,
			`duplicate key "modelparity"`),
		Entry("an output of the data", `"logits": {"values"`, `"logit": {"values"`,
			`the file header calls it "logits", the data "logit"`),
		Entry("an output, null", `{"name":"labels"`, `null, {"name":"labels"`, "describes 3 outputs"),
		Entry("the runs, null", `"runs": [`, `"runs": null, "old": [`, "/old is misspelled"),
		Entry("a need", `"kind": "golden",`, `"kind": "golden", "needs": ["sidecar"],`,
			`the file header lists the features ["sidecar"], but its outputs need []`),
		Entry("a need to come", `"kind": "golden",`, `"kind": "golden", "needs": ["index"],`,
			`the file needs ["index"]`),
		Entry("a note", `"values":[1,`, `"notes":{"blocks":{}},"values":[1,`,
			"the file header (JSON key \"modelparity\") has the sha256"),
		Entry("an iteration", `"iterations": [`, `"iterations": [[],`, "with 2 iterations"),
		Entry("its end", "\"polygraphy_class\": \"RunResults\"\n}", "", "ends too early"),
		Entry("base64", "AIA/AAAgwM", "AIA/!AAgwM", "not base64"),
		Entry("JSON", `"lst": [`, `"lst": [,`, "byte"),
	)

	It("without a head, as others write it, is refused, and stays as it is", func() {
		text := contents("testdata/digits.json")
		path := temporary("digits.json")
		_, data, found := strings.Cut(text, "\"lst\":")
		Expect(found).To(BeTrue())
		Expect(os.WriteFile(path, []byte("{\"lst\":"+data), 0o600)).To(Succeed())
		_, err := golden.Read(context.Background(), path)
		Expect(err).To(MatchError(HaveSuffix("it has no modelparity file header; to compare with it, " +
			"use OfFile in the spec; to write a golden file instead, delete it")))
		Expect(runs.ReadRuns(context.Background(), path)).To(HaveLen(1))
		asked("1")
		_, err = golden.Update(path, runOf(every()), golden.Options{})
		Expect(goldentree.IsProtected(err)).To(BeTrue())
		Expect(contents(path)).To(Equal("{\"lst\":" + data))
	})

	It("by a later modelparity stays as it is", func() {
		path := temporary("digits.json")
		text := strings.Replace(contents("testdata/digits.json"), `"format": 2`, `"format": 3`, 1)
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		asked("1")
		_, err := golden.Update(path, runOf(every()), golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("update modelparity")))
		Expect(contents(path)).To(Equal(text))
	})

	It("is the same file where only white space and the spelling of characters changed", func() {
		path := temporary("digits.json")
		words, err := tensor.FromStrings([]int{2}, []string{"ü", "ok"})
		Expect(err).NotTo(HaveOccurred())
		run := runOf(must("é", words))
		Expect(golden.Write(path, run, golden.Options{})).To(Succeed())
		text := contents(path)
		Expect(text).To(ContainSubstring(`"\u00e9"`))
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\u00e9`, "é"), "\n      ", "\n\t")
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		_, err = golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
	})

	It("with several runs is refused", func() {
		_, err := golden.Read(context.Background(), "testdata/polygraphy/fp32_gemm/outputs.json")
		Expect(err).To(MatchError(ContainSubstring("it contains 2 runs; to compare with it, use OfFile")))
	})
})

var _ = DescribeTable("The path of a golden file", func(name, want, problem string) {
	path, err := goldentree.Path(name)
	if problem != "" {
		Expect(err).To(MatchError(ContainSubstring(problem)))
		return
	}
	Expect(err).NotTo(HaveOccurred())
	Expect(filepath.ToSlash(path)).To(Equal(want))
},
	Entry("plain", "digits", "testdata/golden/digits.json", ""),
	Entry("in a folder", "fp16/digits.v2", "testdata/golden/fp16/digits.v2.json", ""),
	Entry("in another script, with spaces", "Größe 漢字/ディープ", "testdata/golden/Größe 漢字/ディープ.json", ""),
	Entry("like a device, but longer", "console/com10", "testdata/golden/console/com10.json", ""),
	Entry("empty", "", "", "does not name a file"),
	Entry("a folder alone", "a/", "", "does not name a file"),
	Entry("a device", "con", "", `contains "con", which is a device on Windows`),
	Entry("a device in capitals, with an extension", "x/NUL.v2", "", "device"),
	Entry("a device for a folder", "aux/x", "", "device"),
	Entry("a numbered device", "lpt9", "", "device"),
	Entry("a numbered device, in disguise", "COM².x", "", "device"),
	Entry("a dot at its end", "a.", "", "drops trailing dots and"),
	Entry("a folder with a space at its end", "a /b", "", "leading or trailing spaces"),
	Entry("a hidden file", ".usage/default", "", "hidden file"),
	Entry("invalid UTF-8", "a\xffb", "", "is not valid UTF-8"),
	Entry("text that runs the other way", "a\u202eb", "", "U+202E, an invisible character"),
	Entry("a space without width", "a\u200bb", "", "an invisible character"),
	Entry("a no-break space", "a\u00a0b", "", "an unusual space"),
	Entry("an accent on its own", "e\u0301", "", "U+0301, a combining mark without a letter"),
	Entry("a letter with an equivalent", "\u212b", "", "U+212B, a character that macOS may replace"),
	Entry("too long", strings.Repeat("x", 251), "", "more than 255 bytes"),
	Entry("outside", "../digits", "", "leads outside testdata/golden"),
	Entry("outside, in disguise", "a/../../digits", "", "leads outside testdata/golden"),
	Entry("absolute", "/digits", "", "leads outside testdata/golden"),
	Entry("with a drive", `c:\digits`, "", "a character that is not portable"),
	Entry("with a selection", "digits#1", "", "a character that is not portable"),
	Entry("with a line break", "a\nb", "", "U+000A, a control character"),
)
