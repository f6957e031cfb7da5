package polygraphy

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Writer writes Polygraphy's JSON files. It keeps the first error, which [Writer.Close] returns.
//
// The bytes depend only on the arguments: keys are in a fixed order, each array is on its own line,
// numbers have their shortest form, line breaks are LF, and non-ASCII characters are escaped as in
// Python.
type Writer struct {
	w   *bufio.Writer
	err error
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: bufio.NewWriterSize(w, 64<<10)} }

func (w *Writer) raw(text string) {
	if w.err == nil {
		_, w.err = w.w.WriteString(text)
	}
}

// Close flushes the buffer and returns the first error. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

// Inputs writes a file of inputs: a list with one object for each iteration. It returns the number
// of iterations.
func (w *Writer) Inputs(sets iter.Seq2[*tensor.Set, error]) (n int) {
	w.raw("[")
	for set, err := range sets {
		if w.err = cmp.Or(w.err, err); w.err != nil {
			return n
		}
		w.raw(comma(n) + "\n")
		w.Set(set)
		n++
	}
	w.raw("\n]\n")
	return n
}

// Set writes the inputs of one iteration: an object whose keys are names and whose values are
// arrays.
func (w *Writer) Set(set *tensor.Set) { w.arrays(set, "", "") }

// arrays writes an object that maps names to arrays. It writes prefix before each array and suffix
// after it.
func (w *Writer) arrays(set *tensor.Set, prefix, suffix string) {
	w.raw("{")
	separator := "\n"
	for name, t := range set.All() {
		w.raw(separator + quote(name) + ": " + prefix)
		separator = ",\n"
		w.array(name, t)
		w.raw(suffix)
	}
	w.raw("\n}")
}

// array writes a tensor as {"array": "<.npy in base64>", …}.
func (w *Writer) array(name string, t *tensor.Tensor) {
	if w.err != nil {
		return
	}
	layout, err := npy.Layout(t)
	if err != nil {
		w.err = fmt.Errorf("tensor %q: %w", name, err)
		return
	}
	w.raw(`{"array": "`)
	encoder := base64.NewEncoder(base64.StdEncoding, w.w)
	_, header := encoder.Write(layout.Header)
	_, body := encoder.Write(layout.Data)
	w.err = cmp.Or(w.err, header, body, encoder.Close())
	w.raw(`", "` + classKey + `": "ndarray"}`)
}

// Begin starts a file of outputs with the file header, which is the JSON value of [HeadKey].
func (w *Writer) Begin(head []byte) {
	w.raw("{\n" + quote(HeadKey) + ": " + names.ASCII(head) + ",\n" + `"lst": [`)
}

// Runner writes the file's i-th runner, counted from 0. runtimes contains the time in seconds for
// each set. An unknown time is NaN, and is written as null; if runtimes is nil, all times are
// unknown.
func (w *Writer) Runner(i int, name string, sets []*tensor.Set, runtimes []float64) {
	w.raw(comma(i) + "\n[" + quote(name) + ", [")
	for k, set := range sets {
		w.raw(comma(k) + "\n" + `{"outputs": `)
		w.arrays(set, `{"values": `, `, "`+classKey+`": "LazyArray"}`)
		runtime := "null"
		if k < len(runtimes) && !math.IsNaN(runtimes[k]) && !math.IsInf(runtimes[k], 0) {
			runtime = strconv.FormatFloat(runtimes[k], 'g', -1, 64)
		}
		w.raw(`, "runtime": ` + runtime + `, "runner_name": ` + quote(name) +
			`, "` + classKey + `": "IterationResult"}`)
	}
	w.raw("\n]]")
}

// End finishes a file of outputs. If the file does not contain all outputs, End does not write the
// key polygraphy_class, so that Polygraphy rejects the file instead of comparing only some outputs.
func (w *Writer) End(all bool) {
	w.raw("\n]")
	if all {
		w.raw(",\n" + class("RunResults"))
	}
	w.raw("\n}\n")
}

func quote(text string) string {
	plain, err := json.Marshal(text)
	if err != nil { // cannot happen: a string always marshals
		return `""`
	}
	return names.ASCII(plain)
}
