//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/hostile"
	"github.com/modelparity/modelparity/internal/testing/onnxtest"
	"github.com/modelparity/modelparity/tensor"
)

// scenarios returns the attacks on commands. Attacks on running specs are not included; the
// following packages contain specs about them:
//
//   - golden: updates that are killed or run at the same time
//   - golden, matchers, noise: forged samples and noise
//   - compare/decisions: constant, poisoned or reversed outputs that no rule may let pass
//   - matchers, report/ginkgoreport: hostile names in the messages of specs
//   - backends/served: tokens of servers
func scenarios() []scenario {
	all := slices.Concat(falseVerdicts(), goldenFiles(), costs())
	return append(all, foreignCode(), foreignData(), devices(), hostileNames(), hostileFileNames())
}

func plain(l *layout) {
	l.model("m.onnx", "y", onnxtest.Graph{Nodes: []onnxtest.Node{
		{Op: "Neg", Name: "neg", In: []string{"x"}, Out: []string{"h"}},
		{Op: "Relu", Name: "relu", In: []string{"h"}, Out: []string{"y"}}}})
	l.saved("a.json", l.set("y", tensor.Of[float32](1, 2)))
}

func foreignCode() scenario {
	return scenario{"run code from the working folder", func(l *layout) {
		plain(l)
		for _, module := range []string{"json", "numpy", "polygraphy", "onnx", "onnxruntime", "torch",
			"lpips", "sitecustomize", "encodings", "modelparity"} {
			l.file("open(__file__ + '.pwned', 'w')\n", module+".py", module+"/__init__.py")
		}
		l.file(`{"model": {"decoder": {"filename": "m.onnx", "session_options": {"custom_ops_library": `+
			`"evil.so", "enable_profiling": "pwned"}}, "vocab_size": 4}}`, "genai_config.json")
		l.file("not a library", "evil.so")
		l.file("[1, 2]", "t.json")
	}, []string{"doctor", "run DIR/m.onnx --onnxrt --onnx",
		"compare DIR/a.json DIR/a.json --compare perceptual_metrics",
		"decode DIR --genai --tokens DIR/t.json",
		"run DIR/m.onnx --served http://u:s3cret@127.0.0.1:9/v2/models/m --gen-script DIR/s_test.go",
	}, "012", ""}
}

// foreignData returns the scenario whose models try to read weights from files outside the model's
// folder.
func foreignData() scenario {
	return scenario{"read weights from outside the model's folder", func(l *layout) {
		l.file("0123456789abcdef", "s.bin")
		value := func(name string) []onnxtest.Value {
			return []onnxtest.Value{{Name: name, Elem: 1, Dims: []any{4}}}
		}
		adding := onnxtest.Model{Graph: onnxtest.Graph{Inputs: value("x"), Outputs: value("y"),
			Nodes: []onnxtest.Node{{Op: "Add", In: []string{"x", "w"}, Out: []string{"y"}}}}}
		for i, location := range []string{"*/_ORT_MEM_ADDR_/*", "../s.bin", "/etc/hostname",
			l.dir + "/s.bin", "link.bin", ".\\..\\s.bin", "s.bin", "zero.bin", "pipe.bin"} {
			weight := onnxtest.Tensor{Name: "w", Type: 1, Dims: []int64{4}, Location: location,
				Offset: "0", Length: "16"}
			m := adding
			m.Graph.Initializers = []onnxtest.Tensor{weight}
			l.file(string(m.Bytes()), fmt.Sprintf("sub/m%d.onnx", i))
		}
		late := append(onnxtest.Tensor{Name: "w", Type: 1, Dims: []int64{4}, Location: "s.bin"}.Bytes(),
			onnxtest.Varint(nil, 14, 1<<32+1)...) // a data_location that is 1 if truncated to 32 bits
		merged := onnxtest.Message(nil, 7, onnxtest.Message(nil, 5, late)) // one graph in two parts
		l.file(string(append(adding.Bytes(), merged...)), "sub/m9.onnx")
		l.link("sub/link.bin", "../s.bin")
		l.link("sub/zero.bin", "/dev/zero")
		l.fifo("sub/pipe.bin")
	}, readingWeights(10), "2", ""}
}

