package golden_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

// inFile keeps all data in the file itself.
var inFile = golden.Options{Layout: golden.Layout{Inline: -1}}

// outputIn is what the head of a file says of its first output.
func outputIn(path string) (output map[string]any) {
	GinkgoHelper()
	var file struct {
		Head struct {
			Runs []struct{ Iterations [][]map[string]any }
		} `json:"modelparity"`
	}
	Expect(json.Unmarshal([]byte(contents(path)), &file)).To(Succeed())
	return file.Head.Runs[0].Iterations[0][0]
}

var _ = Describe("A golden file of large outputs", func() {
	var path string
	BeforeEach(func() { path = temporary("large.json") })

	It("names a tree of sums, and Polygraphy may read it as before", func() {
		Expect(golden.Write(path, runOf(set("y", drawn(1, 700_000))), inFile)).To(Succeed())
		Expect(contents(path)).To(ContainSubstring(`"needs": ["tree"]`))
		Expect(contents(path)).NotTo(ContainSubstring(`"polygraphy":`))
		Expect(outputIn(path)).NotTo(HaveKey("sha256"))
		Expect(outputIn(path)["tree"]).To(HaveKeyWithValue("parts", HaveLen(3)), "2.8 MB in MiB")
		read, err := golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(read.Iterations()[0].Outputs.At(0).Tensor.Bytes())).To(Equal(
			string(drawn(1, 700_000).Bytes())))
	})

	It("gives back every type", func() {
		r := rand.New(rand.NewPCG(3, 4))
		for _, elem := range tensor.ElementTypes() {
			if elem == tensor.String {
				continue
			}
			n := 270_000 * 8 / elem.Bits()
			data := make([]byte, elem.Bytes(n))
			for i := range data {
				data[i] = byte(r.Uint32())
				switch {
				case elem == tensor.Bool:
					data[i] &= 1
				case elem == tensor.Float64 && i%8 == 7:
					data[i] &= 0xbf // below 2, so that no sum is infinite
				}
			}
			t, err := tensor.FromBytes(elem, tensor.Shape{n}, data)
			Expect(err).NotTo(HaveOccurred())
			Expect(golden.Write(path, runOf(set("y", t)), golden.Options{AllowNonFinite: true,
				Layout: golden.Layout{Inline: -1}})).To(Succeed())
			read, err := golden.Read(context.Background(), path)
			Expect(err).NotTo(HaveOccurred(), elem.String())
			Expect(string(read.Iterations()[0].Outputs.At(0).Tensor.Bytes())).To(Equal(string(data)))
		}
	})

	It("is refused where any byte of its data changed, with the place", func() {
		Expect(golden.Write(path, runOf(set("y", drawn(1, 600_000))), inFile)).To(Succeed())
		text := []byte(contents(path))
		first := strings.Index(string(text), `"array": "`) + len(`"array": "`)
		last := first + strings.Index(string(text[first:]), `"`) - 1
		r := rand.New(rand.NewPCG(5, 6))
		for i := range 30 {
			at := first + r.IntN(last-first)
			if i < 4 {
				at = []int{first, first + 200, last - 4, last - 1}[i]
			}
			before := text[at]
			for text[at] == before || text[at] == '=' {
				text[at] = "ABCDEFGHabcdefgh0123456789+/"[r.IntN(28)]
			}
			Expect(os.WriteFile(path, text, 0o600)).To(Succeed())
			_, err := golden.Read(context.Background(), path)
			Expect(err).To(HaveOccurred(), "byte %d", at)
			Expect(err).To(MatchError(Or(ContainSubstring("byte "), ContainSubstring(`"y"`))))
			text[at] = before
		}
		Expect(os.WriteFile(path, text, 0o600)).To(Succeed())
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
		at := first + (1500000+128)/3*4 // in the second MiB of the data
		text[at] ^= 1
		Expect(os.WriteFile(path, text, 0o600)).To(Succeed())
		_, err := golden.Read(context.Background(), path)
		Expect(err).To(MatchError(ContainSubstring(
			`output "y": bytes 1048576 to 2097151 of the data changed`)))
	})

	tree := func(change func(tree map[string]any)) func(map[string]any) {
		return func(output map[string]any) { change(output["tree"].(map[string]any)) }
	}
	zeros := strings.Repeat("0", 64)
	DescribeTable("with a wrong head that has a valid checksum is an error that says where:",
		func(lie func(output map[string]any), want string) {
			Expect(golden.Write(path, runOf(set("y", drawn(1, 600_000))), inFile)).To(Succeed())
			edited(path, lie)
			_, err := golden.Read(context.Background(), path)
			Expect(err).To(MatchError(ContainSubstring(want)))
			Expect(err).To(MatchError(ContainSubstring(`output "y"`)))
		},
		Entry("another tree", tree(func(t map[string]any) { t["sha256"] = zeros }),
			"the root checksum does not: the file header was edited by hand"),
		Entry("another part", tree(func(t map[string]any) { t["parts"].([]any)[1] = zeros[:16] }),
			"the file header's checksum of part 1 differs from the data's"),
		Entry("another part and tree", tree(func(t map[string]any) {
			t["parts"].([]any)[2], t["sha256"] = zeros[:16], zeros
		}), "bytes 2097152 to 2399999 of the data changed"),
		Entry("a part that is missing", tree(func(t map[string]any) {
			t["parts"] = t["parts"].([]any)[:2]
		}), "2 checksums of parts, but an output of type and shape float32[600000] has 3 parts"),
		Entry("a part twice", tree(func(t map[string]any) {
			t["parts"] = append(t["parts"].([]any), t["parts"].([]any)[2])
		}), "4 checksums of parts, but an output of type and shape float32[600000] has 3 parts"),
		Entry("no part", tree(func(t map[string]any) { t["parts"] = []any{} }), "0 checksums of parts"),
		Entry("parts in another order", tree(func(t map[string]any) {
			parts := t["parts"].([]any)
			parts[0], parts[1] = parts[1], parts[0]
		}), "the file header's checksum of part 0 differs from the data's"),
		Entry("a tree that is no sum", tree(func(t map[string]any) { t["sha256"] = "abc" }),
			`"abc" is not a checksum`),
		Entry("two checksums", func(o map[string]any) { o["sha256"] = zeros }, "has two checksums"),
		Entry("a shape of more than there is", func(o map[string]any) {
			o["shape"] = []any{json.Number("1152921504606846975")}
		}, "float32[1152921504606846975] has 64"),
		Entry("a shape of more than memory", func(o map[string]any) {
			o["shape"] = []any{json.Number("9223372036854775807"), json.Number("2")}
		}, "more elements than memory can address"),
		Entry("an empty shape", func(o map[string]any) { o["shape"] = []any{json.Number("0")} },
			"3 checksums of parts, but an output of type and shape float32[0] has 0 parts"),
		Entry("strings", func(o map[string]any) { o["type"] = "string" },
			"a string output cannot have a checksum tree"),
		Entry("a mean of another order", func(o map[string]any) {
			mean, err := o["mean"].(json.Number).Float64()
			Expect(err).NotTo(HaveOccurred())
			o["mean"] = math.Nextafter(mean, 9)
		}, "the file header was edited by hand"),
	)

	It("may have a tree over few elements too", func() {
		Expect(golden.Read(context.Background(), "testdata/tree.json")).NotTo(BeNil())
	})

	It("needs what it names", func() {
		Expect(golden.Write(path, runOf(set("y", drawn(1, 100_000))), inFile)).To(Succeed())
		text := strings.Replace(contents(path), `  "needs": ["tree"],`, "", 1)
		Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		_, err := golden.Read(context.Background(), path)
		Expect(err).To(MatchError(ContainSubstring(
			`lists the features [], but its outputs need ["tree"]`)))
	})

	It("of before has a plain checksum, is read, and gets a tree when it is next written", func() {
		for _, name := range []string{"before.json",
			"before.data/c3d06f5eb0ebce82184bc45504510a397799b7160830c63e5e34ac9013e68445.npy.gz"} {
			at := filepath.Join(filepath.Dir(path), name)
			Expect(os.MkdirAll(filepath.Dir(at), 0o755)).To(Succeed())
			Expect(os.WriteFile(at, []byte(contents("testdata/"+name)), 0o600)).To(Succeed())
		}
		path = filepath.Join(filepath.Dir(path), "before.json")
		run, err := golden.Read(context.Background(), path)
		Expect(err).NotTo(HaveOccurred())
		Expect(run.Iterations()[0].Outputs.At(0).Tensor.Len()).To(Equal(100_000))

		asked("1")
		small := golden.Layout{Inline: 1}
		Expect(golden.Update(path, run, golden.Options{Judge: passes, Layout: small})).
			To(HaveField("Kind", golden.Kept))
		Expect(contents(path)).To(Equal(contents("testdata/before.json")))
		Expect(golden.Update(path, run, golden.Options{Layout: small})).
			To(And(HaveField("Kind", golden.Rewritten), HaveField("Moved", HaveEach(
				HaveField("MaxAbs", 0.0)))))
		Expect(contents(path)).To(ContainSubstring(`"needs": ["sidecar","tree"]`))
		Expect(aside(path)).To(HaveLen(1), "its data has the same bytes")
		Expect(golden.Read(context.Background(), path)).NotTo(BeNil())
		edited(path, func(output map[string]any) { output["mean"] = json.Number("15.6155012500001") })
		_, err = golden.Read(context.Background(), path)
		Expect(err).To(MatchError(ContainSubstring("the file header was edited by hand")))
	})
})
