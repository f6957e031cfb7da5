package plots_test

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/modelparity/modelparity/precision"
	"github.com/modelparity/modelparity/report/plots"
)

func TestCurveShowsWhatPassesAndWhatFails(t *testing.T) {
	q := &precision.Quantization{Model: "net.onnx", Quantizers: make([]precision.Quantizer, 4),
		Remove: 2, Curve: []precision.Point{{Removed: 0, SNR: 20}, {Removed: 1, Percent: 25, SNR: 28},
			{Removed: 2, Percent: 50, SNR: 41, Passes: true},
			{Removed: 4, Percent: 100, SNR: 999, Passes: true}}}
	data, err := plots.Curve(q)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	q.Curve[1].Passes = true
	other, err := plots.Curve(q)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(data, other) {
		t.Error("a point that passes looks like one that fails")
	}
}