// readingWeights returns commands that read the weights of n models.
func readingWeights(n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("run DIR/sub/m%d.onnx --onnxrt", i),
			fmt.Sprintf("convert DIR/sub/m%d.onnx --convert-to onnx --fp-to-fp16 -o DIR/o.onnx", i))
	}
	return lines
}

func devices() scenario {
	t := scenario{forbids: "hang or fill the memory", status: "12", lay: func(l *layout) {
		for _, extension := range []string{"json", "npz", "npy", "pb", "safetensors", "onnx", "xml"} {
			l.link("zero."+extension, "/dev/zero")
			l.fifo("pipe." + extension)
		}
		l.file(`<net name="m" version="11"><layers/><edges/></net>`, "ir.xml")
		l.link("ir.bin", "/dev/zero")
		l.link("testdata/golden/zero.json", "/dev/zero")
		l.fifo("testdata/golden/pipe.json")
	}, each: []string{"golden verify DIR", "run DIR/ir.xml --openvino",
		"compare DIR/zero.json DIR/pipe.json", "report DIR/zero.json -o DIR/page.html",
		"report merge DIR/pipe.json -o DIR/all.json", "check accuracy DIR/zero.json"}}
	for _, extension := range []string{"json", "npz", "npy", "pb", "safetensors", "onnx", "xml"} {
		t.each = append(t.each, "inspect DIR/zero."+extension, "inspect DIR/pipe."+extension)
	}
	return t
}

func falseVerdicts() []scenario {
	ids := func(values ...int64) *tensor.Tensor { return tensor.Of(values...) }
	suite := func(state string) string {
		return `[{"SuitePath": "/a", "SuiteDescription": "a", "SuiteSucceeded": true, "SpecReports": [` +
			`{"LeafNodeType": "It", "LeafNodeText": "s", "State": "passed"},` +
			`{"LeafNodeType": "It", "LeafNodeText": "t", "State": "` + state + `"}]}]`
	}
	return []scenario{
		{"report different runs as equal", func(l *layout) {
			best, worst := tensor.Of[float32](0.9, 0.8, 0.1), tensor.Of[float32](0.1, 0.8, 0.9)
			l.saved("a.json", l.set("X.key", ids(3, 1, 2), "X.value", best))
			l.saved("b.json", l.set("X.key", ids(2, 1, 3), "X.value", worst))
			one := tensor.Scalar[int64](1)
			l.saved("c.json", l.set("p.length", one, "p[0].key", ids(3, 1, 2), "p[0].value", best))
			l.saved("d.json", l.set("p.length", one, "p[0].key", ids(2, 1, 3), "p[0].value", worst))
			weights := func(name string, w string, v string) {
				external := func(name string) onnxtest.Tensor {
					return onnxtest.Tensor{Name: name, Type: 1, Dims: []int64{1}, Location: name + ".bin",
						Offset: "0", Length: "4"}
				}
				l.model(name+"/m.onnx", "y", onnxtest.Graph{
					Initializers: []onnxtest.Tensor{external("v"), external("w")}, Nodes: []onnxtest.Node{
						{Op: "Add", In: []string{"x", "v"}, Out: []string{"h"}},
						{Op: "Mul", In: []string{"h", "w"}, Out: []string{"y"}}}})
				l.file(v, name+"/v.bin")
				l.file(w, name+"/w.bin")
			}
			weights("1", "CCCC", "AAAABBBB") // joined, the same bytes as the weights of 2
			weights("2", "BBBBCCCC", "AAAA")
			for _, state := range []string{"failed", "panicked", "timedout", "interrupted", "aborted"} {
				l.file(suite(state), state+".json")
			}
			l.file(strings.Replace(suite("passed"), "true", "false", 1), "unsuccessful.json")
			l.file(strings.Replace(suite("failed"), `"It"`, `"BeforeSuite"`, 2), "before.json")
			l.file(strings.TrimSuffix(suite("passed"), "]")+","+suite("failed")[1:], "second.json")
			l.saved("e.json", l.set("X.key", ids(1, 2), "X.value", ids(5, 6), "X.length", ids(2)))
			l.saved("f.json", l.set("X.key", ids(2, 1), "X.value", ids(6, 5), "X.length", ids(2)))
			l.saved("g.json", l.set("X[0]", best, "X[1]", worst, "X.length", tensor.Scalar[int64](2)))
			l.saved("h.json", l.set("X[1]", best, "X[0]", worst, "X.length", tensor.Scalar[int64](2)))
		}, []string{"compare DIR/a.json DIR/b.json --atol 0 --rtol 0",
			"compare DIR/c.json DIR/d.json --atol 0 --rtol 0",
			"compare DIR/e.json DIR/f.json --atol 0 --rtol 0",
			"compare DIR/g.json DIR/h.json --atol 0 --rtol 0",
			"report merge DIR/unsuccessful.json -o DIR/all.json",
			"report merge DIR/before.json -o DIR/all.json", "report merge DIR/second.json -o DIR/all.json",
			"inspect DIR/1/m.onnx DIR/2/m.onnx",
			"report merge DIR/failed.json -o DIR/all.json", "report merge DIR/panicked.json -o DIR/all.json",
			"report merge DIR/timedout.json -o DIR/all.json",
			"report merge DIR/interrupted.json -o DIR/all.json",
			"report merge DIR/aborted.json -o DIR/all.json"}, "1", ""},
		{"report equal runs as different", func(l *layout) {
			l.saved("a.json", l.set("X.key", ids(1, 1), "X.value", tensor.Of[float32](1, 2)))
		}, []string{"compare DIR/a.json DIR/a.json"}, "0", ""},
	}
}

