// Package runfile reads and writes the JSON format that golden files and saved runs share:
// modelparity's file header followed by Polygraphy's saved outputs. It also reads the sidecar data
// of golden files.
package runfile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/jsonfloat"
	"github.com/modelparity/modelparity/tensor"
)

// formatVersion is the version of the file header. Readers reject other versions. The header has
// its own checksum and is extensible: "needs" names the features that a reader must support, and
// readers ignore unknown "notes".
const formatVersion = 2

// Head is modelparity's part of a file, stored under the key "modelparity".
type Head struct {
	Format int      `json:"format"`
	Kind   string   `json:"kind"`            // "golden", or "run" for a saved run
	Needs  []string `json:"needs,omitempty"` // features that a reader must support
	// Polygraphy is a message for users of Polygraphy that says why it cannot read the file, or "".
	Polygraphy string    `json:"polygraphy,omitempty"`
	Runs       []RunHead `json:"runs"` // in the order of Polygraphy's runners
	// SHA256 is, in a golden file, the checksum of the file header without this key; see [Head.Sum].
	SHA256 string `json:"sha256,omitempty"`

	long map[string]*longText
}

// notes contains optional data by name, such as a run's measured noise or the checksums of an
// output's blocks. Readers keep notes that they do not know.
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

// Output describes one output. The statistics cover only finite values; they are for people who
// review golden files. In a saved run, only the name, the type and the shape are set.
type Output struct {
	Name   string             `json:"name"`
	Type   tensor.ElementType `json:"type"`
	Shape  tensor.Shape       `json:"shape"`
	Keys   bool               `json:"keys,omitempty"` // whether it contains the keys of a map
	Min    json.RawMessage    `json:"min,omitempty"`
	Max    json.RawMessage    `json:"max,omitempty"`
	Mean   json.RawMessage    `json:"mean,omitempty"`
	NaN    int                `json:"nan,omitempty"`
	Inf    int                `json:"inf,omitempty"`
	Values []json.RawMessage  `json:"values,omitempty"` // the first values, in row-major order
	SHA256 string             `json:"sha256,omitempty"` // of the little-endian, row-major elements
	Tree   *treeSum           `json:"tree,omitempty"`   // replaces SHA256 in large outputs
	Blob   *Blob              `json:"blob,omitempty"`   // the sidecar, if the data is not in the file
	Sample *sample            `json:"sample,omitempty"` // set if only part of the elements are stored
	Notes  notes              `json:"notes,omitempty"`
}

// firstValues is the number of an output's values that the file header lists.
const firstValues = 8

// briefly describes an output by its name, type and shape.
func briefly(name string, t *tensor.Tensor) Output {
	return Output{Name: name, Type: t.ElementType(), Shape: t.Shape(), Keys: t.IsKeys()}
}

// checksum returns the SHA-256 of the elements' bytes. Each string is preceded by its length.
func checksum(t *tensor.Tensor) string {
	h := sha256.New()
	h.Write(t.Bytes())
	inputsum.Strings(h, t.Strings())
	return hex.EncodeToString(h.Sum(nil))
}

// jsonText formats element i as JSON, in the shortest form that identifies a number of its type.
// Non-finite numbers become strings.
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

// text formats the file header with one output per line, so that diffs show which outputs changed.
// Equal headers have equal bytes.
func (h Head) text() ([]byte, error) {
	var b bytes.Buffer
	var wrong error
	value := func(v any) []byte {
		text, err := json.Marshal(v)
		wrong = cmp.Or(wrong, err)
		return text
	}
	fmt.Fprintf(&b, "{\n  \"format\": %d,\n  \"kind\": %q,\n", h.Format, h.Kind)
	if len(h.Needs) > 0 {
		fmt.Fprintf(&b, "  \"needs\": %s,\n", value(h.Needs))
	}
	if h.Polygraphy != "" {
		fmt.Fprintf(&b, "  \"polygraphy\": %s,\n", value(h.Polygraphy))
	}
	b.WriteString("  \"runs\": [")
	for i, run := range h.Runs {
		made, err := json.MarshalIndent(run.Provenance, "      ", "  ")
		wrong = cmp.Or(wrong, err)
		fmt.Fprintf(&b, "%s    {\n      \"name\": %s,\n", newLine(i), value(run.Name))
		fmt.Fprintf(&b, "      \"provenance\": %s,\n", made)
		if len(run.Notes) > 0 {
			fmt.Fprintf(&b, "      \"notes\": %s,\n", value(run.Notes))
		}
		b.WriteString("      \"iterations\": [")
		for k, outputs := range run.Iterations {
			b.WriteString(newLine(k) + "        [")
			for j, output := range outputs {
				fmt.Fprintf(&b, "%s          %s", newLine(j), value(output))
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
	return b.Bytes(), wrong
}

// longString is the minimum size in bytes of a string that [shortened] replaces.
const longString = 64 << 10

// longText is a long JSON string, with its quotes, that [shortened] has replaced. left is the
// number of replacements that [Head.restored] has not undone yet.
type longText struct {
	text []byte
	left int
}

// shortened returns JSON in which checksums replace long strings without escapes, such as base64.
// Long strings in [notes], such as the noise of many elements, are thus parsed only when they are
// needed.
func shortened(text []byte) (short []byte, long map[string]*longText) {
	if len(text) < longString {
		return text, nil
	}
	long = map[string]*longText{}
	for at := 0; ; {
		start := bytes.IndexByte(text[at:], '"')
		if start < 0 {
			return append(short, text[at:]...), long
		}
		short = append(short, text[at:at+start]...)
		at += start
		end, escaped := at+1, false
		for {
			next := bytes.IndexAny(text[end:], `"\`)
			if next < 0 {
				next = len(text) - end
			}
			if end += next; end >= len(text) || text[end] == '"' {
				break
			}
			end, escaped = min(end+2, len(text)), true
		}
		end = min(end+1, len(text))
		whole := text[at:end]
		if at = end; len(whole) >= longString && !escaped {
			sum := fmt.Sprintf(`"sha256 %x"`, sha256.Sum256(whole))
			if long[sum] == nil {
				long[sum] = &longText{text: whole}
			}
			long[sum].left++
			whole = []byte(sum)
		}
		short = append(short, whole...)
	}
}

// restored undoes [shortened] in notes.
func (h *Head) restored(of notes) notes {
	whole := notes{}
	for name, text := range of {
		for sum, long := range h.long {
			n := min(long.left, bytes.Count(text, []byte(sum)))
			if long.left -= n; n > 0 {
				text = bytes.Replace(text, []byte(sum), long.text, n)
			}
		}
		whole[name] = text
	}
	return whole
}

// Sum returns the checksum of the file header's content, excluding the checksum itself. It does not
// depend on escapes or line breaks in the JSON text. In place of a long string, Sum uses the
// string's own checksum; see [shortened].
func (h Head) Sum() (string, error) {
	h.SHA256 = ""
	text, err := json.Marshal(h)
	if err != nil {
		return "", err
	}
	text, _ = shortened(text)
	content, err := decoded(text)
	if err == nil {
		text, err = json.Marshal(content)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// decoded parses JSON into maps, lists and strings. Numbers keep their spelling.
func decoded(text []byte) (content any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return content, d.Decode(&content)
}

// newLine returns the separator in front of element i of a list.
func newLine(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}
