package openvino

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/modelfiles"
	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

// foreign is a model in a format other than ONNX that OpenVINO can read.
type foreign struct {
	path    string
	declare func() (declaration, error)
	digest  func() (string, error)
}

// declaration contains the inputs and outputs that a file declares.
type declaration struct{ inputs, outputs []loaders.Value }

// File names a model in one of the formats of OpenVINO's frontends: its own IR (.xml, with the
// weights in a .bin next to it), TensorFlow (.pb, or the folder of a saved model), TensorFlow Lite
// (.tflite), or PaddlePaddle (.pdmodel or .json, with a .pdiparams next to it). The model runs only
// in this engine. Package fixtures can generate inputs for it:
//
//	model := openvino.File("testdata/resnet18.xml")
//	inputs := fixtures.Random(model)
//	Expect(openvino.Run(ctx, model, inputs)).To(MatchGolden("resnet18"))
//
// File does no work and cannot fail. OpenVINO reads the file when it is first needed; only then is
// a missing library an error. An input or output without a name is named after its position:
// input_0, output_1.
func File(path string) fixtures.Declaration { return newFile(path) }

func newFile(path string) *foreign {
	f := &foreign{path: path}
	f.declare = sync.OnceValues(f.ports)
	f.digest = sync.OnceValues(f.sum)
	return f
}

// Name returns the file's base name.
func (f *foreign) Name() string { return filepath.Base(f.path) }

// Format describes the file for messages: "a TensorFlow Lite model, which only OpenVINO runs".
func (f *foreign) Format() string {
	if title := FormatOf(f.path); title != "" {
		return title + ", which only OpenVINO runs"
	}
	return "a model that only OpenVINO runs"
}

// Inputs returns the model's inputs, in order.
func (f *foreign) Inputs() ([]loaders.Value, error) {
	d, err := f.declare()
	return d.inputs, err
}

// Outputs returns the model's outputs, in order.
func (f *foreign) Outputs() ([]loaders.Value, error) {
	d, err := f.declare()
	return d.outputs, err
}

// SHA256 returns the hexadecimal SHA-256 of the file. If the model is a folder or has weight files,
// the checksum covers the names, lengths and bytes of all its files; see [loaders.Model.SHA256].
func (f *foreign) SHA256() (string, error) { return f.digest() }

func (f *foreign) ports() (declaration, error) {
	library, err := start("")
	if err != nil {
		return declaration{}, err
	}
	model, err := f.read(context.Background(), library)
	if err != nil {
		return declaration{}, fmt.Errorf("openvino %s: %s: %w", library.Version, f.Name(), explain(err))
	}
	defer model.Close()
	in, out, err := model.Ports()
	return declaration{values("input", in), values("output", out)}, err
}

// read makes OpenVINO read the file. Before that, it opens the file in Go, so that `go test`
// records the file as an input of the test, and so that a missing file gives a clear error.
func (f *foreign) read(ctx context.Context, library *abi.Library) (*abi.Model, error) {
	if _, err := f.digest(); err != nil {
		return nil, err
	}
	return leave(ctx, func() (*abi.Model, error) { return library.ReadFile(f.path) })
}

func (f *foreign) sum() (string, error) {
	digest := new(modelfiles.Digest)
	if info, err := os.Stat(f.path); err == nil && info.IsDir() {
		return f.sumOfFolder(digest)
	}
	file, err := regular.Open(f.path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.path, modelfiles.Reason(err))
	}
	defer file.Close() //nolint:errcheck // closing a file that was only read cannot lose data
	if err := digest.AddFile(modelfiles.Model, file); err != nil {
		return "", err
	}
	return f.sumOf(digest, f.path, f.weights())
}

// sumOfFolder returns the checksum of all files in a folder.
func (f *foreign) sumOfFolder(digest *modelfiles.Digest) (string, error) {
	var names []string
	err := filepath.WalkDir(f.path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(f.path, path)
		names = append(names, name)
		return err
	})
	if err != nil || len(names) == 0 {
		return digest.Sum(), err
	}
	return f.sumOf(digest, filepath.Join(f.path, savedModel), names)
}

// sumOf adds the files in the model's folder to the checksum. A symbolic link that leads out of the
// folder is an error.
func (f *foreign) sumOf(digest *modelfiles.Digest, model string, names []string) (string, error) {
	folders, err := modelfiles.FoldersOf(model)
	if err != nil {
		return "", fmt.Errorf("%s: %w", model, err)
	}
	for _, name := range names {
		file, err := folders.Open(name)
		if err != nil {
			return "", modelfiles.About(filepath.Join(folders.Named, name), err)
		}
		err = digest.AddFile(filepath.ToSlash(name), file)
		if err := errors.Join(err, file.Close()); err != nil {
			return "", err
		}
	}
	return digest.Sum(), nil
}

// Files returns the path of the model's file or folder, and the paths of its weight files.
func (f *foreign) Files() []string {
	files := []string{f.path}
	for _, name := range f.weights() {
		files = append(files, filepath.Join(filepath.Dir(f.path), name))
	}
	return files
}

// weights returns the name of the weight file next to the model's file, if there is one.
func (f *foreign) weights() []string {
	known, _ := formatOf(f.path)
	name := strings.TrimSuffix(f.path, filepath.Ext(f.path)) + known.weights
	if _, err := os.Lstat(name); known.weights == "" || err != nil {
		return nil // reading the model reports a missing file
	}
	return []string{filepath.Base(name)}
}

// values converts OpenVINO's ports to package loaders' description of inputs and outputs.
func values(kind string, ports []abi.Port) []loaders.Value {
	list := make([]loaders.Value, len(ports))
	for i, p := range ports {
		v := loaders.Value{Name: cmp.Or(p.Name, fmt.Sprintf("%s_%d", kind, i)),
			Type: abi.Codes.Element(p.Type), HasShape: p.HasRank}
		v.TypeName = fmt.Sprintf("tensor(%v)", v.Type)
		if v.Type == tensor.Invalid {
			v.TypeName = fmt.Sprintf("tensor(OpenVINO's type %d)", p.Type)
		}

		for _, size := range p.Dims {
			v.Dims = append(v.Dims, loaders.Dim{Size: size})
		}
		list[i] = v
	}
	return list
}

// Description is what OpenVINO reports about a file; `modelparity inspect` prints it.
type Description struct {
	Name    string          `json:"name"`
	Format  string          `json:"format"`
	SHA256  string          `json:"sha256"`
	Version string          `json:"openvino"` // the version of OpenVINO that read the file
	Inputs  []loaders.Value `json:"inputs"`
	Outputs []loaders.Value `json:"outputs"`
}

// Describe reads a [File] with OpenVINO and returns its description.
func Describe(path string) (Description, error) {
	f := newFile(path)
	declared, err := f.declare()
	if err != nil {
		return Description{}, err
	}
	sum, err := f.digest()
	if err != nil {
		return Description{}, err
	}
	library, err := start("")
	if err != nil {
		return Description{}, err
	}
	return Description{f.Name(), FormatOf(f.path), sum, library.Version, declared.inputs,
		declared.outputs}, nil
}
