package tensor_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/compound"
	"github.com/modelparity/modelparity/tensor"
)

// setOf makes a set of names and tensors, in turn.
func setOf(named ...any) *tensor.Set {
	GinkgoHelper()
	var all []tensor.Entry
	for i := 0; i < len(named); i += 2 {
		all = append(all, tensor.Entry{Name: named[i].(string), Tensor: named[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(all...)
	Expect(err).NotTo(HaveOccurred())
	return s
}

func labels(values ...string) *tensor.Tensor {
	t, err := tensor.FromStrings(tensor.Shape{len(values)}, values)
	Expect(err).NotTo(HaveOccurred())
	return t
}

// shown is each value as "name: type shape values".
func shown(s *tensor.Set) []string {
	GinkgoHelper()
	var all []string
	for _, v := range s.Values() {
		t, err := v.Stack()
		Expect(err).NotTo(HaveOccurred())
		text := fmt.Sprintf("%s: %s%v", v.Name, compound.TypeName(&v), t.Shape())
		for i := range t.Len() {
			text += " " + t.Text(i)
		}
		all = append(all, text)
	}
	return all
}

var _ = Describe("Set.Values", func() {
	two, one := tensor.Scalar[int64](2), tensor.Scalar[int64](1)
	f := tensor.Of[float32]

	DescribeTable("finds sequences and maps by the names of their tensors",
		func(s func() *tensor.Set, expected ...string) {
			Expect(shown(s())).To(HaveExactElements(expected))
		},
		Entry("ZipMap: a sequence of maps, stacked", func() *tensor.Set {
			keys := labels("a", "b").AsKeys()
			return setOf("label", one, "p.length", two, "p[0].key", keys, "p[0].value", f(1, 2),
				"p[1].key", keys, "p[1].value", f(3, 4))
		}, "label: int64[] 1", "p: seq(map(string,float32))[2,2] 1 2 3 4"),
		Entry("a map alone", func() *tensor.Set {
			return setOf("m.key", tensor.Of[int64](7, 8).AsKeys(), "m.value", f(1, 2))
		}, "m: map(int64,float32)[2] 1 2"),
		Entry("items of several shapes end to end", func() *tensor.Set {
			return setOf("s.length", two, "s[0]", f(1), "s[1]", f(2, 3))
		}, "s: seq(float32)[3] 1 2 3"),
		Entry("sequences in sequences", func() *tensor.Set {
			return setOf("s.length", one, "s[0].length", one, "s[0][0]", f(5))
		}, "s: seq(seq(float32))[1,1] 5"),
		Entry("an empty one", func() *tensor.Set {
			return setOf("s.length", tensor.Scalar[int64](0))
		}, "s: seq[0]"),
		Entry("in a file that sorts its names", func() *tensor.Set {
			return setOf("a", f(0), "p[0]", f(1), "p[1]", f(2), "p.length", two, "z", f(9))
		}, "a: float32[1] 0", "p: seq(float32)[2,1] 1 2", "z: float32[1] 9"),
		Entry("strings, and elements of four bits", func() *tensor.Set {
			nibbles, err := tensor.FromBytes(tensor.Int4, tensor.Shape{3}, []byte{0x21, 0x03})
			Expect(err).NotTo(HaveOccurred())
			return setOf("s.length", two, "s[0]", labels("x"), "s[1]", labels("y"),
				"q.length", two, "q[0]", nibbles, "q[1]", nibbles)
		}, `s: seq(string)[2,1] "x" "y"`, "q: seq(int4)[2,3] 1 2 3 1 2 3"),
	)

	DescribeTable("leaves alone what merely has such names",
		func(s func() *tensor.Set) {
			for _, v := range s().Values() {
				Expect(v.Tensor).NotTo(BeNil(), v.Name)
			}
			Expect(s().Values()).To(HaveLen(s().Len()))
		},
		Entry("keys and values of attention", func() *tensor.Set {
			return setOf("present.0.key", f(1), "present.0.value", f(2))
		}),
		Entry("what no engine calls a map, alone or in a sequence", func() *tensor.Set {
			return setOf("X.key", tensor.Of[int64](3, 1), "X.value", f(0.9, 0.8),
				"p.length", one, "p[0].key", labels("a", "a"), "p[0].value", f(1, 2))
		}),
		Entry("a length without items", func() *tensor.Set { return setOf("audio.length", two) }),
		Entry("a length of another type", func() *tensor.Set {
			return setOf("s.length", f(1), "s[0]", f(1))
		}),
		Entry("a length that no set can have", func() *tensor.Set {
			return setOf("s.length", tensor.Scalar[int64](1<<60), "s[0]", f(1))
		}),
		Entry("a negative length", func() *tensor.Set {
			return setOf("s.length", tensor.Scalar[int64](-1), "s[0]", f(1))
		}),
		Entry("fewer values than keys", func() *tensor.Set {
			return setOf("m.key", labels("a", "b").AsKeys(), "m.value", f(1))
		}),
		Entry("a tensor of that name", func() *tensor.Set {
			return setOf("s", f(1), "s.length", one, "s[0]", f(1))
		}),
		Entry("items of two element types", func() *tensor.Set {
			return setOf("s.length", two, "s[0]", f(1), "s[1]", labels("x"))
		}),
	)

	It("knows where an element of the stacked tensor is", func() {
		s := setOf("p.length", two, "p[0].key", labels("a", "b").AsKeys(), "p[0].value", f(1, 2),
			"p[1].key", labels("a", "b").AsKeys(), "p[1].value", f(3, 4))
		v, ok := s.Value("p")
		Expect(ok).To(BeTrue())
		Expect(compound.Index(&v, 3)).To(Equal([]int{1, 1}))
		Expect(compound.Key(&v, 2)).To(Equal(`"a"`))
		Expect(v.Parts).To(HaveLen(5))
		v, _ = setOf("s.length", two, "s[0]", f(1), "s[1]", f(2, 3)).Value("s")
		Expect(compound.Index(&v, 2)).To(Equal([]int{1, 1}))
		Expect(compound.Key(&v, 2)).To(BeEmpty())
	})

	It("is kept whole by Only", func() {
		s := setOf("a", f(0), "p.length", one, "p[0]", f(1))
		Expect(s.Only("p").Names()).To(Equal([]string{"p.length", "p[0]"}))
		Expect(s.Only("p[0]").Names()).To(Equal([]string{"p[0]"}))
	})
})

func FuzzValues(fuzz *testing.F) {
	fuzz.Add("p.length\np[0]\np[1]", int64(2))
	fuzz.Add("p.length\np[0].length\np[0][0]", int64(1))
	fuzz.Add(".length\n[0]\n.key\n.value", int64(1))
	fuzz.Fuzz(func(t *testing.T, lines string, n int64) {
		var entries []tensor.Entry
		for i, name := range strings.Split(lines, "\n") {
			of := tensor.Scalar(n)
			if i%3 == 1 {
				of = tensor.Of(n, 2)
			}
			entries = append(entries, tensor.Entry{Name: name, Tensor: of})
		}
		set, err := tensor.NewSet(entries...)
		if err != nil {
			return
		}
		parts := 0
		for _, v := range set.Values() {
			parts += len(v.Parts)
			stacked, err := v.Stack()
			if err != nil {
				t.Fatal(err)
			}
			for i := range stacked.Len() {
				compound.Index(&v, i)
				compound.Key(&v, i)
			}
		}
		if parts != set.Len() {
			t.Fatalf("%d of %d tensors belong to values", parts, set.Len())
		}
	})
}
