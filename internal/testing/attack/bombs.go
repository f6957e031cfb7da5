//go:build linux || darwin

package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelparity/modelparity/internal/testing/onnxtest"
)

// bomb is a small file that claims to be large, or that is dear to read.
type bomb struct {
	name  string
	write func(io.Writer) error
	reads [][]string // commands; the file's path takes the place of "BOMB"
}

// bombs feeds every reader what would take far more memory or time than the file is worth.
func bombs(ctx context.Context, a *attack, r *result) error {
	folder := filepath.Join(a.dir, "bombs")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	base, err := a.cost(ctx, "inspect", filepath.Join(a.root, gemm))
	if err != nil {
		return err
	}
	var w worst
	for _, b := range bombList() {
		if ctx.Err() != nil {
			r.fail("out of time before %s", b.name)
			break
		}
		path := filepath.Join(folder, b.name)
		make := exec.CommandContext(ctx, a.self, bombCommand, path)
		if output, err := make.CombinedOutput(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("%s: %w\n%s", b.name, err, output)
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		for _, read := range b.reads {
			v := victim{base: base}
			for _, arg := range read {
				if strings.HasPrefix(arg, "BOMB") {
					v.bytes += info.Size()
				}
				v.args = append(v.args, strings.Replace(arg, "BOMB", path, 1))
			}
			r.tries++
			wrong, err := a.strike(ctx, v, &w)
			if err != nil {
				return err
			}
			if wrong != "" {
				r.fail("%s", wrong)
			}
		}
	}
	r.notes = w.String()
	return nil
}

// bombCommand is the first argument of this program where it writes the bomb of a path's name.
const bombCommand = "bomb"

func writeBomb(path string) error {
	for _, b := range bombList() {
		if b.name != filepath.Base(path) {
			continue
		}
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		return errors.Join(b.write(file), file.Close())
	}
	return fmt.Errorf("nothing is called %s", path)
}

// The commands that read saved runs and models.
var (
	asRun   = [][]string{{"compare", "BOMB", "BOMB"}, {"inspect", "BOMB"}}
	asModel = [][]string{{"inspect", "BOMB", "--full"}, {"inspect", "BOMB"},
		{"cut", "BOMB", "-o", "BOMB.part", "--to", "y"}}
)

func bombList() []bomb {
	return []bomb{
		{"one.npz", npzBomb(1, 1<<31), asRun},
		{"many.npz", npzBomb(64, 64<<20), asRun},
		{"overlap.safetensors", overlapping(20_000), asRun},
		{"claims.npy", func(w io.Writer) error {
			return npy(w, "(4611686018427387904,)", 16)
		}, asRun},
		{"product.npy", func(w io.Writer) error { // 2^64 elements are 0 in 64 bits
			return npy(w, "(4294967296, 4294967296)", 0)
		}, asRun},
		{"runs.json", repeated(`{"lst": [`, `["r", []]`, 3_000_000,
			`], "polygraphy_class": "RunResults"}`), asRun},
		{"deep.json", repeated("", "[", 5_000_000, ""), asRun},
		{"deep-objects.json", repeated("", `{"lst":`, 1_000_000, ""), asRun},
		{"digits.json", repeated(`{"lst": `, "9", 20_000_000, "}"), asRun},
		{"nodes.onnx", model(1_000_000, onnxtest.Message(onnxtest.Message(onnxtest.Message(nil, 1,
			[]byte("x")), 2, []byte("y")), 4, []byte("Relu"))), asModel},
		{"empty-nodes.onnx", model(5_000_000, nil), asModel},
		{"wide.onnx", lazily(func() func(io.Writer) error {
			return model(1, onnxtest.Message(wide(1_000_000), 4, []byte("Concat")))
		}), asModel},
		{"deep.onnx", lazily(func() func(io.Writer) error { return deepModel(20_000) }), asModel},
		{"dims.onnx", lazily(func() func(io.Writer) error { return manyDims(5_000_000) }), asModel},
		{"groups.onnx", func(w io.Writer) error {
			_, err := w.Write(bytes.Repeat([]byte{7<<3 | 3}, 5_000_000))
			return err
		}, asModel},
	}
}

// lazily makes a bomb when it is written. This program has to stay small, because a victim's peak
// is at least its parent's size: see residentPeak.
func lazily(make func() func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error { return make()(w) }
}

// npzBomb is an archive of arrays of zeros.
func npzBomb(members int, each int64) func(io.Writer) error {
	return func(w io.Writer) error {
		archive := zip.NewWriter(w)
		archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(w, flate.BestCompression)
		})
		for i := range members {
			member, err := archive.Create(fmt.Sprintf("a%d.npy", i))
			if err != nil {
				return err
			}
			if err := npy(member, fmt.Sprintf("(%d,)", each/4), 0); err != nil {
				return err
			}
			if _, err := io.Copy(member, io.LimitReader(zeros{}, each)); err != nil {
				return err
			}
		}
		return archive.Close()
	}
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// npy writes the head of an array of float32 of that shape, and some bytes of data.
func npy(w io.Writer, shape string, data int) error {
	head := "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }"
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	_, err := w.Write(append(append(file, head...), make([]byte, data)...))
	return err
}

