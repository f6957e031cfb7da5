package goldenfiles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/runs"
	"github.com/modelparity/modelparity/tensor"
)

// multi holds two runs of two iterations, which Polygraphy saved.
const multi = "../../../golden/testdata/polygraphy/multi_output/outputs.json"

// listed returns what a file contains as a list.
func listed(contents *goldenfiles.Contents) (list []goldenfiles.Content) {
	GinkgoHelper()
	Expect(contents.Each(func(int) bool { return true }, func(c goldenfiles.Content) error {
		list = append(list, c)
		return nil
	})).To(Succeed())
	return list
}

// text returns the text of all iterations.
func text(contents *goldenfiles.Contents, histogram bool) string {
	GinkgoHelper()
	var b strings.Builder
	Expect(contents.WriteText(&b, histogram, true)).To(Succeed())
	return b.String()
}

var _ = Describe("What is in a file", func() {
	It("is the outputs of its runs, iteration by iteration", func() {
		contents, err := goldenfiles.ReadContents(context.Background(), multi, nil)
		Expect(err).NotTo(HaveOccurred())
		all, err := runs.ReadRuns(context.Background(), multi)
		Expect(err).NotTo(HaveOccurred())
		want := 0
		for _, named := range all {
			for _, set := range named.Run.Outputs() {
				want += set.Len()
			}
		}
		list := listed(contents)
		Expect(list).To(HaveLen(want))
		Expect(list[0].Run).To(Equal(all[0].Name))
		Expect(list[want-1].Run).To(Equal(all[1].Name))
		Expect(list[want-1].Iteration).To(Equal(1))
		one, err := goldenfiles.ReadContents(context.Background(), multi+"#1/0", nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(listed(one)).To(HaveLen(want / 4))
	})

	It("is its inputs where it holds no runs", func() {
		path := filepath.Join(GinkgoT().TempDir(), "x.npz")
		x, err := tensor.New(tensor.Shape{2, 2}, []float32{0, 0, 0, 8})
		Expect(err).NotTo(HaveOccurred())
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x},
			tensor.Entry{Name: "ok", Tensor: tensor.Of(true)})
		Expect(err).NotTo(HaveOccurred())
		Expect(fixtures.Save(path, fixtures.Of(set))).To(Succeed())
		contents, err := goldenfiles.ReadContents(context.Background(), path, nil)
		Expect(err).NotTo(HaveOccurred())
		list := listed(contents)
		Expect(list).To(HaveLen(2))
		Expect(list[0]).To(And(HaveField("Name", "x"), HaveField("Type", tensor.Float32),
			HaveField("Shape", tensor.Shape{2, 2}), HaveField("Summary.Max", jsonfloat.Float(8))))
		Expect(text(contents, false)).To(MatchRegexp(
			`(?m)^  iteration 0  x float32\[2,2\]  .*\n  iteration 0  ok bool\[1\]  .*\n\z`))
		Expect(text(contents, false)).NotTo(ContainSubstring("#"))
		Expect(text(contents, true)).To(ContainSubstring("####"))
	})

	It("is written as the JSON of a list, one at a time", func() {
		contents, err := goldenfiles.ReadContents(context.Background(), multi, nil)
		Expect(err).NotTo(HaveOccurred())
		var written, whole bytes.Buffer
		Expect(contents.WriteJSON(&written)).To(Succeed())
		encoder := json.NewEncoder(&whole)
		encoder.SetIndent("", "  ")
		Expect(encoder.Encode(listed(contents))).To(Succeed())
		Expect(written.String()).To(Equal(whole.String()))
		Expect(written.String()).To(MatchRegexp(
			`"type": "float32",\s+"shape": \[[^\]]*\],\s+"summary": \{`))
	})

	It("has the names of its runs above their values", func() {
		contents, err := goldenfiles.ReadContents(context.Background(), multi, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(text(contents, false)).To(MatchRegexp(
			`\Aonnxrt-runner-N0-\S+\n(  iteration \d  .*\n)+` +
				`onnxrt-runner-N1-\S+\n(  iteration \d  .*\n)+\z`))
	})

	It("has each of two runs of one name under its own heading", func() {
		path := filepath.Join(GinkgoT().TempDir(), "twice.json")
		text1, err := tensor.FromStrings(tensor.Shape{1}, []string{"a"})
		Expect(err).NotTo(HaveOccurred())
		Expect(runs.WriteRuns(path, []runs.Named{{Name: "A", Run: runOf(tensor.Of[int8](7))},
			{Name: "A", Run: runOf(text1)}})).To(Succeed())
		contents, err := goldenfiles.ReadContents(context.Background(), path, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(text(contents, false)).To(Equal("A\n  iteration 0  x int8[1]  min 7  max 7  mean 7  " +
			"std 0\nA\n  iteration 0  x string[1]\n"))
	})

	It("says so if no run has an output", func() {
		path := filepath.Join(GinkgoT().TempDir(), "none.json")
		Expect(os.WriteFile(path, []byte(`{"lst": [["A", []]], "polygraphy_class": "RunResults"}`),
			0o600)).To(Succeed())
		contents, err := goldenfiles.ReadContents(context.Background(), path, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(text(contents, false)).To(Equal("no run has an output\n"))
	})

	It("is an error of the file that holds neither", func() {
		_, err := goldenfiles.ReadContents(context.Background(), "missing.json", nil)
		Expect(err).To(MatchError(ContainSubstring("missing.json")))
	})
})
