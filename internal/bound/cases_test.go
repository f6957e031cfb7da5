package bound_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/bound"
	"github.com/modelparity/modelparity/internal/codec/onnxpb"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// casesVariable is the environment variable for a folder of ONNX's node cases, such as
// onnx/backend/test/data/node of a wheel. The default is the digest of the conformance suite.
const casesVariable = "MODELPARITY_NODE_CASES"

// cases calls visit for every case: a folder with a model of one node, its inputs and its outputs.
func cases(visit func(name string, files fs.FS)) {
	var all fs.FS
	if folder := os.Getenv(casesVariable); folder != "" {
		all = os.DirFS(folder)
	} else {
		zipped, err := zip.OpenReader("../../conformance/testdata/digest.zip")
		Expect(err).NotTo(HaveOccurred())
		defer zipped.Close()
		all, err = fs.Sub(zipped, "onnx/backend/test/data/node")
		Expect(err).NotTo(HaveOccurred())
	}
	folders, err := fs.ReadDir(all, ".")
	Expect(err).NotTo(HaveOccurred())
	for _, f := range folders {
		inside, err := fs.Sub(all, f.Name())
		Expect(err).NotTo(HaveOccurred())
		visit(f.Name(), inside)
	}
}

// singleNode is a case of one node, with its first output.
type singleNode struct {
	model  *loaders.Model
	node   bound.Node
	inputs []tensor.Entry
	output *tensor.Tensor
}

// read reads a case of one node with tensors. ok is false for other cases.
func read(files fs.FS) (c singleNode, ok bool) {
	data, err := fs.ReadFile(files, "model.onnx")
	Expect(err).NotTo(HaveOccurred())
	c.model = loaders.ONNXBytes("case", data)
	nodes, err := c.model.Nodes()
	if err != nil || len(nodes) != 1 {
		return c, false
	}
	inputs, err := c.model.Inputs()
	Expect(err).NotTo(HaveOccurred())
	c.node, err = bound.Read(c.model, 0)
	Expect(err).NotTo(HaveOccurred())
	given := map[string]*tensor.Tensor{}
	for i, in := range inputs {
		if given[in.Name], ok = value(files, fmt.Sprintf("input_%d.pb", i)); !ok {
			return c, false
		}
		c.inputs = append(c.inputs, tensor.Entry{Name: in.Name, Tensor: given[in.Name]})
	}
	for _, name := range nodes[0].Inputs {
		c.node.Inputs = append(c.node.Inputs, bound.Input{Tensor: given[name]})
	}
	c.output, ok = value(files, "output_0.pb")
	return c, ok
}

func value(files fs.FS, name string) (*tensor.Tensor, bool) {
	f, err := files.Open(path.Join("test_data_set_0", name))
	if err != nil {
		return nil, false
	}
	defer f.Close() //nolint:errcheck // opened only for reading
	data, err := io.ReadAll(f)
	Expect(err).NotTo(HaveOccurred())
	_, t, err := onnxpb.Tensor(data)
	return t, err == nil
}

var _ = Describe("ONNX's node cases", func() {
	It("have outputs within the bounds", func(ctx SpecContext) {
		judged := map[string]int{}
		cases(func(name string, files fs.FS) {
			c, ok := read(files)
			if !ok {
				return
			}
			r, err := bound.Judge(ctx, c.node, arithmetic(c.node), c.output, nil)
			if errors.As(err, new(*bound.Unknown)) {
				return
			}
			Expect(err).NotTo(HaveOccurred(), name)
			Expect(r.Ratio).To(BeNumerically("<=", 1), "%s: %+v", name, r)
			judged[c.node.Op]++
		})
		Expect(len(judged)).To(BeNumerically(">=", 50), "%v", judged)
	})

	for name, engine := range engines {
		It("stay within the bounds in "+name, func(ctx SpecContext) {
			requires(name)
			judged := 0
			cases(func(which string, files fs.FS) {
				c, ok := read(files)
				if !ok {
					return
				}
				set, err := tensor.NewSet(c.inputs...)
				Expect(err).NotTo(HaveOccurred())
				run, err := backends.RunIn(ctx, engine, c.model, fixtures.Of(set))
				if err != nil {
					return // an operator that the engine lacks
				}
				outputs := run.Outputs()[0]
				precision := arithmetic(c.node)
				if name == "openvino" { // also for float64
					precision = bound.Float32
				}
				r, err := bound.Judge(ctx, c.node, precision, outputs.At(0).Tensor, nil)
				if errors.As(err, new(*bound.Unknown)) {
					return
				}
				Expect(err).NotTo(HaveOccurred(), which)
				Expect(r.Ratio).To(BeNumerically("<=", 1), "%s: %+v", which, r)
				judged++
			})
			Expect(judged).To(BeNumerically(">=", 40))
		})
	}
})