// overlapping is a file of tensors that all lie over one another.
func overlapping(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		const size = 4 << 20
		head := map[string]any{}
		for i := range n {
			head[fmt.Sprintf("t%d", i)] = map[string]any{"dtype": "F32", "shape": []int{size / 4},
				"data_offsets": []int{0, size}}
		}
		text, err := json.Marshal(head)
		if err != nil {
			return err
		}
		file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
		_, err = w.Write(append(append(file, text...), make([]byte, size)...))
		return err
	}
}

// repeated is a text with a part that comes again and again, with commas between objects.
func repeated(before, part string, n int, after string) func(io.Writer) error {
	if strings.HasSuffix(part, "]") {
		after, n = part+after, n-1
		part += ","
	}
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		const chunk = 1000
		for ; n >= chunk; n -= chunk {
			if _, err := io.WriteString(w, strings.Repeat(part, chunk)); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, strings.Repeat(part, n)+after)
		return err
	}
}

// model is a model of n equal nodes from x to y.
func model(n int, node []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		one := onnxtest.Message(nil, 1, node)
		graph := bytes.Repeat(one, n)
		for field, name := range map[protowire.Number]string{11: "x", 12: "y"} {
			value := onnxtest.Value{Name: name, Elem: 1, Dims: []any{4}}
			graph = onnxtest.Message(graph, field, value.Bytes())
		}
		opset := onnxtest.Varint(nil, 2, 19)
		_, err := w.Write(onnxtest.Message(onnxtest.Message(onnxtest.Varint(nil, 1, 9), 7, graph), 8,
			opset))
		return err
	}
}

// wide is the fields of a node with n inputs and the output y.
func wide(n int) []byte {
	return onnxtest.Message(bytes.Repeat(onnxtest.Message(nil, 1, []byte("x")), n), 2, []byte("y"))
}

// deepModel is a model whose node has a graph, whose node has a graph, and so on.
func deepModel(depth int) func(io.Writer) error {
	node := onnxtest.Message(onnxtest.Message(nil, 2, []byte("y")), 4, []byte("Identity"))
	for range depth {
		graph := onnxtest.Message(nil, 1, node)
		attribute := onnxtest.Varint(onnxtest.Message(onnxtest.Message(nil, 1, []byte("body")), 6, graph),
			20, 5)
		node = onnxtest.Message(onnxtest.Message(onnxtest.Message(nil, 2, []byte("y")), 4,
			[]byte("Loop")), 5, attribute)
	}
	return model(1, node)
}

// manyDims is a model with a weight of n dimensions of 1.
func manyDims(n int) func(io.Writer) error {
	weight := bytes.Repeat([]byte{1 << 3, 1}, n) // dims: 1
	weight = onnxtest.Message(onnxtest.Varint(weight, 2, 1), 8, []byte("w"))
	return func(w io.Writer) error {
		graph := onnxtest.Message(nil, 5, weight)
		_, err := w.Write(onnxtest.Message(onnxtest.Varint(nil, 1, 9), 7, graph))
		return err
	}
}
