package field_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/loaders"
)

// modules are those of a model's nodes with one operator, in graph order, and the lines of source.
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

var _ = Describe("modules of what PyTorch exported", func() {
	// activations are each block's, which calls one module twice.
	activations := func(again string) []string {
		list := []string{"relu"}
		for _, block := range []string{"1.0", "1.1", "2.0", "2.1", "3.0", "3.1", "4.0", "4.1"} {
			list = append(list, "layer"+block+".relu", "layer"+block+"."+again)
		}
		return list
	}

	It("are those of the module, with the line that calls them, from the exporter of today", func() {
		names, lines := modules("resnet", "dynamo", "Relu")
		Expect(names).To(Equal(activations("relu")))
		Expect(lines).To(HaveEach(MatchRegexp(`torchvision/models/resnet\.py:\d+$`)))
	})

	It("are those of the normalisation where the exporter folded it into the convolution", func() {
		names, _ := modules("resnet", "dynamo", "Conv")
		Expect(names).To(ContainElements("bn1", "layer3.0.downsample.1"))
	})

	It("are those of the module from the older exporter, which numbers its calls", func() {
		names, lines := modules("resnet", "torchscript", "Relu")
		Expect(names).To(Equal(activations("relu_1")))
		Expect(lines).To(HaveEach(BeEmpty()))
		names, _ = modules("resnet", "torchscript", "Conv")
		Expect(names).To(ContainElements("conv1", "layer3.0.conv1", "layer3.0.downsample.0"))
	})

	It("are those of a list's items", func() {
		for _, variant := range []string{"dynamo", "torchscript"} {
			names, _ := modules("bert", variant, "Softmax")
			Expect(names).To(Equal([]string{"model.bert.encoder.layer.0.attention.self",
				"model.bert.encoder.layer.1.attention.self"}), variant)
		}
	})
})
