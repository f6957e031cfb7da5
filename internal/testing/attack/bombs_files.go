//go:build linux || darwin

package main

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

func put(w io.Writer, texts ...string) {
	for _, text := range texts {
		_, _ = io.WriteString(w, text)
	}
}

// repeat writes a text n times. If the text contains %d, each copy has its number there.
func repeat(w io.Writer, n int, text string) {
	numbered := strings.Contains(text, "%d")
	for i := range n {
		if numbered {
			fmt.Fprintf(w, text, i)
		} else {
			put(w, text)
		}
	}
}

func zeros(w io.Writer, n int) {
	block := string(make([]byte, 32<<10))
	repeat(w, n/len(block), block)
	put(w, block[:n%len(block)])
}

// archive writes an .npz archive with n members of zeros, compressed as much as possible. The
// members' headers are correct.
func archive(w io.Writer, n int, descr string, elements, width int) {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for i := range n {
		member, err := z.Create(fmt.Sprintf("a%d.npy", i))
		if err != nil {
			return // w keeps its error
		}
		put(member, rig.NPYHeader(descr, fmt.Sprintf("(%d,)", elements), false))
		zeros(member, elements*width)
	}
	_ = z.Close()
}

// arrayFiles returns hostile files in NumPy's formats.
func arrayFiles() []bomb {
	read := []string{"inspect FILE", "compare FILE FILE"}
	npz := func(n int, descr string, elements, width int) func(*bufio.Writer) {
		return func(w *bufio.Writer) { archive(w, n, descr, elements, width) }
	}
	npy := func(descr, shape string, fortran bool, size int) func(*bufio.Writer) {
		return func(w *bufio.Writer) {
			put(w, rig.NPYHeader(descr, shape, fortran))
			zeros(w, size)
		}
	}
	return []bomb{
		{"bomb.npz", npz(1, "<f4", 512<<20, 4), read},
		{"bombs.npz", npz(16, "<f4", 16<<20, 4), read},
		{"bombs of bytes.npz", npz(60, "|u1", 8<<20, 1), read},
		{"members.npz", npz(60_000, "<f4", 1, 4), read},
		{"directory.npz", directory(400_000), read},
		{"packed strings.npz", npz(1, "|S1", 14<<20, 1), read},
		{"plain.npy", npy("<f4", "(25000000,)", false, 100_000_000), read},
		{"fortran.npy", npy(">f8", "(1000,10000)", true, 80_000_000), read},
		{"one-byte strings.npy", npy("|S1", "(40000000,)", false, 40_000_000), read},
		{"one-character strings.npy", npy("<U1", "(10000000,)", false, 40_000_000), read},
		{"claims.npy", npy("<f4", "(4611686018427387904,)", false, 16), read},
		{"product.npy", npy("<f4", "(4294967296, 4294967296)", false, 0), read}, // 0 in 64 bits
		{"int8.npy", npy("|i1", "(50000000,)", false, 50_000_000), read},
	}
}

// directory returns a function that writes an archive whose n members all refer to the same bytes
// of the file.
func directory(n int) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		array := rig.NPYHeader("<f4", "()", false) + "\x00\x00\x00\x00"
		local := make([]byte, 30)
		copy(local, "PK\x03\x04\x14\x00")
		sum := crc32.ChecksumIEEE([]byte(array))
		binary.LittleEndian.PutUint32(local[14:], sum)
		binary.LittleEndian.PutUint32(local[18:], uint32(len(array)))
		binary.LittleEndian.PutUint32(local[22:], uint32(len(array)))
		binary.LittleEndian.PutUint16(local[26:], 5)
		put(w, string(local), "a.npy", array)
		at := len(local) + 5 + len(array)
		entry := make([]byte, 46)
		copy(entry, "PK\x01\x02\x14\x00\x14\x00")
		copy(entry[16:28], local[14:26])
		binary.LittleEndian.PutUint16(entry[28:], 5)
		repeat(w, n, string(entry)+"a.npy")
		// The old end record has only 16-bit counts, so a zip64 record with the counts precedes it.
		end64 := make([]byte, 56)
		copy(end64, "PK\x06\x06")
		binary.LittleEndian.PutUint64(end64[4:], 44)
		binary.LittleEndian.PutUint64(end64[24:], uint64(n))
		binary.LittleEndian.PutUint64(end64[32:], uint64(n))
		binary.LittleEndian.PutUint64(end64[40:], uint64(n*51))
		binary.LittleEndian.PutUint64(end64[48:], uint64(at))
		locator := make([]byte, 20)
		copy(locator, "PK\x06\x07")
		binary.LittleEndian.PutUint64(locator[8:], uint64(at+n*51))
		locator[16] = 1
		end := make([]byte, 22)
		copy(end, "PK\x05\x06")
		for i := 8; i < 20; i++ {
			end[i] = 0xff
		}
		put(w, string(end64), string(locator), string(end))
	}
}