// goldenFiles returns the scenarios that try to damage, forge or overwrite golden files.
func goldenFiles() (all []scenario) {
	for _, edit := range [][2]string{{`"format": 2`, `"format": 1`}, {`"format": 2`, `"format": 0`},
		{`"format": 2`, `"format": 2.0`}, {`"format": 2`, `"format": "2"`}, {`"format": 2`, `"form": 2`},
		{`"format": 2`, `"format": 2, "format": 1`}, {`"format": 2`, `"format": 1, "format": 2`},
		{`"kind": "golden"`, `"kind": "run"`}, {`"backend": "attack"`, `"backend": "other"`},
		{`"sha256": "`, `"sha257": "`}, {`"mean":`, `"max":`}, {`"values":[1,`, `"values":[9,`}} {
		all = append(all, scenario{"accept a golden file with " + edit[1], func(l *layout) {
			l.saved("testdata/golden/g.json", l.set("y", tensor.Of[float32](1, 2)))
			l.edited("testdata/golden/g.json", edit[0], edit[1])
		}, []string{"golden verify DIR"}, "1", "golden files that match their checksums: 0 of 1"})
	}
	all = append(all, scenario{"accept a golden file whose header has no checksum", func(l *layout) {
		l.saved("testdata/golden/g.json", l.set("y", tensor.Of[float32](1, 2)))
		text, err := os.ReadFile(l.path("testdata/golden/g.json"))
		from := bytes.Index(text, []byte("],\n  \"sha256\""))
		to := bytes.Index(text, []byte("\n},\n\"lst\""))
		if l.err = errors.Join(l.err, err); from < 0 || to < 0 {
			l.err = errors.Join(l.err, errors.New("the layout of golden files has changed"))
			return
		}
		without := string(text[:from+1]) + string(text[to:])
		l.file(without, "testdata/golden/g.json")
		l.file(strings.Replace(without, `"format": 2`, `"format": 1`, 1), "testdata/golden/h.json")
	}, []string{"golden verify DIR"}, "1", "golden files that match their checksums: 0 of 2"})
	forged := scenario{"change a file listed in a forged review entry", func(l *layout) {
		l.saved("testdata/golden/g.json", l.set("y", tensor.Of[float32](1, 2)))
		l.file("module m\n", "go.mod")
		l.file("{}", "settings.json")
		for i, file := range []string{"settings.json", "../settings.json", "testdata/golden/../../go.mod",
			l.dir + "/settings.json", "testdata/golden/new.json"} {
			l.file(fmt.Sprintf(`{"format": 1, "file": %q, "was": "", "is": "00", "change": {"kind": `+
				`"rewritten", "path": %q}}`, file, file), fmt.Sprintf("review/entries/%d.json", i))
		}
		l.file("{}", "review/files/00.json")
	}, []string{"golden accept", "golden accept --all", "golden diff"}, "012", ""}
	var onto []string
	for _, to := range []string{"DIR/testdata/golden/g.json", "DIR/gold.json", "DIR/link.json",
		"DIR/folder/g.json", "DIR/out/../testdata/./golden/g.json", "DIR/chain.json"} {
		for _, line := range []string{"compare DIR/a.json DIR/a.json --report",
			"compare DIR/a.json DIR/a.json --log-file", "run DIR/m.onnx --onnxrt --save-outputs",
			"compare DIR/a.json DIR/a.json --save-accuracy-results", "run DIR/m.onnx --onnxrt --save-inputs",
			"run DIR/m.onnx --onnxrt --save-onnx", "cut DIR/m.onnx --to h -o",
			"golden export DIR/gold.json -o",
			"convert DIR/m.onnx --convert-to onnx -o", "surgeon sanitize DIR/m.onnx -o",
			"template DIR/m.onnx -o", "data merge DIR/a.json -o", "golden ls DIR --log-file",
			"locate DIR/m.onnx --onnxrt --onnxrt --report", "report DIR/a.json -o"} {
			onto = append(onto, line+" "+to)
		}
	}
	out := scenario{"follow a link out of the model's folder", func(l *layout) {
		plain(l)
		l.file("unchanged", "victim")
		for _, name := range []string{"o.onnx.data", "o.onnx.inputs.json", "o.onnx.1", "o_test.go"} {
			l.link("out/"+name, "../victim")
		}
	}, []string{"cut DIR/m.onnx --to h -o DIR/out/o.onnx",
		"surgeon sanitize DIR/m.onnx -o DIR/out/o.onnx --save-external-data " +
			"--external-data-size-threshold 1"}, "2", "a link leads out of the folder"}
	return append(all, forged, out, scenario{"replace a golden file", func(l *layout) {
		plain(l)
		l.saved("testdata/golden/g.json", l.set("y", tensor.Of[float32](1, 2)))
		l.saved("golden/g.json", l.set("y", tensor.Of[float32](1, 2)))
		l.link("gold.json", "golden/g.json")
		l.link("link.json", "testdata/golden/g.json")
		l.link("chain.json", "link.json")
		l.link("folder", "testdata/golden")
		l.saved("out/golden/report.json", l.set("y", tensor.Of[float32](1, 2)))
	}, append(onto, "compare DIR/a.json DIR/a.json --output-dir DIR/out/golden"), "2", "golden file"})
}

