package decode_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/decode"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Tokens from a file", func() {
	written := func(name, text string) string {
		GinkgoHelper()
		path := filepath.Join(GinkgoT().TempDir(), name)
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		return path
	}
	array := func(t *tensor.Tensor) string {
		GinkgoHelper()
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: t})
		Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(GinkgoT().TempDir(), "ids.npy")
		Expect(fixtures.Save(path, fixtures.Of(set))).To(Succeed())
		return path
	}
	read := func(path string) (ids, mask []int64) {
		GinkgoHelper()
		for set, err := range decode.FromFile(path).All() {
			Expect(err).NotTo(HaveOccurred())
			a, _ := set.Get("input_ids")
			b, _ := set.Get("attention_mask")
			ids, mask = must(tensor.Values[int64](a)), must(tensor.Values[int64](b))
			Expect(a.Shape()).To(Equal(b.Shape()))
		}
		return ids, mask
	}
	fails := func(path string) (err error) {
		for _, err = range decode.FromFile(path).All() {
			if err != nil {
				return err
			}
		}
		return nil
	}

	It("may be a list or a list of lists", func() {
		for _, text := range []string{"[5, 17, 3]", "[[5,17,3]]"} {
			ids, mask := read(written("t.json", text))
			Expect(ids).To(Equal([]int64{5, 17, 3}), text)
			Expect(mask).To(Equal([]int64{1, 1, 1}), text)
		}
		ids, mask := read(written("t.json", "[[5,17,3],[8]]"))
		Expect(ids).To(Equal([]int64{5, 17, 3, 0, 0, 8}))
		Expect(mask).To(Equal([]int64{1, 1, 1, 0, 0, 1}))
	})

	It("may be an array of integers, with -1 as padding", func() {
		ids, mask := read(array(tensor.Of[int32](5, 17)))
		Expect(ids).To(Equal([]int64{5, 17}))
		Expect(mask).To(Equal([]int64{1, 1}))
		padded, err := tensor.New(tensor.Shape{2, 2}, []int64{-1, 8, 5, 17})
		Expect(err).NotTo(HaveOccurred())
		ids, mask = read(array(padded))
		Expect(ids).To(Equal([]int64{0, 8, 5, 17}))
		Expect(mask).To(Equal([]int64{0, 1, 1, 1}))
	})

	DescribeTable("are rejected if invalid", func(text string) {
		Expect(fails(written("t.json", text))).To(
			MatchError(ContainSubstring("expected lists of token ids, none negative or empty")))
	},
		Entry("words", `["a"]`), Entry("nothing", `[]`), Entry("null", `null`),
		Entry("an empty sequence", `[[1],[]]`), Entry("an object", `{"input_ids":[1]}`),
		Entry("fractions", `[1.5]`), Entry("half a file", `[[1`),
		Entry("a negative id", `[[1,-2]]`))

	It("are rejected if the array is not of integers", func() {
		Expect(fails(array(tensor.Of(1., 2)))).To(
			MatchError(ContainSubstring("expected an integer type")))
		Expect(fails(filepath.Join(GinkgoT().TempDir(), "none.json"))).To(MatchError(os.ErrNotExist))
	})
})

func FuzzFromFile(f *testing.F) {
	for _, text := range []string{"[5, 17]", "[[5],[8,1]]", `{"input_ids":[5]}`, "[", "[[]]",
		"1e400"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "t.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for set, err := range decode.FromFile(path).All() {
			if err != nil {
				continue
			}
			ids, ok := set.Get("input_ids")
			if !ok || len(ids.Shape()) != 2 || ids.Len() == 0 {
				t.Errorf("%q: %v", text, set)
			}
		}
	})
}

var _ = Describe("A run read from a file", func() {
	It("contains the note that locates differences", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		e := exportedAs("llama")
		healthy := e.run(ctx)
		broken := must(decode.Run(ctx, faulty{ort.Engine(), corrupted}, e.model, e.inputs()))
		want := must(decode.Part(broken, healthy, near))
		folder := GinkgoT().TempDir()
		a, b := filepath.Join(folder, "broken.json"), filepath.Join(folder, "healthy.json")
		Expect(golden.Write(a, broken, golden.Options{})).To(Succeed())
		Expect(golden.Write(b, healthy, golden.Options{})).To(Succeed())
		saved := must(golden.ReadReference(context.Background(), a)).Run
		reference := must(golden.ReadReference(context.Background(), b)).Run
		Expect(must(decode.Part(saved, reference, near))).To(Equal(want))
		Expect(must(decode.Part(broken, reference, near))).To(Equal(want))
		Expect(must(decode.Part(reference, healthy, near))).To(BeNil())
		Expect(want.String()).To(ContainSubstring("at token 3, in layer 1 key, head 1, sequence 1"))
	})
})

var _ = Describe("A watched run", func() {
	It("is reported after each step", func(ctx SpecContext) {
		ort.Require(GinkgoT())
		var seen []int
		watching := decode.Watch(ctx, func(done, all int) { seen = append(seen, done, all) })
		_ = must(decode.Run(watching, ort.Engine(), exportedAs("gpt2").model,
			decode.Tokens([]int64{5, 17, 3}), decode.Steps(2, 1)))
		Expect(seen).To(Equal([]int{2, 3, 3, 3}))
	})
})
