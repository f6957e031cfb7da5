package loaders_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

// large writes a model of that many MatMuls, each with its own weights, 1.9 GB in all. The weights
// are holes in the file: they take no disk, and whoever reads them reads zeros.
func large(path string, nodes int) error {
	const total = 1_900_000_000
	side := int64(1)
	for side*side*4 < total/int64(nodes) {
		side++
	}
	var graph onnxtest.Graph
	var heads [][]byte // what stands before each weight's data
	size := int64(0)
	name := "x"
	for i := range nodes {
		weight, output := fmt.Sprint("w", i), fmt.Sprint("t", i)
		graph.Nodes = append(graph.Nodes, onnxtest.Node{Op: "MatMul", Name: fmt.Sprint("node", i),
			In: []string{name, weight}, Out: []string{output}})
		name = output
		head := onnxtest.Tensor{Name: weight, Type: 1, Dims: []int64{side, side}}.Bytes()
		head = head[:len(head)-2] // without its empty raw data
		head = protowire.AppendTag(head, 9, protowire.BytesType)
		head = protowire.AppendVarint(head, uint64(side*side*4))
		before := protowire.AppendTag(nil, 5, protowire.BytesType)
		before = protowire.AppendVarint(before, uint64(int64(len(head))+side*side*4))
		before = append(before, head...)
		heads = append(heads, before)
		size += int64(len(before)) + side*side*4
	}
	graph.Inputs = []onnxtest.Value{{Name: "x", Elem: 1, Dims: []any{"batch", int(side)}}}
	graph.Outputs = []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{"batch", int(side)}}}
	rest := graph.Bytes()

	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := onnxtest.Varint(nil, 1, 9)
	head = onnxtest.Message(head, 8, onnxtest.Varint(nil, 2, 19))
	head = protowire.AppendTag(head, 7, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(size+int64(len(rest))))
	at := int64(0)
	put := func(b []byte) {
		if err == nil {
			_, err = f.WriteAt(b, at)
		}
		at += int64(len(b))
	}
	put(head)
	for _, before := range heads {
		put(before)
		at += side * side * 4
	}
	put(rest)
	return err
}

// markAll opens the model at path again, marks every tensor, and scans the result.
func markAll(path string) (outputs int, err error) {
	model := loaders.ONNX(path)
	names, err := model.Select(loaders.Selection{All: true})
	if err != nil {
		return 0, err
	}
	marked, err := model.Mark(names...)
	if err != nil {
		return 0, err
	}
	values, err := marked.Outputs()
	return len(values), err
}

var _ = Describe("a model of 1.9 GB", func() {
	It("is marked without its weights ever being read", func() {
		path := filepath.Join(GinkgoT().TempDir(), "large.onnx")
		Expect(large(path, 1350)).To(Succeed())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Expect(markAll(path)).To(Equal(1350))
		runtime.ReadMemStats(&after)
		Expect(after.TotalAlloc - before.TotalAlloc).To(BeNumerically("<", 16<<20))
	})

	It("is cut without its weights being read", func() {
		path := filepath.Join(GinkgoT().TempDir(), "large.onnx")
		Expect(large(path, 1350)).To(Succeed())
		part, err := loaders.ONNX(path).Cut(matrix("t700"), named("t701"))
		Expect(err).NotTo(HaveOccurred())
		Expect(part.Size()).To(BeNumerically("<", 2_000_000))
		Expect(operators(part)).To(Equal([]string{"MatMul"}))
	})
})

var _ = Describe("a large model that changes while it is in use", func() {
	It("is an error, not a mixture of two models", func() {
		path := filepath.Join(GinkgoT().TempDir(), "large.onnx")
		Expect(large(path, 3)).To(Succeed())
		model := loaders.ONNX(path)
		Expect(model.Load()).To(Succeed())
		later := time.Now().Add(time.Hour)
		Expect(os.Chtimes(path, later, later)).To(Succeed())
		want := MatchError(ContainSubstring("changed while it was in use"))
		_, err := model.SHA256()
		Expect(err).To(want)
		_, err = model.Bytes()
		Expect(err).To(want)
		_, err = model.Weight("w0")
		Expect(err).To(want)
		Expect(model.Save(path + ".copy")).To(want)
		Expect(path + ".copy").NotTo(BeAnExistingFile())
	})
})

func BenchmarkMarkAll(b *testing.B) {
	for _, nodes := range []int{1350, 2000} {
		b.Run(fmt.Sprintf("1.9GB/%dnodes", nodes), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "large.onnx")
			if err := large(path, nodes); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if outputs, err := markAll(path); err != nil || outputs != nodes {
					b.Fatal(outputs, err)
				}
			}
		})
	}
}
