package matchers_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/format"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

var _ = DescribeTable("Gomega prints what a spec holds in one line, not as a dump of fields",
	func(value any, want string) {
		Expect(format.Object(value, 0)).To(HaveSuffix(want))
	},
	Entry("a model", loaders.ONNX("testdata/net.onnx"), ": model net.onnx"),
	Entry("no model", (*loaders.Model)(nil), "nil"),
	Entry("an engine", ort.Engine(ort.Threads(2)), ": ort.Engine(ort.Threads(2))"),
	Entry("an engine of another package", fake.Engine(), ": fake.Engine()"),
	Entry("inputs", fixtures.From("drawn by hand", nil), ": inputs: drawn by hand"),
	Entry("a subject", backends.Subject{Engine: ort.Engine(), Model: loaders.ONNX("a/net.onnx"),
		Inputs: fixtures.Of()}, ": net.onnx in onnxruntime on given in Go"),
	Entry("an empty subject", backends.Subject{}, ": no model in no engine on "),
	Entry("a finding", &locate.Finding{Actual: "a", Expected: "b", Cause: "nothing differs"},
		"actual    a\n    expected  b\n    nothing differs"),
)