// many is the number of items in the expensive files of the scenarios in [costs]. A command whose
// time grows faster than linearly exceeds their time limit.
const many = 20_000

// costs returns the scenarios with expensive files: they contain many outputs, nodes or specs, or
// are deeply nested.
func costs() []scenario {
	const forbids = "take more than linear time or memory"
	lay := func(l *layout) {
		sequence, outputs := []any{"s.length", tensor.Scalar[int64](many)}, []any(nil)
		for i := range many {
			sequence = append(sequence, fmt.Sprintf("s[%d]", i), tensor.Scalar(float32(i)))
			outputs = append(outputs, fmt.Sprintf("o%d", i), tensor.Scalar(float32(i)))
		}
		l.saved("seq.json", l.set(sequence...))
		for _, name := range []string{"many.json", "many.safetensors", "testdata/golden/many.json"} {
			l.saved(name, l.set(outputs...))
		}
		sequence[3], outputs[1] = tensor.Scalar[float32](-1), tensor.Scalar[float32](-1)
		l.saved("seq2.json", l.set(sequence...))
		l.saved("many2.json", l.set(outputs...))
		deep, name := []any{"y", tensor.Scalar[float32](1)}, "d"
		for range 1500 {
			deep, name = append(deep, name+".length", tensor.Scalar[int64](1)), name+"[0]"
		}
		l.saved("deep.json", l.set(deep...))
		l.ifs("ifs.onnx", 2000)
		l.chain("Neg", many)
		l.chain("Abs", many)
		const spec = `{"LeafNodeType": "It", "LeafNodeText": "s", "State": "passed"}`
		l.file(`[{"SuitePath": "/a", "SuiteSucceeded": true, "SpecReports": [`+
			strings.Repeat(spec+",", many)+spec+`]}]`, "specs.json")
	}
	return []scenario{
		{forbids, lay, []string{"inspect DIR/seq.json", "inspect DIR/ifs.onnx --full",
			"compare DIR/seq.json DIR/seq2.json --report DIR/r.json",
			"inspect DIR/deep.json", "compare DIR/deep.json DIR/deep.json", "inspect DIR/many.json --json",
			"compare DIR/many.json DIR/many2.json --report DIR/r.json -v",
			"convert DIR/ifs.onnx --convert-to onnx --fp-to-fp16 -o DIR/o.onnx",
			"surgeon sanitize DIR/ifs.onnx -o DIR/o.onnx", "inspect DIR/Neg.onnx DIR/Abs.onnx",
			"cut DIR/Neg.onnx --to Neg9999 -o DIR/o.onnx"}, "01", ""},
		{forbids, lay, []string{"golden verify DIR", "inspect DIR/many.safetensors",
			"golden export DIR/testdata/golden/many.json -o DIR/o.npz",
			"data merge DIR/many.safetensors -o DIR/o.json",
			"report merge DIR/specs.json -o DIR/o.json", "report DIR/specs.json -o DIR/o.html"}, "0", ""},
	}
}

