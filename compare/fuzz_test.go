package compare_test

import (
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"runtime"
	"testing"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/tensor"
)

// fuzzedPair makes two tensors of any types and one shape out of bytes.
func fuzzedPair(x, y, columns uint8, a, b []byte) (actual, expected *tensor.Tensor, ok bool) {
	elems := tensor.ElementTypes()
	ex, ey := elems[int(x)%len(elems)], elems[int(y)%len(elems)]
	if ex == tensor.String || ey == tensor.String || len(a) == 0 || len(b) == 0 {
		return nil, nil, false
	}
	n := min(8*len(a)/ex.Bits(), 8*len(b)/ey.Bits())
	shape := tensor.Shape{n}
	if width := int(columns); width > 0 && n >= width {
		shape = tensor.Shape{n / width, width}
		n = n / width * width
	}
	actual, err := tensor.FromBytes(ex, shape, a[:ex.Bytes(n)])
	if err != nil {
		return nil, nil, false
	}
	expected, err = tensor.FromBytes(ey, shape, b[:ey.Bytes(n)])
	return actual, expected, err == nil
}

// everyCheck is one check of each kind, with one limit.
func everyCheck(limit float64) []compare.Check {
	return []compare.Check{
		compare.Within(limit, limit, compare.Elementwise), compare.Within(limit, limit, compare.Max),
		compare.Within(limit, limit, compare.Mean), compare.Within(limit, limit, compare.Median),
		compare.Within(limit, limit, compare.Quantile(0.9)), compare.WithinSum(limit, limit),
		compare.Within(limit, limit, compare.Elementwise).AllowMismatch(0.25),
		compare.L2(limit), compare.NormRelative(limit), compare.KL(limit),
		compare.CosineSimilarity(1 - limit), compare.PSNR(-limit), compare.SNR(-limit),
		compare.Indices(3), compare.TopKAgreement(2, 0.5), compare.Defaults()}
}

func FuzzCompare(f *testing.F) {
	f.Add(uint8(2), uint8(2), uint8(0), []byte("aaaabbbbcccc"), []byte("aaaabbbcdddd"), 1e-5, 0.1)
	f.Add(uint8(0), uint8(4), uint8(3), []byte("\x00\x7c\x00\xfe01234567"), []byte("012345678"),
		0.0, 1.0)
	f.Add(uint8(15), uint8(19), uint8(2), []byte{0x80, 0x7f, 0xff}, []byte{0x80, 0x01}, 1.0, 1e300)
	f.Fuzz(func(t *testing.T, x, y, columns uint8, a, b []byte, less, more float64) {
		actual, expected, ok := fuzzedPair(x, y, columns, a, b)
		if !ok || math.IsNaN(less) || math.IsNaN(more) {
			return
		}
		less, more = math.Abs(less), math.Abs(more)
		less, more = min(less, more), max(less, more)
		strict, loose := everyCheck(less), everyCheck(more)
		for i := range strict {
			first, refused := compared(t, actual, expected, strict[i], 1)
			second, _ := compared(t, actual, expected, loose[i], 0)
			if first.Verdict == compare.Pass && second.Verdict == compare.Fail {
				t.Errorf("%v passes and %v fails", strict[i], loose[i])
			}
			other, refusedToo := compared(t, actual, expected, strict[i], 3)
			if refused != refusedToo {
				t.Errorf("%v: with one worker %q, with three %q", strict[i], refused, refusedToo)
			}
			if string(marshalled(t, first)) != string(marshalled(t, other)) {
				t.Errorf("%v: another report with three workers", strict[i])
			}
		}
		if isFinite(actual) && actual.Len() > 0 {
			exact := compare.Within(0, 0, compare.Elementwise)
			if out, _ := compared(t, actual, actual, exact, 0); out.Verdict != compare.Pass {
				t.Errorf("a finite tensor differs from itself:\n%v", out)
			}
		}
	})
}

// compared is what a check found, or why it was refused.
func compared(t *testing.T, a, b *tensor.Tensor, check compare.Check, workers int) (
	out compare.Output, refused string) {
	if workers > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	}
	out, err := compare.Tensors(a, b, compare.Options{Checks: []compare.Check{check},
		AnyElementType: true})
	switch {
	case err == nil:
		return out, ""
	case errors.As(err, new(*compare.Powerless)), refusal.MatchString(err.Error()):
		return compare.Output{}, err.Error()
	}
	t.Fatal(err)
	return out, ""
}

// refusal is an error about a rule that says nothing about a pair, whoever finds that out.
var refusal = regexp.MustCompile("nothing could fail|not a distribution|all NaN|one element " +
	"type|want a fraction above 0|nothing was compared")

func marshalled(t *testing.T, out compare.Output) []byte {
	_ = out.Text()
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func isFinite(a *tensor.Tensor) bool {
	for i := range a.Len() {
		if v := a.Float64At(i); math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func FuzzReport(f *testing.F) {
	out, err := compare.Tensors(tensor.Of(1.0, math.NaN()), tensor.Of(2.0, 3), compare.Options{
		Checks: everyCheck(0.1)[:5]})
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(compare.Report{Verdict: compare.Fail, Outputs: []compare.Output{out}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		var report compare.Report
		if json.Unmarshal(text, &report) != nil {
			return
		}
		_ = report.Text()
		if _, err := json.Marshal(report); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
