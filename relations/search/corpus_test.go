package search_test

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/relations/search"
	"github.com/modelparity/modelparity/tensor"
)

func TestInputsAreReadBackByteForByte(t *testing.T) {
	g := NewWithT(t)
	for set, err := range fixtures.Random(net{}, fixtures.Shape("x", 3, width)).All() {
		g.Expect(err).NotTo(HaveOccurred())
		data, err := search.Encode(net{}, set)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(data).To(HaveLen(1 + 3*width*4))
		again, err := search.Decode(net{}, data)
		g.Expect(err).NotTo(HaveOccurred())
		x, _ := set.Get("x")
		y, _ := again.Get("x")
		g.Expect(y.Shape()).To(Equal(x.Shape()))
		g.Expect(y.Bytes()).To(Equal(x.Bytes()))
		g.Expect(string(search.CorpusFile([]byte{2, '"'}))).To(
			Equal("go test fuzz v1\n[]byte(\"\\x02\\\"\")\n"))
	}
	_, err := search.Encode(net{}, nil)
	g.Expect(err).To(MatchError(ContainSubstring(`the inputs lack "x"`)))
}

func TestBytesHoldNoSizeOfASum(t *testing.T) {
	g := NewWithT(t)
	model := decoder{named("mask", "past + seq", "past + 1"), named("key", "past"),
		named("ids", "seq"), named("scalar"), named("other", "past + other")}
	set, err := search.Decode(model, []byte{2, 1, 6})
	g.Expect(err).NotTo(HaveOccurred())
	mask, _ := set.Get("mask")
	g.Expect(mask.Shape()).To(Equal(tensor.Shape{5, 4}))
	scalar, _ := set.Get("scalar")
	g.Expect(scalar.Shape()).To(BeEmpty())
	data, err := search.Encode(model, set)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(data).To(HaveLen(3 + (5*4+3+2+1+7)*4))
	g.Expect(data[:3]).To(Equal([]byte{2, 1, 6}))

	for set, err := range fixtures.Random(model, fixtures.Shape("mask", 4, 2)).All() {
		g.Expect(err).NotTo(HaveOccurred())
		_, err = search.Encode(model, set)
		g.Expect(err).To(MatchError("search: input mask [past + seq,past + 1] has shape [4,2], but " +
			"Decode would return [2,2]: dynamic dimensions must be 1 to 256, equal for equal names, " +
			"and sums must fit their parts"))
	}
	for set, err := range fixtures.Random(model, fixtures.Shape("key", 0)).All() {
		g.Expect(err).NotTo(HaveOccurred())
		_, err = search.Encode(model, set)
		g.Expect(err).To(MatchError(ContainSubstring(
			"search: input mask [past + seq,past + 1] has shape [1,1], but Decode would return [2,2]")))
	}
}

// FuzzDecode checks that any bytes decode, and encode to their significant part.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0, 128, 63})
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := search.Decode(net{}, data)
		if err != nil {
			t.Fatal(err)
		}
		again, err := search.Encode(net{}, set)
		if err != nil {
			t.Fatal(err)
		}
		n := min(len(data), len(again))
		if !bytes.Equal(again[:n], data[:n]) {
			t.Fatalf("%x became %x", data, again)
		}
	})
}
