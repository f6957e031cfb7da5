package jsonstream

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// value reads any value the way encoding/json does into an any.
func value(d *Decoder) (any, error) {
	kind, err := d.Kind()
	if err != nil {
		return nil, err
	}
	switch kind {
	case Object:
		m := map[string]any{}
		err = d.Object(func(key string) (err error) {
			m[key], err = value(d)
			return err
		})
		return m, err
	case Array:
		a := []any{}
		err = d.Array(func(int) error {
			v, err := value(d)
			a = append(a, v)
			return err
		})
		return a, err
	case String:
		return d.String()
	case Number:
		return d.Float()
	case Bool:
		return d.Bool()
	}
	return nil, d.Null()
}

func read(r io.Reader) (any, error) {
	d := NewDecoder(r)
	v, err := value(d)
	if err == nil {
		err = d.End()
	}
	return v, err
}

var documents = []string{
	`{}`, `[]`, ` [1, -2.5e3, 0.1] `, `{"a": {"b": [true, false, null]}, "c": "d"}`,
	`"\"\\\/\b\f\n\r\tA\u00e9\u65e5\ud83d\ude00"`, `"é日😀"`,
	`"\ud800"`, `"\ud800x"`, `"\ud800\u0041"`, `"\ud800\ud83d\ude00"`,
	`[[], {}, [{}], ""]`, `1e400`, `123456789012345678901234567890`, `{"a":1,"a":2}`,
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, document := range documents {
		var want any
		if err := json.Unmarshal([]byte(document), &want); err != nil && document != `1e400` {
			t.Fatal(err)
		} else if err != nil {
			want = math.Inf(1) // encoding/json refuses what Python reads as an infinity
		}
		for _, r := range []io.Reader{strings.NewReader(document),
			iotest.OneByteReader(strings.NewReader(document))} {
			got, err := read(r)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v, %v, want %v", document, got, err, want)
			}
		}
	}
}

func TestPythonNumbers(t *testing.T) {
	got, err := read(strings.NewReader(`[NaN, Infinity, -Infinity]`))
	if err != nil || fmt.Sprint(got) != "[NaN +Inf -Inf]" {
		t.Error(got, err)
	}
}

func TestBadDocuments(t *testing.T) {
	for _, row := range []struct{ reason, document, want string }{
		{"nothing", ``, "byte 0: the document ends too early"},
		{"ends in an object", `{"a": 1`, "byte 7: the document ends too early"},
		{"ends in a string", `["abc`, "byte 5: the document ends too early"},
		{"ends in an escape", `"\u00`, "byte 5: the document ends too early"},
		{"two documents", `1 2`, `byte 2: '2' after the end`},
		{"trailing comma", `[1,]`, "byte 3: trailing comma"},
		{"no comma", `[1 2]`, `byte 3: expected ','`},
		{"no colon", `{"a" 1}`, `byte 5: expected ':' after the key "a"`},
		{"key is not a string", `{1: 2}`, "byte 1: expected a string, got a number"},
		{"wrong bracket", `[1}`, `byte 2: expected ',' or ']'`},
		{"not a value", `[x]`, `byte 1: no value starts with 'x'`},
		{"a word", `[nul]`, `"nul" is not a value`},
		{"leading zero", `[01]`, `"01" is not a number`},
		{"hexadecimal", `[0x10]`, `"0x10" is not a number`},
		{"not UTF-8", "\"a\x91\"", `byte 4: the string "a\x91" is not valid UTF-8`},
		{"unknown escape", `"\x41"`, `byte 1: unknown escape \x`},
		{"bad hex", `"\u00zz"`, "is not a valid escape"},
		{"control character", "\"a\nb\"", "byte 2: control character in a string"},
		{"too deep", strings.Repeat("[", 2000), "byte 1000: values are nested more than 1000 deep"},
		{"endless number", strings.Repeat("1", 1<<20), "more than 4096 characters"},
		{"a huge name", `"` + strings.Repeat("a", 2<<20) + `"`, "the string has more than 1048576 bytes"},
	} {
		_, err := read(strings.NewReader(row.document))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", row.reason, err, row.want)
		}
	}
}

func TestSkipAndRaw(t *testing.T) {
	long := `{"x": "` + strings.Repeat("y", 3*window) + `", "z": [1, {}]}`
	for _, size := range []int{1, 2, 7} {
		d := NewDecoder(strings.NewReader(strings.Repeat(" ", size) + "[" + long + "," + long + ", 5]"))
		err := d.Array(func(i int) error {
			switch i {
			case 0:
				return d.Skip()
			case 1:
				raw, err := d.Raw()
				if string(raw) != long {
					t.Errorf("Raw gave %d bytes, want %d", len(raw), len(long))
				}
				return err
			}
			f, err := d.Float()
			if f != 5 {
				t.Error("after Raw:", f)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestBase64(t *testing.T) {
	data := make([]byte, 3*window)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for _, n := range []int{0, 1, 2, 3, 4, 5, 100, window, window + 1, len(data)} {
		document := `"` + base64.StdEncoding.EncodeToString(data[:n]) + `"`
		escaped := strings.ReplaceAll(document, "/", `\/`)
		for _, r := range []io.Reader{strings.NewReader(document), strings.NewReader(escaped),
			iotest.HalfReader(strings.NewReader(document))} {
			d := NewDecoder(r)
			text, err := d.Text()
			if err != nil {
				t.Fatal(err)
			}
			// An odd size of read puts group boundaries at every place of p.
			var out bytes.Buffer
			_, err = io.CopyBuffer(struct{ io.Writer }{&out}, NewBase64(text), make([]byte, 1009))
			got := out.Bytes()
			if err != nil || !bytes.Equal(got, data[:n]) {
				t.Errorf("%d bytes: got %d, %v", n, len(got), err)
			}
			if err := d.End(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestBadBase64(t *testing.T) {
	for _, row := range []struct{ reason, text, want string }{
		{"a foreign character", "AAAAAA!A", "byte 7: not base64"},
		{"ends within a group", "AAAAAA", "byte 8: base64 ends within a group of four"},
		{"goes on after padding", "AA==AAAA", "not base64"},
		{"goes on after padding, later", `AA==\u0041AAA`, "continues after its padding"},
		{"a line break", `AAA\nAAAA`, "not base64"},
	} {
		text, err := NewDecoder(strings.NewReader(`"` + row.text + `"`)).Text()
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(NewBase64(text))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %q", row.reason, err, row.want)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	for _, document := range documents {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		got, err := read(bytes.NewReader(document))
		var want any
		if !utf8.Valid(document) || json.Unmarshal(document, &want) != nil {
			return // Python's numbers, or not JSON
		}
		if err != nil && strings.Contains(err.Error(), "nested more than") {
			return
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	})
}