// ifs writes a model of n If nodes, each with two branches.
func (l *layout) ifs(name string, n int) {
	body := onnxtest.Graph{
		Nodes:   []onnxtest.Node{{Op: "Relu", In: []string{"x"}, Out: []string{"b"}}},
		Outputs: []onnxtest.Value{{Name: "b", Elem: 1}}}
	g := onnxtest.Graph{Inputs: []onnxtest.Value{{Name: "c", Elem: 9, Dims: []any{}}}}
	for i := range n {
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: "If", In: []string{"c"},
			Out: []string{fmt.Sprintf("y%d", i)}, Attrs: []onnxtest.Attr{
				{Name: "then_branch", Graph: &body}, {Name: "else_branch", Graph: &body}}})
	}
	l.model(name, "y0", g)
}

// chain writes a model of n nodes with the same operator, each of which reads the previous one.
func (l *layout) chain(op string, n int) {
	var g onnxtest.Graph
	from := "x"
	for i := range n {
		to := fmt.Sprintf("%s%d", op, i)
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: op, Name: to, In: []string{from}, Out: []string{to}})
		from = to
	}
	l.model(op+".onnx", from, g)
}

// hostileNames returns the scenario whose files contain hostile names. If the names were printed
// unescaped, they could control a terminal or a build server.
func hostileNames() scenario {
	return scenario{"print names without escaping them", func(l *layout) {
		var a, b []any
		var g onnxtest.Graph
		from := "x"
		for _, name := range hostile.Names {
			a, b = append(a, name, tensor.Of[float32](1)), append(b, name, tensor.Of[float32](2))
			g.Nodes = append(g.Nodes, onnxtest.Node{Op: "Neg", Name: name, In: []string{from},
				Out: []string{name}, Metadata: [][2]string{{name, name}}})
			from = name
		}
		l.saved("a.json", l.set(a...))
		l.saved("b.json", l.set(b...))
		l.saved("testdata/golden/g.json", l.set(a...))
		l.model("m.onnx", from, g)
		g.Nodes = append(g.Nodes, onnxtest.Node{Op: hostile.Names[0], Domain: hostile.Names[1],
			In: []string{from}, Out: []string{"y"}})
		l.model("bad.onnx", "y", g)
		l.file(fmt.Sprintf(`{"lst": [[%q, [{"outputs": {%q: 1}}]]]}`, "r", hostile.Names[2]), "bad.json")
		l.file(strings.Join(hostile.Names, "\n"), "text.json", "text.onnx")
	}, []string{"compare DIR/a.json DIR/b.json", "compare DIR/a.json DIR/b.json -vv",
		"compare DIR/a.json DIR/b.json DIR/a.json",
		"compare DIR/a.json DIR/b.json --report DIR/report.json " +
			"--log-file DIR/report.txt",
		"run DIR/bad.onnx --onnxrt --report DIR/report.json",
		"vote DIR/m.onnx --onnxrt --openvino --tract --report DIR/report.json",
		"compare DIR/bad.json DIR/a.json", "inspect DIR/a.json", "inspect DIR/a.json --json",
		"inspect DIR/a.json --histogram", "inspect DIR/m.onnx --full", "inspect DIR/bad.onnx --full",
		"inspect DIR/m.onnx DIR/bad.onnx", "inspect DIR/m.onnx --json", "inspect DIR/text.json",
		"inspect DIR/text.onnx", "run DIR/m.onnx --onnxrt", "run DIR/bad.onnx --onnxrt",
		"run DIR/m.onnx --onnxrt --load-outputs DIR/a.json", "run DIR/m.onnx --onnxrt --mark-all",
		"vote DIR/m.onnx --onnxrt --openvino --tract", "locate DIR/m.onnx --onnxrt --openvino",
		"check lint DIR/m.onnx --onnxrt", "check lint DIR/bad.onnx --onnxrt",
		"surgeon sanitize DIR/m.onnx -o DIR/o.onnx", "surgeon extract DIR/bad.onnx -o DIR/o.onnx",
		"cut DIR/m.onnx --to nothing -o DIR/o.onnx", "convert DIR/bad.onnx --convert-to onnx " +
			"--fp-to-fp16 -o DIR/o.onnx", "relations DIR/m.onnx --onnxrt", "tolerance DIR/m.onnx --onnxrt",
		"repair DIR/m.onnx --onnxrt --fp16", "twin DIR/m.onnx --onnxrt", "golden ls DIR",
		"golden verify DIR", "data merge DIR/a.json DIR/b.json -o DIR/o.json",
		"template DIR/m.onnx -o DIR/s_test.go", "check accuracy DIR/text.json",
		"report DIR/text.json -o DIR/o.html"}, "012", ""}
}

