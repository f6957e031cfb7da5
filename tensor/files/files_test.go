package files_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/tensor"
	"github.com/modelparity/modelparity/tensor/files"
)

func set(t *testing.T, entries ...tensor.Entry) *tensor.Set {
	t.Helper()
	s, err := tensor.NewSet(entries...)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return s
}

func TestASetReadsAsItWasWritten(t *testing.T) {
	one := tensor.Entry{Name: "x", Tensor: tensor.Of[float32](0.25, -1)}
	two := tensor.Entry{Name: "ids", Tensor: tensor.Of[int64](7)}
	for name, s := range map[string]*tensor.Set{"a.npz": set(t, one, two),
		"a.safetensors": set(t, one, two), "a.json": set(t, one, two), "x.npy": set(t, one),
		"a.pb": set(t, one), "A.NPZ": set(t, two)} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := filepath.Join(t.TempDir(), name)
			g.Expect(files.Write(path, s)).To(Succeed())
			read, err := files.Read(path)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(read.Names()).To(ConsistOf(s.Names()))
			for name, expected := range s.All() {
				actual, _ := read.Get(name)
				g.Expect(actual.ElementType()).To(Equal(expected.ElementType()))
				g.Expect(actual.Shape()).To(Equal(expected.Shape()))
				g.Expect(actual.Bytes()).To(Equal(expected.Bytes()))
			}
		})
	}
}

func TestWhatIsNotOneSetIsAnError(t *testing.T) {
	g := NewWithT(t)
	x := tensor.Entry{Name: "x", Tensor: tensor.Of[float32](1)}
	y := tensor.Entry{Name: "y", Tensor: tensor.Of[float32](1)}
	in := func(name string) string { return filepath.Join(t.TempDir(), name) }
	g.Expect(files.Write(in("a.npy"), set(t, x, y))).To(MatchError(
		HaveSuffix("a.npy: .npy can store only one tensor, got 2")))
	g.Expect(files.Write(in("a.txt"), set(t, x))).To(MatchError(
		ContainSubstring(`no format has the extension ".txt"`)))
	several := in("inputs.json")
	g.Expect(fixtures.Save(several, fixtures.Of(set(t, x), set(t, x)))).To(Succeed())
	_, err := files.Read(several)
	g.Expect(err).To(MatchError(several + ": more than one iteration; fixtures.Load reads them all"))
	none := in("none.json")
	g.Expect(os.WriteFile(none, []byte("[]"), 0o600)).To(Succeed())
	_, err = files.Read(none)
	g.Expect(err).To(HaveOccurred())
	_, err = files.Read(in("missing.npz"))
	g.Expect(err).To(MatchError(os.ErrNotExist))
}

// The archive is what numpy.savez writes, and numpy.load reads.
func ExampleWrite() {
	set, err := tensor.NewSet(
		tensor.Entry{Name: "image", Tensor: tensor.Of[uint8](0, 255)},
		tensor.Entry{Name: "label", Tensor: tensor.Scalar[int64](7)})
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "sample.npz")
	if err := files.Write(path, set); err != nil {
		log.Fatal(err)
	}
	read, err := files.Read(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.GomegaString())
	// Output:
	// image: uint8[2] [0 255]
	// label: int64[] [7]
}
