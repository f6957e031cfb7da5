package npy_test

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/tensor"
)

func archive(data []byte) (*tensor.Set, error) {
	return npy.ReadArchive(bytes.NewReader(data), int64(len(data)))
}

// zipped is an archive of one member, which change may tamper with.
func zipped(name string, content []byte, change func(*zip.FileHeader)) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	header := &zip.FileHeader{Name: name, Method: zip.Store, CompressedSize64: uint64(len(content)),
		UncompressedSize64: uint64(len(content))}
	change(header)
	member, err := w.CreateRaw(header)
	if err == nil {
		_, err = member.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return out.Bytes()
}

// file0 is a good member, raw0 one of raw bytes.
func file0() []byte { return with("{'descr': '|u1', "+rest0, bulk) }
func raw0() []byte  { return with("{'descr': '|V1', "+rest0, bulk) }

const rest0 = "'fortran_order': False, 'shape': (200,)}"

var bulk = strings.Repeat("x", 200)

func crc(data []byte) uint32 { return crc32.ChecksumIEEE(data) }

var _ = Describe("An .npz archive", func() {
	DescribeTable("of NumPy's is read", func(name, want string) {
		data, err := os.ReadFile("testdata/" + name)
		Expect(err).NotTo(HaveOccurred())
		set, err := archive(data)
		Expect(err).NotTo(HaveOccurred())
		Expect(set.GomegaString()).To(Equal(want))
	},
		Entry("stored", "plain.npz", "x: float32[3] [0 1 2]\ny: int64[1,1] [7]"),
		Entry("compressed", "compressed.npz", "x: float64[4,5] [0 0 0 0 0 0 0 0 … 12 more]"),
	)

	It("is written with the same bytes each time, and read again", func() {
		set, err := tensor.NewSet(tensor.Entry{Name: "a/b", Tensor: tensor.Of[int8](1)},
			tensor.Entry{Name: "c", Tensor: tensor.Scalar(2.5)})
		Expect(err).NotTo(HaveOccurred())
		var first, second bytes.Buffer
		Expect(npy.WriteArchive(&first, set)).To(Succeed())
		Expect(npy.WriteArchive(&second, set)).To(Succeed())
		Expect(first.Bytes()).To(Equal(second.Bytes()))
		read, err := archive(first.Bytes())
		Expect(err).NotTo(HaveOccurred())
		Expect(read.GomegaString()).To(Equal(set.GomegaString()))
	})

	DescribeTable("that is bad is an error with the member's name", func(data []byte, want string) {
		_, err := archive(data)
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
		Entry("no archive", []byte("PK"), "npz: zip: not a valid zip file"),
		Entry("no array", zipped("x.npy", []byte("x"), func(*zip.FileHeader) {}),
			"npz: x.npy: npy: byte 1: the file ends"),
		Entry("a member that unpacks to more than it can",
			zipped("x.npy", []byte("x"), func(h *zip.FileHeader) {
				h.Method, h.UncompressedSize64 = zip.Deflate, 1<<40
			}), "npz: x.npy: 1 compressed bytes cannot unpack to 1099511627776"),
		Entry("a damaged member", zipped("x.npy", file0(), func(h *zip.FileHeader) { h.CRC32 = 1 }),
			"npz: x.npy: zip: checksum error"),
		Entry("raw bytes", zipped("x.npy", raw0(), func(h *zip.FileHeader) { h.CRC32 = crc(raw0()) }),
			"npz: x.npy: npy: byte 0: the file holds raw bytes"),
		Entry("bytes after the array", zipped("x.npy", append(file0(), 0), func(h *zip.FileHeader) {
			h.CRC32 = crc(append(file0(), 0))
		}), "npz: x.npy: npy: byte 267: the file continues after the array's data"),
	)

	It("cannot make many members of few bytes", func() {
		// Members that lie over each other claim more bytes together than the file has.
		data := zipped("x.npy", file0(), func(h *zip.FileHeader) { h.CRC32 = crc(file0()) })
		entry := data[bytes.Index(data, []byte("PK\x01\x02")):bytes.Index(data, []byte("PK\x05\x06"))]
		start := len(data) - 22 - len(entry)
		bomb := append(bytes.Clone(data[:start]), bytes.Repeat(entry, 200)...)
		end := bytes.Clone(data[len(data)-22:])
		end[8], end[10] = 200, 200
		size := 200 * len(entry)
		end[12], end[13], end[14] = byte(size), byte(size>>8), byte(size>>16)
		_, err := archive(append(bomb, end...))
		Expect(err).To(MatchError(ContainSubstring("claim more bytes than the file has")))
	})
})

// FuzzArchive holds that no archive panics.
func FuzzArchive(f *testing.F) {
	for _, name := range []string{"plain.npz", "compressed.npz"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { archive(data) })
}