// hostileFileNames returns the scenario with hostile file names. If the names were printed
// unescaped, they could control a terminal or a build server.
func hostileFileNames() scenario {
	const forbids = "print file names without escaping them"
	t := scenario{forbids: forbids, status: "012", lay: func(l *layout) {
		for _, name := range hostile.Names {
			name = strings.ReplaceAll(name, "/", "")
			l.model(name+".onnx", "y", onnxtest.Graph{Nodes: []onnxtest.Node{
				{Op: "Relu", In: []string{"x"}, Out: []string{"y"}}}})
			for _, file := range []string{".json", "2.json"} {
				l.saved(name+file, l.set("y", tensor.Of(float32(len(file)))))
				l.saved("testdata/golden/"+name+file, l.set("y", tensor.Of(float32(len(file)))))
			}
			l.edited("testdata/golden/"+name+"2.json", `"mean":`, `"max":`)
		}
	}, each: []string{"golden ls DIR", "golden verify DIR"}}
	for _, name := range hostile.Names {
		if strings.Contains(name, " ") {
			continue // command lines are split at spaces
		}
		name = strings.ReplaceAll(name, "/", "")
		for _, line := range []string{"compare DIR/N.json DIR/N2.json", "inspect DIR/N.json",
			"inspect DIR/no/N.json", "compare N.json DIR/no/N.json", "golden verify DIR/no/N.json",
			"run DIR/N.onnx --onnxrt --save-outputs DIR/o/N.npz", "run --N", "N",
			"run DIR/N.onnx --onnxrt --load-inputs DIR/no/N.json", "report DIR/no/N.json -o DIR/o.html",
			"run DIR/N.onnx --onnxrt --load-outputs DIR/N.json --report DIR/report.json",
			"cut DIR/N.onnx --to N -o DIR/o.onnx", "template DIR/N.onnx -o DIR/o/N_test.go",
			"convert DIR/N.onnx --convert-to onnx --fp-to-fp16 -o DIR/o/N.onnx",
			"golden export DIR/testdata/golden/N.json -o DIR/o/N.npz"} {
			t.each = append(t.each, strings.ReplaceAll(line, "N", name))
		}
	}
	return t
}
