package field_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/loaders"
)

// modules returns the modules and source lines of all nodes with one operator, in graph order.
func modules(family, variant, op string) (modules, sources []string) {
	GinkgoHelper()
	data, err := read(family, variant)
	Expect(err).NotTo(HaveOccurred())
	nodes, err := loaders.ONNXBytes(variant, data).Nodes()
	Expect(err).NotTo(HaveOccurred())
	for _, n := range nodes {
		if n.Op == op {
			modules, sources = append(modules, n.Module), append(sources, n.Source)
		}
	}
	return modules, sources
}

var _ = Describe("modules of PyTorch exports", func() {
	It("come from today's exporter with the calling line", func() {
		names, lines := modules("resnet", "dynamo", "Relu")
		want := []string{"relu"} // each block calls its activation twice
		for _, block := range []string{"1.0", "1.1", "2.0", "2.1", "3.0", "3.1", "4.0", "4.1"} {
			want = append(want, "layer"+block+".relu", "layer"+block+".relu")
		}
		Expect(names).To(Equal(want))
		Expect(lines).To(HaveEach(MatchRegexp(`torchvision/models/resnet\.py:\d+$`)))
	})

	It("name the normalisation if the exporter folded it into the convolution", func() {
		names, _ := modules("resnet", "dynamo", "Conv")
		Expect(names).To(ContainElements("bn1", "layer3.0.downsample.1"))
	})

	It("are in the node's own name if the older exporter wrote it", func() {
		names, lines := modules("resnet", "torchscript", "Relu")
		Expect(names).To(HaveEach(BeEmpty()))
		Expect(lines).To(HaveEach(BeEmpty()))
	})

	It("name the items of a list", func() {
		names, _ := modules("bert", "dynamo", "Softmax")
		Expect(names).To(Equal([]string{"model.bert.encoder.layer.0.attention.self",
			"model.bert.encoder.layer.1.attention.self"}))
	})
})
