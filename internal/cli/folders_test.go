package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/files"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// intoFolders has a command line for each flag that names a folder to write to. Each writes files
// into the folder out.
var intoFolders = map[string][]string{
	"--output-dir": {"run", "neg.onnx", "--onnxrt", "--output-dir", "out", "--save-outputs", "o.json"},
	"--save-heatmaps": {"run", "neg.onnx", "--onnxrt", "--load-outputs", "relu.json",
		"--save-heatmaps", "out"},
	"--save-error-metrics-plot": {"run", "neg.onnx", "--onnxrt", "--load-outputs", "relu.json",
		"--save-error-metrics-plot", "out"},
	"--save-input-blob": {"run", "neg.onnx", "--onnxrt", "--save-input-blob", "out", "--smoke"},
	"--save-found": {"search", "neg.onnx", "relu.onnx", "--onnxrt", "--trials", "9", "--save-found",
		"out"},
	"--save-test-data": {"reduce", "neg.onnx", "relu.onnx", "--onnxrt", "-o", "r.onnx",
		"--save-test-data", "out"},
	"--artifacts-dir": {"debug", "repeat", "--until", "1", "--artifacts", "seen.txt",
		"--artifacts-dir", "out", "--check", "sh", "-c", "echo x > seen.txt"},
	"--output": {}, // of inspect capability, see toolbox.txtar
}

// TestNoLinkLeadsOutOfAFolder runs each command into a new folder, and then again for each file
// that it wrote, with a link to elsewhere in its place, or in the place of its subfolder.
func TestNoLinkLeadsOutOfAFolder(t *testing.T) {
	ort.Require(t)
	for command, flags := range requests {
		for _, f := range flags() {
			reads := f.File == files.Reads || f.Name == "--dir" || f.Name == "--external-data-dir"
			if f.Value == "DIR" && !reads && intoFolders[f.Name] == nil {
				t.Errorf("%s %s: say in intoFolders how it is used", command, f.Name)
			}
		}
	}
	for flag, line := range intoFolders {
		if len(line) == 0 {
			continue
		}
		t.Run(flag, func(t *testing.T) {
			written, said := intoFolder(t, line, "")
			if len(written) == 0 {
				t.Fatal("wrote nothing: ", said)
			}
			links := map[string]bool{}
			for _, name := range written {
				links[name] = true
				if folder := filepath.Dir(name); folder != "." {
					links[strings.Split(folder, string(filepath.Separator))[0]] = true
				}
			}
			for link := range links {
				if _, said := intoFolder(t, line, link); !strings.Contains(said, "link leads out") &&
					!strings.Contains(said, "not empty") && !strings.Contains(said, "exists already") {
					t.Errorf("%q with the link %s says %s", line, link, said)
				}
			}
		})
	}
}

// intoFolder runs a command in a new working directory, and returns the files below its folder out.
// If link is not "", it is a link in that folder to a file, or a folder, that must not change.
func intoFolder(t *testing.T, line []string, link string) (written []string, said string) {
	t.Helper()
	t.Chdir(t.TempDir())
	value := func(name string) []onnxtest.Value {
		return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{4}}}
	}
	err := errors.Join(os.Mkdir("elsewhere", 0o755),
		os.WriteFile("victim", []byte("as it was"), 0o600))
	for name, operator := range map[string]string{"neg.onnx": "Neg", "relu.onnx": "Relu"} {
		model := onnxtest.Model{Graph: onnxtest.Graph{Inputs: value("x"), Outputs: value("y"),
			Nodes: []onnxtest.Node{{Op: operator, Name: "n", In: []string{"x"}, Out: []string{"y"}}}}}
		err = errors.Join(err, os.WriteFile(name, model.Bytes(), 0o600))
	}
	if link != "" {
		to, wrong := filepath.Abs("victim")
		if filepath.Ext(link) == "" && link != "search.corpus" {
			to, wrong = filepath.Abs("elsewhere")
		}
		err = errors.Join(err, wrong, os.MkdirAll(filepath.Dir(filepath.Join("out", link)), 0o755),
			os.Symlink(to, filepath.Join("out", link)))
	}
	if err != nil {
		t.Skip("this system has no links: ", err)
	}
	var out bytes.Buffer
	execute(t.Context(), strings.Fields("run relu.onnx --onnxrt --save-outputs relu.json"), &out, &out)
	out.Reset()
	status := execute(t.Context(), line, &out, &out)
	if link != "" && status != unusable {
		t.Errorf("%q with the link %s: exit status %d", line, link, status)
	}
	elsewhere, err := os.ReadDir("elsewhere")
	victim, wrong := os.ReadFile("victim")
	if len(elsewhere) > 0 || string(victim) != "as it was" || errors.Join(err, wrong) != nil {
		t.Errorf("%q follows the link %s out of the folder", line, link)
	}
	err = filepath.WalkDir("out", func(path string, item fs.DirEntry, err error) error {
		if err == nil && !item.IsDir() {
			path, err = filepath.Rel("out", path)
			written = append(written, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	return written, out.String()
}