// jsonFiles returns hostile files in Polygraphy's and modelparity's JSON formats.
func jsonFiles() []bomb {
	read := []string{"inspect FILE", "compare FILE FILE"}
	between := func(before string, n int, text, after string) func(*bufio.Writer) {
		return func(w *bufio.Writer) {
			put(w, before)
			repeat(w, n, text+",")
			put(w, text, after)
		}
	}
	head := `{"modelparity": {"format": 2, "kind": "golden", "runs": [`
	rest := `]}, "lst": [], "polygraphy_class": "RunResults"}`
	tiny := base64.StdEncoding.EncodeToString([]byte(rig.NPYHeader("<f4", "()", false) + "abcd"))
	array := `{"values": {"array": "` + tiny + `", "polygraphy_class": "ndarray"}, ` +
		`"polygraphy_class": "LazyArray"}`
	results := func(n int, text string) func(*bufio.Writer) {
		return between(`{"lst": [["a", [`, n, text, `]]], "polygraphy_class": "RunResults"}`)
	}
	encoded := func(write func(io.Writer)) func(*bufio.Writer) {
		return func(w *bufio.Writer) {
			put(w, `{"lst": [["a", [{"outputs": {"y": {"array": "`)
			e := base64.NewEncoder(base64.StdEncoding, w)
			write(e)
			_ = e.Close()
			put(w, `"}}}]]]}`)
		}
	}
	return []bomb{
		{"header with many empty runs.json", between(head, 10_000_000, "{}", rest), read},
		{"header with many empty iterations.json", between(head+`{"iterations": [`, 10_000_000, "[]",
			"]}"+rest), read},
		{"header with many empty outputs.json", between(head+`{"iterations": [[`, 5_000_000, "{}",
			"]]}"+rest), read},
		{"header with shapes.json", between(head+`{"iterations": [[{"shape":[`, 10_000_000, "1",
			"]}]]}"+rest), read},
		{"header with values.json", between(head+`{"iterations": [[{"values":[`, 10_000_000, "1",
			"]}]]}"+rest), read},
		{"header with a tree.json", between(head+`{"iterations": [[{"tree":{"parts":[`, 5_000_000, `""`,
			"]}}]]}"+rest), read},
		{"header with options.json", between(head+`{"provenance": {"options": {`, 1_000_000, `"%d":"1"`,
			"}}}"+rest), read},
		{"header with an unknown key.json", between(`{"modelparity": {"x": [`, 10_000_000, "[]", "]}}"),
			read},
		{"runners.json", between(`{"lst": [`, 3_000_000, `["",[]]`, `]}`), read},
		{"iterations.json", results(1_500_000, `{"outputs":{}}`), read},
		{"outputs.json", between(`{"lst": [["a", [{"outputs": {`, 60_000, `"%d": `+array,
			`}}]]]}`), read},
		{"iterations with one output.json", results(60_000, `{"outputs": {"y": `+array+`}}`), read},
		{"unknown keys.json", between(`{`, 3_000_000, `"%d": []`, `}`), read},
		{"inputs.json", between(`[`, 3_000_000, `{}`, `]`), []string{"inspect FILE"}},
		{"inputs with one array.json", between(`[`, 60_000, `{"x": `+array+`}`, `]`),
			[]string{"inspect FILE", "inspect FILE --json"}},
		{"deep.json", between(`{"x": `+strings.Repeat("[", 900), 3_000_000, `[]`,
			strings.Repeat("]", 900)+`}`), read},
		{"too deep.json", func(w *bufio.Writer) { repeat(w, 20_000_000, "[") }, read},
		{"objects too deep.json", func(w *bufio.Writer) { repeat(w, 1_000_000, `{"lst":`) }, read},
		{"digits.json", func(w *bufio.Writer) {
			put(w, `{"lst": `)
			repeat(w, 20_000_000, "9")
		}, read},
		{"long key.json", func(w *bufio.Writer) {
			put(w, `{"`)
			repeat(w, 20_000_000, "k")
		}, read},
		{"array.json", encoded(func(w io.Writer) {
			put(w, rig.NPYHeader("<f4", "(15000000,)", false))
			zeros(w, 60_000_000)
		}), read},
		{"legacy bomb.json", encoded(func(w io.Writer) { archive(w, 1, "|u1", 512<<20, 1) }), read},
		{"accuracy.json", between(`{"lst": [{"lst": [[["a","b"],[{`, 2_000_000, `"%d":true`,
			`}]]]}], "polygraphy_class": "AccuracyResults"}`), read},
	}
}
