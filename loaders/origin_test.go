package loaders_test

import (
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/describe"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/loaders"
)

const (
	scopes = "pkg.torch.onnx.name_scopes"
	stack  = "pkg.torch.onnx.stack_trace"
)

// from reads one node with metadata.
func from(name string, metadata ...[2]string) loaders.Node {
	GinkgoHelper()
	nodes, err := exported(name, metadata...).Nodes()
	Expect(err).NotTo(HaveOccurred())
	return nodes[0]
}

func exported(name string, metadata ...[2]string) *loaders.Model {
	return loaders.ONNXBytes("exported.onnx", onnxtest.Model{Graph: onnxtest.Graph{
		Nodes: []onnxtest.Node{{Op: "Conv", Name: name, In: []string{"x"}, Out: []string{"y"},
			Metadata: metadata}}}}.Bytes())
}

var _ = Describe("where a node comes from", func() {
	const trace = `File "/e/lib/python3.11/site-packages/timm/models/resnet.py", line 285, in forward
    return self._forward_impl(x)
  File "/home/me/net.py", line 94, in forward
    out = self.conv1(out)
  File "/env/lib/python3.11/site-packages/torch/nn/modules/conv.py", line 565, in forward
    return self._conv_forward(input, self.weight, self.bias)`

	It("is the module and the author's line, of PyTorch's exporter", func() {
		n := from("node_conv2d_7", [2]string{"namespace", "any"},
			[2]string{scopes, "['', 'layer3', 'layer3.0', 'layer3.0.conv1', 'conv2d_7']"},
			[2]string{stack, trace})
		Expect(n.Module).To(Equal("layer3.0.conv1"))
		Expect(n.Source).To(Equal("/home/me/net.py:94"))
		Expect(n.Origin()).To(Equal("layer3.0.conv1 (/home/me/net.py:94)"))
	})

	It("names a file of a package by the package", func() {
		n := from("", [2]string{stack, strings.Replace(trace, "/home/me", "/e/dist-packages/timm", 1)})
		Expect(n.Source).To(Equal("/e/dist-packages/timm/net.py:94"))
		Expect(n.Origin()).To(Equal("timm/net.py:94"))
	})

	It("is the innermost line where all are PyTorch's", func() {
		n := from("", [2]string{stack, `File "/e/site-packages/torch/nn/modules/conv.py", line 5, in f`})
		Expect(n.Source).To(Equal("/e/site-packages/torch/nn/modules/conv.py:5"))
	})

	It("stands at the end of a stack that is very long", func() {
		n := from("", [2]string{stack, strings.Repeat("  some line\n", 1<<12) + trace})
		Expect(n.Source).To(Equal("/home/me/net.py:94"))
	})

	DescribeTable("says nothing where metadata says nothing", func(key, value string) {
		n := from("n", [2]string{key, value})
		Expect(n.Origin()).To(BeEmpty())
	},
		Entry("one scope", scopes, "['conv2d']"),
		Entry("no list", scopes, "layer1"),
		Entry("a list that is cut short", scopes, "['', 'layer1', 'conv"),
		Entry("a list without commas", scopes, "['' 'layer1' 'conv']"),
		Entry("a text that is escaped", scopes, `['', 'a\'b', 'conv']`),
		Entry("an endless list", scopes, "['"+strings.Repeat("x", 1<<15)+"', 'conv']"),
		Entry("what must not be printed", scopes, "['', 'a\x07', 'conv']"),
		Entry("a line without a number", stack, `File "net.py", line x, in f`),
		Entry("a negative number", stack, `File "net.py", line -3, in f`),
		Entry("a file that must not be printed", stack, "File \"a\x1b.py\", line 3, in f"),
		Entry("nothing", stack, ""))

	It("is told with the node", func() {
		var text strings.Builder
		Expect(describe.Write(&text, exported("c", [2]string{scopes, "['', 'conv1', 'conv2d']"}),
			describe.Full(), false)).To(Succeed())
		Expect(text.String()).To(ContainSubstring(`0 Conv "c" (x) -> (y) from conv1`))
	})

	It("is no reason to refuse a model", func() {
		data := onnxtest.Model{Graph: onnxtest.Graph{Nodes: []onnxtest.Node{{Op: "Relu", Name: "n",
			In: []string{"x"}, Out: []string{"y"}, Metadata: [][2]string{{scopes, "['', 'a', 'b']"}}}}}}.
			Bytes()
		at := strings.Index(string(data), scopes)
		data[at-1] = 0x7f // the key is said to be longer than the entry
		nodes, err := loaders.ONNXBytes("damaged.onnx", data).Nodes()
		Expect(err).NotTo(HaveOccurred())
		Expect(nodes[0].Origin()).To(BeEmpty())
	})
})

// FuzzOrigin reads any texts as metadata: what is said can be printed in one line.
func FuzzOrigin(f *testing.F) {
	f.Add("/a/a.0/Conv", "['', 'a', 'c']", `File "net.py", line 3, in f`)
	f.Add("//", "[''", "File \"\", line 3,\n  File \"x\", line 4")
	f.Fuzz(func(t *testing.T, name, scope, trace string) {
		nodes, err := exported(name, [2]string{scopes, scope}, [2]string{stack, trace}).Nodes()
		if err != nil || len(nodes) != 1 {
			t.Fatal(nodes, err)
		}
		said := nodes[0].Origin()
		if strings.ContainsFunc(said, unicode.IsControl) || len(said) > 2048 {
			t.Errorf("%q", said)
		}
	})
}
