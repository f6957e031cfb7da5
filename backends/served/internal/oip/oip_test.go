package oip

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/tensor"
)

// every is one tensor of each element type that the protocol has.
func every(t testing.TB) *tensor.Set {
	var entries []tensor.Entry
	for _, elem := range tensor.ElementTypes() {
		if _, err := Datatype(elem); err != nil {
			continue
		}
		var made *tensor.Tensor
		var err error
		if elem == tensor.String {
			made, err = tensor.FromStrings(tensor.Shape{3}, []string{"", "grö\"ßer\n", "]"})
		} else {
			made, err = tensor.FromBytes(elem, tensor.Shape{1, 3}, bytes.Repeat([]byte{1}, elem.Bytes(3)))
		}
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, tensor.Entry{Name: elem.String(), Tensor: made})
	}
	entries = append(entries, tensor.Entry{Name: "0-d", Tensor: tensor.Scalar(float32(0.1))},
		tensor.Entry{Name: "empty", Tensor: tensor.Of[int8]()})
	set, err := tensor.NewSet(entries...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// answered is a request turned into the answer with the same tensors.
func answered(t testing.TB, set *tensor.Set, inBinary bool) (body []byte, head int) {
	body, head, err := Request(set, inBinary)
	if err != nil {
		t.Fatal(err)
	}
	body = bytes.Replace(body, []byte(`"inputs":`), []byte(`"outputs":`), 1)
	if head++; !inBinary {
		head = -1
	}
	return body, head
}

func TestTensorsArriveAsTheyWereSent(t *testing.T) {
	for _, inBinary := range []bool{true, false} {
		g := NewWithT(t)
		set := every(t)
		got, err := Response(answered(t, set, inBinary))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Outputs.Names()).To(Equal(set.Names()))
		for name, want := range set.All() {
			had, _ := got.Outputs.Get(name)
			g.Expect(had.ElementType()).To(Equal(want.ElementType()), name)
			g.Expect(had.Shape().Equal(want.Shape())).To(BeTrue(), name)
			g.Expect(bytes.Equal(had.Bytes(), want.Bytes())).To(BeTrue(), name)
			g.Expect(had.Strings()).To(Equal(want.Strings()), name)
		}
	}
}

func TestGRPCNeedsItsPackage(t *testing.T) {
	g := NewWithT(t)
	_, err := Dial(Target{Scheme: "grpc", Host: "h:1", Model: "m"})
	g.Expect(err).To(MatchError(And(HavePrefix("grpc:// needs gRPC"),
		HaveSuffix(`import _ "github.com/modelparity/modelparity/backends/served/grpc"`))))
	_, err = Dial(Target{Scheme: "ftp"})
	g.Expect(err).To(MatchError(ContainSubstring(`unknown scheme "ftp"`)))
}

func TestJSONOfPythonIsRead(t *testing.T) {
	g := NewWithT(t)
	got, err := Response([]byte(`{"model_name":"m","model_version":"7","id":"x","outputs":[`+
		`{"name":"y NaN","datatype":"FP32","shape":[2,2],"data":[[NaN, -Infinity],[Infinity,1e-3]]},`+
		`{"name":"b","datatype":"BOOL","shape":[2],"parameters":{"content_type":"np"},"data":[true,0]}`+
		`]}`), -1)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Version).To(Equal("7"))
	y, ok := got.Outputs.Get("y NaN")
	g.Expect(ok).To(BeTrue())
	g.Expect(math.IsNaN(y.Float64At(0))).To(BeTrue())
	g.Expect(y.Float64s()[1:]).To(Equal([]float64{math.Inf(-1), math.Inf(1), float64(float32(1e-3))}))
}

// An answer of Triton's form: binary outputs, one of them strings, behind JSON that says so.
func TestAnAnswerOfTritonsFormIsRead(t *testing.T) {
	g := NewWithT(t)
	head := `{"model_name":"net","model_version":"1","parameters":{"sequence_id":0,` +
		`"sequence_start":false,"sequence_end":false},"outputs":[{"name":"OUTPUT0","datatype":"FP32",` +
		`"shape":[1,2],"parameters":{"binary_data_size":8}},{"name":"LABEL","datatype":"BYTES",` +
		`"shape":[2],"parameters":{"binary_data_size":11}}]}`
	tail := "\x00\x00\x80?\x00\x00\x00@" + "\x03\x00\x00\x00cat" + "\x00\x00\x00\x00"
	got, err := Response([]byte(head+tail), len(head))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Outputs.String()).To(Equal("{OUTPUT0: float32[1,2], LABEL: string[2]}"))
	y, _ := got.Outputs.Get("OUTPUT0")
	g.Expect(y.Float64s()).To(Equal([]float64{1, 2}))
	label, _ := got.Outputs.Get("LABEL")
	g.Expect(label.Strings()).To(Equal([]string{"cat", ""}))
	for _, wrong := range []int{-2, 3, len(head) + 100} {
		_, err := Response([]byte(head+tail), wrong)
		g.Expect(errors.Is(err, ErrAnswer)).To(BeTrue())
	}
	_, err = Response([]byte(head+tail+"x"), len(head))
	g.Expect(err).To(MatchError(ContainSubstring("1 bytes follow the last output")))
	_, err = Response([]byte(head+strings.Replace(tail, "\x03", "\xff", 1)), len(head))
	g.Expect(err).To(MatchError(ContainSubstring("string 0 has 255 bytes, but only 7 are left")))
}

func TestWhatJSONCannotHoldIsAnError(t *testing.T) {
	g := NewWithT(t)
	words, err := tensor.FromStrings(tensor.Shape{1}, []string{"\xff"})
	g.Expect(err).NotTo(HaveOccurred())
	tiny, err := tensor.FromBytes(tensor.Int4, tensor.Shape{2}, []byte{1})
	g.Expect(err).NotTo(HaveOccurred())
	for says, x := range map[string]*tensor.Tensor{
		`JSON cannot represent NaN; send the tensors in binary`: tensor.Of(math.NaN()),
		`JSON cannot represent "\xff"`:                          words,
		`the Open Inference Protocol has no element type int4`:  tiny,
	} {
		set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: x})
		g.Expect(err).NotTo(HaveOccurred())
		_, _, err = Request(set, false)
		g.Expect(err).To(MatchError(HavePrefix(`input "x": ` + says)))
	}
}

// FuzzResponse holds that no answer panics, and that what is read can be sent and read again.
func FuzzResponse(f *testing.F) {
	for _, inBinary := range []bool{true, false} {
		body, head := answered(f, every(f), inBinary)
		f.Add(body, head)
	}
	f.Add([]byte(`{"outputs":[{"name":"y","datatype":"BYTES","shape":[2,0],"data":["\`), -1)
	f.Add([]byte(`{"outputs":[{"name":"y","datatype":"FP32","shape":[1],"data":["N",{}]}]}`), -1)
	f.Fuzz(func(t *testing.T, body []byte, head int) {
		first, err := Response(body, head)
		if err != nil {
			return
		}
		again, err := Response(answered(t, first.Outputs, true))
		if err != nil || again.Outputs.String() != first.Outputs.String() {
			t.Fatalf("%v was read back as %v: %v", first.Outputs, again.Outputs, err)
		}
	})
}
