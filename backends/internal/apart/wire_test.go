package apart

import (
	"bytes"
	"io"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/tensor"
)

// everyType is one tensor of each element type.
func everyType(t testing.TB) *tensor.Set {
	var entries []tensor.Entry
	for _, elem := range tensor.ElementTypes() {
		var made *tensor.Tensor
		var err error
		if elem == tensor.String {
			made, err = tensor.FromStrings(tensor.Shape{3}, []string{"", "größer", "ends in \xff\x00"})
		} else {
			made, err = tensor.FromBytes(elem, tensor.Shape{1, 3}, make([]byte, elem.Bytes(3)))
		}
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, tensor.Entry{Name: "of " + elem.String(), Tensor: made})
	}
	entries = append(entries, tensor.Entry{Name: "keys", Tensor: tensor.Of[int64](7).AsKeys()},
		tensor.Entry{Name: "0-d", Tensor: tensor.Scalar(float32(1))},
		tensor.Entry{Name: "empty", Tensor: tensor.Of[int8]()})
	set, err := tensor.NewSet(entries...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// frame is a message with the set as it goes over the line.
func frame(t testing.TB, set *tensor.Set) []byte {
	var out bytes.Buffer
	l := &line{conn: readWriter{nil, &out}}
	if err := l.write(&message{Does: gives, Tensors: set}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type readWriter struct {
	io.Reader
	io.Writer
}

func TestTensorsArriveAsTheyWereSent(t *testing.T) {
	g := NewWithT(t)
	set := everyType(t)
	l := &line{conn: readWriter{bytes.NewReader(frame(t, set)), nil}}
	m, err := l.read()
	g.Expect(err).NotTo(HaveOccurred())
	got := m.Tensors
	g.Expect(got.Names()).To(Equal(set.Names()))
	for name, want := range set.All() {
		had, _ := got.Get(name)
		g.Expect(had.ElementType()).To(Equal(want.ElementType()), name)
		g.Expect(had.Shape().Equal(want.Shape())).To(BeTrue(), name)
		g.Expect(bytes.Equal(had.Bytes(), want.Bytes())).To(BeTrue(), name)
		g.Expect(had.Strings()).To(Equal(want.Strings()), name)
		g.Expect(had.IsKeys()).To(Equal(want.IsKeys()), name)
	}
}

// FuzzLine holds that nothing that a broken process says panics or takes memory that did not come.
func FuzzLine(f *testing.F) {
	f.Add(frame(f, everyType(f)))
	f.Add([]byte("Loading weights: 100 % done\n"))
	f.Add(bytes.Replace(frame(f, bytesOf(map[string][]byte{"x": {2, 'n', 'o', 9}})), []byte(`"set"`),
		[]byte(`"set","strings":{"x":[1]}`), 1))
	f.Add([]byte(`{"does":"set","arrays":[{"name":"x","bytes":-1}]}` + "\n"))
	f.Fuzz(func(_ *testing.T, said []byte) {
		l := &line{conn: readWriter{bytes.NewReader(said), nil}}
		for {
			if _, err := l.read(); err != nil {
				return
			}
		}
	})
}

func TestLastWords(t *testing.T) {
	g := NewWithT(t)
	c := crashOf("abacus", "running", "", "exit 2", `loading
unexpected fault address
fatal error: unexpected signal during runtime execution
[signal SIGFPE: floating-point exception code=0x1 addr=0x7f pc=0x7f]

runtime stack:
runtime.throw({0x1, 0x2})
	/go/panic.go:1 +0x1

goroutine 20 gp=0x1 m=5 mp=0x2 [syscall]:
runtime.cgocall(0x1, 0x2)
	/go/cgocall.go:1 +0x1
example.com/abacus._Cfunc_run(0x1)
	_cgo_gotypes.go:1 +0x1
example.com/abacus.(*Model).Run(...)
	/abacus.go:1
`)
	g.Expect(c.Cause).To(Equal("SIGFPE (floating-point exception)"))
	g.Expect(c.Words).To(Equal("loading\nunexpected fault address"))
	g.Expect(c.Error()).To(Equal("abacus crashed while running: SIGFPE (floating-point exception) " +
		"(only the engine's process ended)\nits last output:\n  loading\n  unexpected fault address"))
	g.Expect(crashOf("abacus", "running", "", "its process exited with status 3", "").Error()).To(
		Equal("abacus crashed while running: its process exited with status 3 " +
			"(only the engine's process ended)"))
	for _, row := range [][2]string{
		{"panic: index out of range\n\ngoroutine 1 [running]:\nmain.f()\n", "panic: index out of range"},
		{"fatal error: runtime: out of memory\n", "runtime: out of memory"},
		{"SIGABRT: abort\nPC=0x7f m=0 sigcode=18446744073709551610\n", "SIGABRT (abort)"},
	} {
		g.Expect(crashOf("", "", "", "", row[0]).Cause).To(Equal(row[1]))
	}
}
