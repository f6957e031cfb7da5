// Package runfile reads and writes the JSON that golden files and saved runs share: Polygraphy's
// saved outputs with a head of ours before them, and the packed data next to a golden file.
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

// formatVersion is the version of the head. A reader refuses a later one.
//
//	1  outputs described and checked; golden files of it are read, and written as 2 when they are
//	   next written
//	2  the head has a checksum of its own, and room to grow without another version: what a reader
//	   must understand is named in "needs", what it may pass over stands in "notes"
const formatVersion = 2

// Head is the part of a file that is ours: the value under the key "modelparity".
type Head struct {
	Format int      `json:"format"`
	Kind   string   `json:"kind"`            // "golden", or "run" for a run that a user saved
	Needs  []string `json:"needs,omitempty"` // what a reader must understand
	// Polygraphy says what Polygraphy makes of the file where it does not read it.
	Polygraphy string    `json:"polygraphy,omitempty"`
	Runs       []RunHead `json:"runs"` // in the order of Polygraphy's runners
	// SHA256 is the checksum of the head without this key, in a golden file; see [Head.Sum].
	SHA256 string `json:"sha256,omitempty"`

	ours bool // it was read from the very text that we write
}

// notes are what a reader may pass over, by name: measured noise of a run, checksums of an output's
// blocks. A reader that does not know a name leaves it alone.
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

// Output describes one output. The statistics are over the finite values. A saved run has only
// name, type and shape, because it is not reviewed.
type Output struct {
	Name   string             `json:"name"`
	Type   tensor.ElementType `json:"type"`
	Shape  tensor.Shape       `json:"shape"`
	Min    json.RawMessage    `json:"min,omitempty"`
	Max    json.RawMessage    `json:"max,omitempty"`
	Mean   json.RawMessage    `json:"mean,omitempty"`
	NaN    int                `json:"nan,omitempty"`
	Inf    int                `json:"inf,omitempty"`
	Values []json.RawMessage  `json:"values,omitempty"` // the first, in row-major order
	SHA256 string             `json:"sha256,omitempty"` // of the little-endian, row-major elements
	Tree   *treeSum           `json:"tree,omitempty"`   // in its place, of many elements
	Blob   *Blob              `json:"blob,omitempty"`   // where the data is if it is not in the file
	Sample *sample            `json:"sample,omitempty"` // where the data is only part of the elements
	Notes  notes              `json:"notes,omitempty"`
}

// firstValues is how many values the head shows.
const firstValues = 8

// briefly describes an output without looking at its values.
func briefly(name string, t *tensor.Tensor) Output {
	return Output{Name: name, Type: t.ElementType(), Shape: t.Shape()}
}

// checksum is the SHA-256 of the elements' bytes; strings count with their lengths before them.
func checksum(t *tensor.Tensor) string {
	h := sha256.New()
	h.Write(t.Bytes())
	for _, s := range t.Strings() {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// jsonText is element i as JSON: the shortest text of its type, non-finite numbers as strings.
func jsonText(t *tensor.Tensor, i int) json.RawMessage {
	if t.ElementType() == tensor.String {
		s := t.Strings()[i]
		if len(s) > 64 {
			s = s[:64] + "…"
		}
		quoted, _ := json.Marshal(s) // a string always marshals
		return quoted
	}
	if v := t.Float64At(i); math.IsNaN(v) || math.IsInf(v, 0) {
		return json.RawMessage(jsonfloat.Append(nil, v))
	}
	return json.RawMessage(t.Text(i))
}

// text is the head as it stands in a file: one output to a line, so that a review sees which
// outputs changed. The bytes depend on the head alone.
func (h Head) text() ([]byte, error) { return h.textUpTo(math.MaxInt) }

// isText reports whether a text is the one that we write of the head, and holds no JSON of others.
// Then no key of it is misspelt, or there twice.
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

// nested reports whether JSON is more than a number, a string or nothing.
func nested(text json.RawMessage) bool {
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// textUpTo is [Head.text], or an error soon after it is longer than that: a hostile head is short,
// and describes much.
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

// field writes a key with its value, if it has any, on a line of its own.
func field(b *bytes.Buffer, indent, key string, value any, length int) error {
	if length == 0 {
		return nil
	}
	text, err := json.Marshal(value)
	fmt.Fprintf(b, "%s%q: %s,\n", indent, key, text)
	return err
}

// Sum is the checksum of the head's content without the checksum itself. It does not depend on how
// the text spells a character or breaks its lines.
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

// decoded is JSON as plain values, numbers as they are spelled.
func decoded(text []byte) (content any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return content, d.Decode(&content)
}

// newLine is what stands before element i of a list.
func newLine(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}
