package locate_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/testing/pythontest"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// digest is the committed models of real exporters that `make test` takes: one of each kind, and
// quick to run. `make written` takes all of them, or the models of a folder.
var digest = []string{"resnet/torchscript_qdq", "bert/torchscript_dynamic", "detector/torchscript",
	"forest/zipmap", "keras/tf2onnx", "logistic/tensor_12"}

// fieldModels are the models in the folder of MODELPARITY_FIELD, or the digest's models.
func fieldModels() (files []string) {
	GinkgoHelper()
	folder := os.Getenv("MODELPARITY_FIELD")
	if folder == "" {
		for _, name := range digest {
			files = append(files, filepath.Join("..", "conformance", "field", "testdata", name+".onnx.gz"))
		}
		return files
	}
	Expect(filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".onnx") || strings.HasSuffix(path, ".onnx.gz") {
			files = append(files, path)
		}
		return err
	})).To(Succeed())
	Expect(files).NotTo(BeEmpty())
	return files
}

// unpacked is a model's file as it was before gzip.
func unpacked(path, folder string) string {
	GinkgoHelper()
	plain, packed := strings.CutSuffix(path, ".gz")
	if !packed {
		return path
	}
	data, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	reader, err := gzip.NewReader(bytes.NewReader(data))
	Expect(err).NotTo(HaveOccurred())
	data, err = io.ReadAll(reader)
	Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(folder, filepath.Base(plain))
	Expect(os.WriteFile(file, data, 0o600)).To(Succeed())
	return file
}

// refusals is what ONNX's checker says of files with shape inference, and what an engine's outputs
// are that are not as the file declares them. ran is inputs by file; such a file runs too. What the
// exporter has declared of a tensor, right or wrong, stays: of is the exporter's file.
func refusals(python string, files []string, ran, of map[string]string) map[string]string {
	GinkgoHelper()
	const program = `
import json, sys
import numpy, onnx, onnxruntime
request = json.load(sys.stdin)
onnxruntime.set_default_logger_severity(4)
found = {}
for f in request["files"]:
    try:
        onnx.checker.check_model(f, full_check=True)
        inputs = request["ran"].get(f)
        if inputs:
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = onnxruntime.InferenceSession(f, options, providers=["CPUExecutionProvider"])
            names = {i.name for i in session.get_inputs()}
            fed = {k: v for k, v in numpy.load(inputs).items() if k in names}
            for o, v in zip(session.get_outputs(), session.run(None, fed)):
                if not isinstance(v, numpy.ndarray): continue
                want = onnx.helper.np_dtype_to_tensor_dtype(v.dtype)
                got = next(x for x in onnx.load(f).graph.output if x.name == o.name)
                if got in onnx.load(request["of"][f]).graph.value_info: continue
                got = got.type.tensor_type
                dims = [d.dim_value for d in got.shape.dim]
                if got.elem_type != want or len(dims) != v.ndim or any(
                        d and d != n for d, n in zip(dims, v.shape)):
                    found[f] = f"{o.name} is {v.dtype}{list(v.shape)}, and declared as {got}"
    except Exception as e:
        found[f] = str(e)
json.dump(found, sys.stdout)
`
	request, err := json.Marshal(map[string]any{"files": files, "ran": ran, "of": of})
	Expect(err).NotTo(HaveOccurred())
	command := exec.Command(python, "-c", program)
	command.Stdin, command.Stderr = bytes.NewReader(request), GinkgoWriter
	said, err := command.Output()
	Expect(err).NotTo(HaveOccurred())
	var found map[string]string
	Expect(json.Unmarshal(said, &found)).To(Succeed(), string(said))
	return found
}

