package golden_test

import (
	"context"
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("The matrix of golden files", func() {
	write := func(name string, values ...float32) {
		GinkgoHelper()
		Expect(golden.Write("testdata/golden/"+name+".json", runOf(set("y", tensor.Of(values...))),
			golden.Options{})).To(Succeed())
	}
	BeforeEach(func() { GinkgoT().Chdir(GinkgoT().TempDir()) })
	ask := func(q golden.Question) (golden.Answer, error) {
		for _, w := range golden.Words() {
			if w.Name == "matrix" {
				return w.Ask(context.Background(), q)
			}
		}
		return golden.Answer{}, nil
	}

	It("says who agrees with whom, of each name", func() {
		write("alone", 1)
		write("net", 1, 2)
		write("net@tensorrt-fp16", 1, 2.5)
		write("net@openvino", 1, 2.25, 3)
		answer, err := ask(golden.Question{Atol: 0.6})
		Expect(err).NotTo(HaveOccurred())
		Expect(answer.Differs).To(BeTrue())
		Expect(answer.Text).To(Equal(
			"testdata/golden/net\n" +
				"   1  -                                         net.json\n" +
				"   2  FAIL          -                           net@openvino.json\n" +
				"   3  ok 0.5        FAIL          -             net@tensorrt-fp16.json\n" +
				"greatest difference of an element; ok where each is within atol 0.6 or rtol 0\n"))
		answer, err = ask(golden.Question{Atol: 0.1})
		Expect(err).NotTo(HaveOccurred())
		Expect(answer.Text).To(ContainSubstring("FAIL 0.5"))
		_, err = json.Marshal(answer.Value)
		Expect(err).NotTo(HaveOccurred())
	})

	It("needs two files of a name, whole ones", func() {
		write("alone", 1)
		_, err := ask(golden.Question{})
		Expect(err).To(MatchError("golden: no two golden files under . share a name before the @"))
		write("alone@tract", 1)
		Expect(ask(golden.Question{})).To(HaveField("Differs", false))
		Expect(golden.Write("testdata/golden/alone@ort.json", runOf(set("y", drawn(1, 100))),
			golden.Options{Layout: golden.Layout{Sample: 10}})).To(Succeed())
		_, err = ask(golden.Question{})
		Expect(err).To(MatchError(ContainSubstring("holds a sample of 10")))
	})

	It("takes tolerances that are numbers from 0", func() {
		Expect(golden.Tolerance("1e-3")).To(Equal(1e-3))
		for _, text := range []string{"-1", "NaN", "x", ""} {
			_, err := golden.Tolerance(text)
			Expect(err).To(MatchError(ContainSubstring("is not a tolerance")), text)
		}
	})
})
