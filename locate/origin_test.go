package locate_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/internal/testing/reportschema"
	"github.com/modelparity/modelparity/locate"
)

var _ = Describe("the module that a node was exported from", func() {
	BeforeEach(func() { ort.Require(GinkgoT()) })

	// exported is a network whose exporter left where each node comes from.
	exported := func() onnxtest.Graph {
		g := network(4)
		for i := range g.Nodes {
			g.Nodes[i].Metadata = [][2]string{
				{"pkg.torch.onnx.name_scopes", "['', 'layer3', 'layer3.0.conv1', 'call']"},
				{"pkg.torch.onnx.stack_trace", `File "/home/me/net.py", line 94, in forward`}}
		}
		return g
	}
	located := func(ctx SpecContext, actual, expected onnxtest.Graph) *locate.Finding {
		GinkgoHelper()
		actual.Nodes[4].Op = "Sub"
		found, err := locate.Divergence(ctx, side("actual", actual), side("expected", expected),
			strict())
		Expect(err).NotTo(HaveOccurred())
		return found
	}

	It("stands in the cause, in the table and in the document", func(ctx SpecContext) {
		found := located(ctx, exported(), exported())
		Expect(found.Cause).To(ContainSubstring("; layer3.0.conv1 (/home/me/net.py:94))"))
		Expect(found.Text()).To(MatchRegexp(`verdict +module\n`))
		Expect(found.Text()).To(MatchRegexp(`(?m)^→.*fail +layer3\.0\.conv1 \(/home/me/net\.py:94\)$`))
		text, err := json.Marshal(found)
		Expect(err).NotTo(HaveOccurred())
		Expect(reportschema.Validate(text)).To(Succeed())
		Expect(string(text)).To(ContainSubstring(
			`"module":"layer3.0.conv1","source":"/home/me/net.py:94"`))
	})

	It("is the expected side's where the actual model has lost it", func(ctx SpecContext) {
		found := located(ctx, network(4), exported())
		Expect(found.First.Module).To(Equal("layer3.0.conv1"))
		Expect(found.First.Source).To(Equal("/home/me/net.py:94"))
	})

	It("takes no room where no exporter left one", func(ctx SpecContext) {
		found := located(ctx, network(4), network(4))
		Expect(found.Text()).To(And(ContainSubstring("verdict\n"), Not(ContainSubstring("module"))))
	})
})
