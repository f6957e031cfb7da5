package loaders_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

// external is the model of add with w in another file.
func external(location, offset, length string) []byte {
	m := add()
	m.Graph.Initializers[0].Location = location
	m.Graph.Initializers[0].Offset = offset
	m.Graph.Initializers[0].Length = length
	return m.Bytes()
}

var _ = Describe("external data", func() {
	It("is found, stands in the sum, and is named once", func() {
		m := add()
		m.Graph.Initializers = []onnxtest.Tensor{
			{Name: "a", Type: 1, Dims: []int64{1}, Location: "w.bin", Length: "4"},
			{Name: "b", Type: 1, Dims: []int64{1}, Location: "./w.bin", Offset: "4"},
		}
		// a Constant inside a body has its data elsewhere, too
		m.Graph.Nodes = append(m.Graph.Nodes, onnxtest.Node{Op: "If", Attrs: []onnxtest.Attr{{
			Name: "then_branch", Graph: &onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Constant",
				Attrs: []onnxtest.Attr{{Name: "value", Tensor: &onnxtest.Tensor{
					Name: "c", Type: 1, Location: "c.bin"}}}}}}}}})
		model := write(m.Bytes())
		folder := filepath.Dir(model.Path())
		Expect(os.WriteFile(filepath.Join(folder, "w.bin"), []byte("12345678"), 0o600)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(folder, "c.bin"), []byte("abcd"), 0o600)).To(Succeed())
		Expect(model.ExternalData()).To(Equal([]string{
			filepath.Join(folder, "c.bin"), filepath.Join(folder, "w.bin")}))
		lines := ""
		for _, file := range [][2]string{{"-", string(m.Bytes())}, {"c.bin", "abcd"},
			{"w.bin", "12345678"}} {
			lines += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(file[1])), file[0])
		}
		sum := sha256.Sum256([]byte(lines))
		Expect(model.SHA256()).To(Equal(hex.EncodeToString(sum[:])))
	})

	It("has another sum where bytes move from one file to the next", func() {
		m := add()
		m.Graph.Initializers = []onnxtest.Tensor{
			{Name: "w", Type: 1, Dims: []int64{1}, Location: "w.bin", Length: "4"},
			{Name: "v", Type: 1, Dims: []int64{1}, Location: "v.bin", Length: "4"},
		}
		sums := map[string]bool{}
		for _, w := range []string{"1234", "12345678"} {
			model := write(m.Bytes())
			folder := filepath.Dir(model.Path())
			Expect(os.WriteFile(filepath.Join(folder, "w.bin"), []byte(w), 0o600)).To(Succeed())
			v := strings.TrimPrefix("12345678abcd", w)
			Expect(os.WriteFile(filepath.Join(folder, "v.bin"), []byte(v), 0o600)).To(Succeed())
			sum, err := model.SHA256()
			Expect(err).NotTo(HaveOccurred())
			sums[sum] = true
		}
		Expect(sums).To(HaveLen(2))
	})

	It("is out of reach of a model in memory, and no sum leaves it out", func() {
		model := loaders.ONNXBytes("add", external("w.bin", "", ""))
		Expect(model.Inputs()).To(HaveLen(1))
		Expect(model.ExternalData()).To(Equal([]string{"w.bin"}))
		_, err := model.SHA256()
		Expect(err).To(MatchError(ContainSubstring("but the model has no folder")))
	})
})

var _ = DescribeTable("external data that cannot be used",
	func(location, offset, length, want string) {
		model := write(external(location, offset, length))
		folder := filepath.Dir(model.Path())
		Expect(os.WriteFile(filepath.Join(folder, "w.bin"), []byte("12345678"), 0o600)).To(Succeed())
		Expect(os.Mkdir(filepath.Join(folder, "sub"), 0o700)).To(Succeed())
		err := model.Load()
		Expect(err).To(MatchError(ContainSubstring(want)))
		Expect(err).To(MatchError(MatchRegexp(`byte \d+: `)))
	},
	Entry("above the folder", "../w.bin", "", "", "inside the model's folder"),
	Entry("above the folder, by a detour", "sub/../../w.bin", "", "", "inside the model's folder"),
	Entry("absolute", "/etc/passwd", "", "", "inside the model's folder"),
	Entry("nowhere", "", "", "1", "inside the model's folder"),
	Entry("an address in memory", "*/_ORT_MEM_ADDR_/*", "16", "8", "plain relative path inside"),
	Entry("a name that engines change", ".w.bin", "", "", "plain relative path inside"),
	Entry("by way of a folder", "sub/../w.bin", "", "", "plain relative path inside"),
	Entry("missing", "v.bin", "", "", `"v.bin" is missing; copy it next to the model`),
	Entry("a folder", "sub", "", "", "not a regular file"),
	Entry("too short", "w.bin", "4", "8", "has 8 bytes, but the tensor needs 8 bytes from offset 4"),
	Entry("beyond the end", "w.bin", "9", "", "has 8 bytes"),
	Entry("a sum beyond int64", "w.bin", "8", "9223372036854775807", "has 8 bytes"),
	Entry("a negative offset", "w.bin", "-1", "", `offset "-1"`),
	Entry("no number", "w.bin", "", "eight", `length "eight"`),
)
