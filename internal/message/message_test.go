package message_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/codec/npy"
	"github.com/modelparity/modelparity/internal/message"
	"github.com/modelparity/modelparity/tensor"
)

// everyType is one tensor of each element type, in two dimensions.
func everyType(t testing.TB) *tensor.Set {
	var entries []tensor.Entry
	for _, elem := range tensor.ElementTypes() {
		shape := tensor.Shape{1, 3}
		var made *tensor.Tensor
		var err error
		if elem == tensor.String {
			made, err = tensor.FromStrings(shape, []string{"", "größer", "with\x00NUL"})
		} else {
			made, err = tensor.FromBytes(elem, shape, make([]byte, elem.Bytes(3)))
		}
		if err != nil {
			t.Fatal(err)
		}
		if elem == tensor.Int64 {
			made = made.AsKeys()
		}
		entries = append(entries, tensor.Entry{Name: "of " + elem.String(), Tensor: made})
	}
	set, err := tensor.NewSet(entries...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func written(t testing.TB, head any, set *tensor.Set) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := message.Write(&out, head, set); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestMessagesComeAsTheyWereSent(t *testing.T) {
	g := NewWithT(t)
	set := everyType(t)
	type head struct {
		Message string `json:"message"`
		Text    string `json:"text,omitempty"`
	}
	channel := append(written(t, head{"run", "<two\nlines>"}, set),
		written(t, head{"end", ""}, nil)...)
	r := message.NewReader(bytes.NewReader(channel))
	first, err := r.Read()
	g.Expect(err).NotTo(HaveOccurred())
	var got head
	g.Expect(first.Decode(&got)).To(Succeed())
	g.Expect(got).To(Equal(head{"run", "<two\nlines>"}))
	g.Expect(first.Arrays.Names()).To(Equal(set.Names()))
	for name, want := range set.All() {
		had, _ := first.Arrays.Get(name)
		g.Expect(had.ElementType()).To(Equal(want.ElementType()), name)
		g.Expect(had.Shape()).To(Equal(want.Shape()), name)
		g.Expect(had.IsKeys()).To(Equal(want.IsKeys()), name)
		g.Expect(bytes.Equal(had.Bytes(), want.Bytes())).To(BeTrue(), name)
		g.Expect(had.Strings()).To(Equal(want.Strings()), name)
	}
	second, err := r.Read()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(second.Head)).To(Equal(`{"message":"end"}`))
	g.Expect(second.Arrays.Len()).To(BeZero())
	_, err = r.Read()
	g.Expect(err).To(Equal(io.EOF))
}

// file is an .npy file of four float32.
func file(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	if err := npy.Write(&out, tensor.Of[float32](1, 2, 3, 4)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWhatIsNoMessageIsSaidWithItsPlace(t *testing.T) {
	good := file(t)
	head := func(arrays string) string { return `{"arrays":[` + arrays + "]}\n" }
	one := func(more string) string {
		return head(fmt.Sprintf(`{"name":"y",%s"bytes":%d}`, more, len(good)))
	}
	for name, row := range map[string]struct{ channel, want string }{
		"text": {"hello\n",
			`byte 0: expected a JSON object on one line, got "hello" (invalid character 'h'`},
		"a list":        {"[]\n", `byte 0: expected a JSON object on one line, got "[]"`},
		"null":          {"null\n", `byte 0: expected a JSON object on one line, got "null"`},
		"an empty line": {"{}\n\n", `byte 3: expected a line of JSON, got an empty line`},
		"half a line": {`{"message"`,
			`byte 0: the channel was closed in the middle of line "{\"message\"": unexpected EOF`},
		"a line without end": {strings.Repeat("x", 5<<20),
			"byte 0: the JSON of a message exceeds 4 MiB"},
		"half an array": {one("") + good[:140],
			`array 0, "y": the channel was closed after 140 of 144 bytes: unexpected EOF`},
		"an array of another kind": {one("") + strings.Replace(good, "NUMPY", "NUMPI", 1),
			`byte 38: array 0, "y": npy: byte 0: "\x93NUMPI" is not the magic number`},
		"an unknown type": {one(`"type":"float128",`) + good, `unknown element type "float128"`},
		"no type at all":  {one(`"type":"invalid",`) + good, `unknown element type "invalid"`},
		"another type":    {one(`"type":"int32",`) + good, "the file holds float32 (<f4), not int32"},
		"a negative length": {head(`{"name":"y","bytes":-1}`),
			`array 0, "y": invalid array length of -1 bytes`},
		"more than any memory": {head(`{"name":"y","bytes":4611686018427387904}`),
			`array 0, "y": an array of 4611686018427387904 bytes: `},
		"a length that is none": {head(`{"name":"y","bytes":1e30}`), "cannot unmarshal number"},
		"two of one name": {head(fmt.Sprintf(`{"name":"y","bytes":%d},{"name":"y","bytes":%[1]d}`,
			len(good))) + good + good, `byte 0: tensor: "y" is named twice`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := message.NewReader(strings.NewReader(row.channel))
			var err error
			for err == nil {
				_, err = r.Read()
			}
			var wrong *message.Error
			g.Expect(errors.As(err, &wrong)).To(BeTrue())
			g.Expect(err).To(MatchError(ContainSubstring(row.want)))
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"))
			g.Expect(len(err.Error())).To(BeNumerically("<", 400))
		})
	}
}

func TestAnnouncedBytesAreNotAllocatedBeforeTheyCome(t *testing.T) {
	g := NewWithT(t)
	channel := `{"arrays":[{"name":"y","bytes":1000000000}]}` + "\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := message.NewReader(strings.NewReader(channel)).Read()
	runtime.ReadMemStats(&after)
	g.Expect(err).To(MatchError(
		ContainSubstring("the channel was closed after 0 of 1000000000 bytes")))
	g.Expect(after.TotalAlloc - before.TotalAlloc).To(BeNumerically("<", 32<<20))
}

func TestATypeMayBeLeftOutWhereTheFileSaysIt(t *testing.T) {
	g := NewWithT(t)
	good := file(t)
	m, err := message.NewReader(strings.NewReader(fmt.Sprintf(
		`{"arrays":[{"name":"y","bytes":%d}]}`+"\n%s", len(good), good))).Read()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(m.Arrays.String()).To(Equal("{y: float32[4]}"))
}

func TestNothingIsWrittenOfWhatCannotBeWritten(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	words, err := tensor.FromStrings(tensor.Shape{1}, []string{"ends in \x00"})
	g.Expect(err).NotTo(HaveOccurred())
	set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of[int8](1)},
		tensor.Entry{Name: "words", Tensor: words})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(message.Write(&out, struct{}{}, set)).To(MatchError(And(
		ContainSubstring(`array "words"`), ContainSubstring("NUL"))))
	g.Expect(message.Write(&out, "no object", nil)).To(MatchError(ContainSubstring("a JSON object")))
	g.Expect(message.Write(&out, map[string]string{"text": strings.Repeat("x", 5<<20)}, nil)).To(
		MatchError(ContainSubstring("exceeds 4 MiB")))
	g.Expect(out.Len()).To(BeZero())
}

// FuzzRead holds that no channel panics, and that what is read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add(written(f, struct{}{}, everyType(f)))
	f.Add([]byte(`{"arrays":[{"name":"y","bytes":4611686018427387904}]}` + "\n"))
	f.Add([]byte("hello\n"))
	f.Fuzz(func(t *testing.T, channel []byte) {
		r := message.NewReader(bytes.NewReader(channel))
		for {
			m, err := r.Read()
			if err != nil {
				return
			}
			var out bytes.Buffer
			if message.Write(&out, struct{}{}, m.Arrays) != nil {
				continue // texts that end in NUL do not come back
			}
			again, err := message.NewReader(&out).Read()
			if err != nil || again.Arrays.String() != m.Arrays.String() {
				t.Fatalf("%v was read back as %v: %v", m.Arrays, again.Arrays, err)
			}
		}
	})
}
