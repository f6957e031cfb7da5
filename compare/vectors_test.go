package compare_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// vectorCase is one comparison recorded from the real Polygraphy 0.53.6.
type vectorCase struct {
	ID      string         `json:"id"`
	Func    string         `json:"func"`
	Params  map[string]any `json:"params"`
	Runner0 [][2]string    `json:"runner0"`
	Runner1 [][2]string    `json:"runner1"`

	Expected struct {
		Status  string
		Passed  bool
		Outputs []struct {
			Name, Matched, Kind string
			Passed              bool
			Metrics             map[string]any
		}
		Exception struct{ Type, Message string }
		Npy       string
	} `json:"expected"`

	Input string `json:"input"` // of cases_topk
	K     any    `json:"k"`
}

// readVectors reads one recorded group, such as "bools".
func readVectors(group string) []vectorCase {
	file, err := os.Open(filepath.Join("testdata", "polygraphy", "cases_"+group+".json.gz"))
	must(err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	must(err)
	var cases []vectorCase
	must(json.NewDecoder(unpacked).Decode(&cases))
	return cases
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// set decodes a recorded side.
func set(side [][2]string) *tensor.Set {
	entries := make([]tensor.Entry, len(side))
	for i, named := range side {
		entries[i] = tensor.Entry{Name: named[0], Tensor: npy(named[1])}
	}
	s, err := tensor.NewSet(entries...)
	must(err)
	return s
}

var (
	descr   = regexp.MustCompile(`'descr': '([^']*)'`)
	fortran = regexp.MustCompile(`'fortran_order': (True|False)`)
	dims    = regexp.MustCompile(`'shape': \(([^)]*)\)`)
)

var npyTypes = map[string]tensor.ElementType{
	"<f2": tensor.Float16, "<f4": tensor.Float32, "<f8": tensor.Float64,
	"|i1": tensor.Int8, "<i2": tensor.Int16, "<i4": tensor.Int32, "<i8": tensor.Int64,
	"|u1": tensor.Uint8, "<u2": tensor.Uint16, "<u4": tensor.Uint32, "<u8": tensor.Uint64,
	"|b1": tensor.Bool,
}

// npy reads a base64 .npy of version 1.0, which is all that was recorded. It is its own reader so
// that a fault of tensor's cannot hide here.
func npy(text string) *tensor.Tensor {
	raw, err := base64.StdEncoding.DecodeString(text)
	must(err)
	if !bytes.HasPrefix(raw, []byte("\x93NUMPY\x01\x00")) {
		panic("not an npy of version 1.0")
	}
	end := 10 + int(raw[8]) + int(raw[9])<<8
	head := string(raw[10:end])
	if fortran.FindStringSubmatch(head)[1] == "True" {
		panic("a Fortran-order array was recorded")
	}
	shape := tensor.Shape{}
	for _, d := range strings.Split(dims.FindStringSubmatch(head)[1], ",") {
		if d = strings.TrimSpace(d); d != "" {
			n, err := strconv.Atoi(d)
			must(err)
			shape = append(shape, n)
		}
	}
	elem, ok := npyTypes[descr.FindStringSubmatch(head)[1]]
	if !ok {
		panic(fmt.Sprintf("unknown element type in %s", head))
	}
	t, err := tensor.FromBytes(elem, shape, raw[end:])
	must(err)
	return t
}

// recorded is a number of the recordings: JSON has no NaN.
func recorded(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case string:
		return map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1),
			"-Infinity": math.Inf(-1)}[v]
	}
	panic(fmt.Sprintf("not a recorded number: %v", v))
}

// number is a parameter for one output, with Polygraphy's fallback through "" to the default.
func (c vectorCase) parameter(name, output string, otherwise any) any {
	v, ok := c.Params[name]
	if !ok {
		return otherwise
	}
	if perOutput, ok := v.(map[string]any); ok {
		if v, ok := perOutput[output]; ok {
			return v
		}
		if v, ok := perOutput[""]; ok {
			return v
		}
		return otherwise
	}
	return v
}

// check is what the case holds an output to.
func (c vectorCase) check(output string) compare.Check {
	if c.Func == "indices" {
		return compare.Indices(int(recorded(c.parameter("index_tolerance", output, 0.0))))
	}
	stat := c.parameter("check_error_stat", output, "elemwise").(string)
	if stat == "quantile" {
		stat = string(compare.Quantile(recorded(c.parameter("error_quantile", output, 0.99))))
	}
	if stat == "elemwise" {
		stat = string(compare.Elementwise)
	}
	return compare.Within(recorded(c.parameter("atol", output, 1e-5)),
		recorded(c.parameter("rtol", output, 1e-5)), compare.Stat(stat))
}