var _ = Describe("what is written of real exporters' models", Label("field"), func() {
	It("passes ONNX's checker with shape inference: cut, reduced, marked and extracted",
		func(ctx SpecContext) {
			ort.Require(GinkgoT())
			python := pythontest.With(GinkgoT(), "onnx", "onnxruntime")
			folder := GinkgoT().TempDir()
			originals, written := []string{}, map[string][]string{}
			ran, of := map[string]string{}, map[string]string{}
			var files []string
			for i, path := range fieldModels() {
				own := filepath.Join(folder, fmt.Sprint(i))
				Expect(os.Mkdir(own, 0o700)).To(Succeed())
				file := unpacked(path, own)
				inputs := filepath.Join(filepath.Dir(path), "inputs.npz")
				w := writer{file: file, folder: own, model: loaders.ONNX(file)}
				// ONNX Runtime's optimiser refuses some of what it has optimised before.
				w.subject = backends.Subject{Engine: plain, Model: w.model,
					Inputs: fixtures.LoadFor(w.model, inputs)}
				if _, err := backends.RunIn(ctx, plain, w.model, w.subject.Inputs); err != nil {
					AddReportEntry("does not run", path+": "+err.Error())
					continue
				}
				w.extract(ctx)
				w.mark(ctx)
				w.reduce(ctx)
				for _, marked := range w.marked {
					ran[marked], of[marked] = inputs, file
				}
				originals, written[file] = append(originals, file), w.written
				files = append(files, w.written...)
			}
			wrong := refusals(python, slices.Concat(originals, files), ran, of)
			held := 0
			for _, original := range originals {
				if said, refused := wrong[original]; refused {
					AddReportEntry("refused as the exporter wrote it", original+": "+said)
					continue
				}
				for _, file := range written[original] {
					Expect(wrong).NotTo(HaveKey(file), "of %s", original)
					held++
				}
			}
			AddReportEntry("models", fmt.Sprintf("%d files of %d models pass", held, len(originals)))
			Expect(held).To(BeNumerically(">=", 8*len(originals)*9/10), "%v", wrong)
		})
})

// writer writes what can be written of a model.
type writer struct {
	file, folder    string
	model           *loaders.Model
	subject         backends.Subject
	written, marked []string
}

// at is the first tensor that a node gives, some way through the graph: a node whose result
// depends on the inputs.
func (w *writer) at(share float64) loaders.Node {
	GinkgoHelper()
	nodes, err := w.model.Nodes()
	Expect(err).NotTo(HaveOccurred())
	inputs, err := w.model.Inputs()
	Expect(err).NotTo(HaveOccurred())
	live := map[string]bool{}
	for _, v := range inputs {
		live[v.Name] = true
	}
	var list []loaders.Node
	for _, n := range nodes {
		reads := slices.Concat(n.Inputs, n.Captured)
		if !slices.ContainsFunc(reads, func(name string) bool { return live[name] }) ||
			n.Outputs[0] == "" || n.Op == "ZipMap" || strings.HasPrefix(n.Op, "Sequence") {
			continue
		}
		for _, name := range n.Outputs {
			live[name] = name != ""
		}
		list = append(list, n)
	}
	Expect(list).NotTo(BeEmpty())
	return list[int(share*float64(len(list)-1))]
}

// named is the next file.
func (w *writer) named(what string) string {
	return filepath.Join(w.folder, fmt.Sprintf("%d_%s.onnx", len(w.written), what))
}

// keep notes a file that was written, and holds it to the names of dimensions of the model.
func (w *writer) keep(file string) {
	GinkgoHelper()
	w.written = append(w.written, file)
	m := loaders.ONNX(file)
	inputs, err := m.Inputs()
	Expect(err).NotTo(HaveOccurred())
	outputs, err := m.Outputs()
	Expect(err).NotTo(HaveOccurred())
	for _, v := range slices.Concat(inputs, outputs) {
		declared, err := w.model.Declared(v.Name)
		Expect(err).NotTo(HaveOccurred())
		if d, ok := declared[v.Name]; ok {
			if !d.HasShape { // the run's shape is written unless declared
				v.HasShape, v.Dims = false, nil
			}
			Expect(v.String()).To(Equal(d.String()), "%s in %s", v.Name, filepath.Base(file))
		}
	}
}

