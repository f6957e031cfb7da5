// Package runfile reads and writes the JSON shared by golden files and saved runs: Polygraphy's
// saved outputs preceded by modelparity's head, and sidecar data next to a golden file.
package runfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/tensor"
)

// formatVersion is the version of the head. Readers reject later versions.
//
//	1  outputs have descriptions and checksums; still readable, rewritten as 2 by the next update
//	2  the head has its own checksum and is extensible: "needs" names the features that a reader
//	   must support, and readers ignore unknown "notes"
const formatVersion = 2

// Head is modelparity's part of a file: the value of the key "modelparity".
type Head struct {
	Format int      `json:"format"`
	Kind   string   `json:"kind"`            // "golden", or "run" for a saved run
	Needs  []string `json:"needs,omitempty"` // features that a reader must support
	// Polygraphy tells users of Polygraphy why it cannot read the file, if it cannot.
	Polygraphy string    `json:"polygraphy,omitempty"`
	Runs       []RunHead `json:"runs"` // in the order of Polygraphy's runners
	// SHA256 is a golden file's checksum of the head without this key; see [Head.Sum].
	SHA256 string `json:"sha256,omitempty"`

	ours bool // it was read from exactly the text that modelparity writes
}

// notes are optional data by name: a run's measured noise, checksums of an output's blocks.
// Readers keep notes that they do not know.
type notes map[string]json.RawMessage

const (
	KindGolden = "golden"
	KindRun    = "run"
)

type RunHead struct {
	Name       string              `json:"name"`
	Provenance backends.Provenance `json:"provenance"`
	Notes      notes               `json:"notes,omitempty"`
	Iterations [][]Output          `json:"iterations"`
}

// Output describes one output. Statistics cover the finite values. A saved run has only name,
// type and shape, because people do not review it.
type Output struct {
	Name   string             `json:"name"`
	Type   tensor.ElementType `json:"type"`
	Shape  tensor.Shape       `json:"shape"`
	Min    json.RawMessage    `json:"min,omitempty"`
	Max    json.RawMessage    `json:"max,omitempty"`
	Mean   json.RawMessage    `json:"mean,omitempty"`
	NaN    int                `json:"nan,omitempty"`
	Inf    int                `json:"inf,omitempty"`
	Values []json.RawMessage  `json:"values,omitempty"` // the first ones, in row-major order
	SHA256 string             `json:"sha256,omitempty"` // of the little-endian, row-major elements
	Tree   *treeSum           `json:"tree,omitempty"`   // replaces SHA256 for many elements
	Blob   *Blob              `json:"blob,omitempty"`   // the sidecar, if the data is not in the file
	Sample *sample            `json:"sample,omitempty"` // if the data is only part of the elements
	Notes  notes              `json:"notes,omitempty"`
}

// firstValues is the number of values in the head.
const firstValues = 8

// briefly describes an output without reading its values.
func briefly(name string, t *tensor.Tensor) Output {
	return Output{Name: name, Type: t.ElementType(), Shape: t.Shape()}
}

// checksum is the SHA-256 of the elements' bytes. Each string is preceded by its length.
func checksum(t *tensor.Tensor) string {
	h := sha256.New()
	h.Write(t.Bytes())
	for _, s := range t.Strings() {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// jsonText formats element i as JSON: the shortest text for its type, non-finite numbers as
// strings.
func jsonText(t *tensor.Tensor, i int) json.RawMessage {
	if t.ElementType() == tensor.String {
		s := t.Strings()[i]
		if len(s) > 64 {
			s = s[:64] + "…"
		}
		quoted, _ := json.Marshal(s) // marshaling a string cannot fail
		return quoted
	}
	if v := t.Float64At(i); math.IsNaN(v) || math.IsInf(v, 0) {
		return json.RawMessage(jsonfloat.Append(nil, v))
	}
	return json.RawMessage(t.Text(i))
}

// text formats the head with one output per line, so that diffs show which outputs changed. The
// bytes depend on the head alone.
func (h Head) text() ([]byte, error) { return h.textUpTo(math.MaxInt) }

// isText reports whether text is exactly the head's own formatting and contains no foreign
// JSON, in which case no key is misspelled or duplicated.
func (h Head) isText(text []byte) bool {
	for _, run := range h.Runs {
		if len(run.Notes) > 0 {
			return false
		}
	}
	for _, o := range h.All() {
		if len(o.Notes) > 0 || nested(o.Min) || nested(o.Max) || nested(o.Mean) ||
			slices.ContainsFunc(o.Values, nested) {
			return false
		}
	}
	ours, err := h.textUpTo(len(text))
	return err == nil && bytes.Equal(ours, text)
}

// nested reports whether JSON is an object or a list.
func nested(text json.RawMessage) bool {
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// textUpTo is [Head.text], but stops with an error once the text is longer than most. A short
// hostile head could otherwise expand without limit.
func (h Head) textUpTo(most int) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"format\": %d,\n  \"kind\": %q,\n", h.Format, h.Kind)
	if err := field(&b, "  ", "needs", h.Needs, len(h.Needs)); err != nil {
		return nil, err
	}
	if err := field(&b, "  ", "polygraphy", h.Polygraphy, len(h.Polygraphy)); err != nil {
		return nil, err
	}
	b.WriteString("  \"runs\": [")
	for i, run := range h.Runs {
		if b.Len() > most {
			return nil, errLonger
		}
		name, err := json.Marshal(run.Name)
		if err != nil {
			return nil, err
		}
		made, err := json.MarshalIndent(run.Provenance, "      ", "  ")
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s    {\n      \"name\": %s,\n", newLine(i), name)
		fmt.Fprintf(&b, "      \"provenance\": %s,\n", made)
		if err := field(&b, "      ", "notes", run.Notes, len(run.Notes)); err != nil {
			return nil, err
		}
		b.WriteString("      \"iterations\": [")
		for k, outputs := range run.Iterations {
			b.WriteString(newLine(k) + "        [")
			for j, output := range outputs {
				if b.Len() > most {
					return nil, errLonger
				}
				line, err := json.Marshal(output)
				if err != nil {
					return nil, err
				}
				b.WriteString(newLine(j) + "          ")
				b.Write(line)
			}
			b.WriteString("\n        ]")
		}
		b.WriteString("\n      ]\n    }")
	}
	b.WriteString("\n  ]")
	if h.SHA256 != "" {
		fmt.Fprintf(&b, ",\n  \"sha256\": %q", h.SHA256)
	}
	b.WriteString("\n}")
	return b.Bytes(), nil
}

var errLonger = errors.New("the text is longer")

// field writes a key and its value on their own line, unless length is 0.
func field(b *bytes.Buffer, indent, key string, value any, length int) error {
	if length == 0 {
		return nil
	}
	text, err := json.Marshal(value)
	fmt.Fprintf(b, "%s%q: %s,\n", indent, key, text)
	return err
}

// Sum computes the checksum of the head's content without the checksum itself. It does not
// depend on escaping or line breaks.
func (h Head) Sum() (string, error) {
	h.SHA256 = ""
	text, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	content, err := decoded(text)
	if err == nil {
		text, err = json.Marshal(content)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// decoded parses JSON into plain values and keeps the spelling of numbers.
func decoded(text []byte) (content any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return content, d.Decode(&content)
}

// newLine returns the separator before element i of a list.
func newLine(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}