// extract cuts parts out, in the way of `modelparity cut`.
func (w *writer) extract(ctx context.Context) {
	GinkgoHelper()
	for _, ends := range [][2]float64{{0, 0.3}, {0.2, 0.8}, {0.5, 1}, {0.7, 0.7}} {
		to := w.at(ends[1]).Outputs[:1]
		var from []string
		if ends[0] > 0 {
			for _, name := range w.at(ends[0]).Inputs {
				declared, err := w.model.Declared(name)
				Expect(err).NotTo(HaveOccurred())
				names, err := w.model.TensorNames()
				Expect(err).NotTo(HaveOccurred())
				if d, ok := declared[name]; names[name] && (!ok || d.Kind == loaders.Tensor) {
					from = append(from, name)
				}
			}
		}
		part, err := locate.Extract(ctx, w.subject, from, to)
		Expect(err).NotTo(HaveOccurred(), "%s from %v to %v", w.file, from, to)
		file := w.named("part")
		Expect(part.Save(file)).NotTo(BeEmpty())
		w.keep(file)
	}
}

// mark marks one tensor and all of them.
func (w *writer) mark(ctx context.Context) {
	GinkgoHelper()
	every, err := w.model.Select(loaders.Selection{All: true,
		ExceptOps: w.having("ZipMap", "SequenceEmpty", "SequenceConstruct", "SplitToSequence")})
	Expect(err).NotTo(HaveOccurred())
	for _, names := range [][]string{{w.at(0.5).Outputs[0]}, every} {
		marked, err := locate.Mark(ctx, w.subject, names...)
		Expect(err).NotTo(HaveOccurred(), w.file)
		file := w.named("marked")
		Expect(marked.Save(file)).To(Succeed())
		w.marked = append(w.marked, file)
		w.keep(file)
	}
}

// having returns the operators that occur in the model.
func (w *writer) having(operators ...string) (found []string) {
	nodes, err := w.model.Nodes()
	Expect(err).NotTo(HaveOccurred())
	for _, n := range nodes {
		if slices.Contains(operators, n.Op) && !slices.Contains(found, n.Op) {
			found = append(found, n.Op)
		}
	}
	return found
}

// reduce looks for an operator, and writes the smallest part with it and one without.
func (w *writer) reduce(ctx context.Context) {
	GinkgoHelper()
	wanted := w.at(0.6)
	has := func(_ context.Context, c *locate.Candidate) (bool, error) {
		nodes, err := c.Model.Nodes()
		return slices.ContainsFunc(nodes, func(n loaders.Node) bool {
			return slices.Contains(n.Outputs, wanted.Outputs[0]) || n.Op == wanted.Op &&
				n.Name == wanted.Name && n.Name != ""
		}), err
	}
	other := loaders.ONNX(w.file) // the same model as the expected side's
	recorder := w.subject
	recorder.Model = other
	reduced, err := locate.Reduce(ctx, w.subject, has, locate.ReduceOptions{Good: true,
		Recorder: recorder})
	Expect(err).NotTo(HaveOccurred(), w.file)
	file := w.named("reduced")
	_, err = reduced.Part.Save(file)
	Expect(err).NotTo(HaveOccurred(), w.file)
	counterpart, err := reduced.Part.Counterpart(other)
	Expect(err).NotTo(HaveOccurred(), w.file)
	expected := strings.TrimSuffix(file, ".onnx") + ".expected.onnx"
	Expect(counterpart.Save(expected)).To(Succeed())
	w.keep(file)
	w.keep(expected)
	if reduced.Good != nil {
		good := w.named("good")
		_, err := reduced.Good.Save(good)
		Expect(err).NotTo(HaveOccurred(), w.file)
		w.keep(good)
	}
}
