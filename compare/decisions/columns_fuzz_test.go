package decisions_test

import (
	"math"
	"testing"

	"github.com/modelparity/modelparity/compare/decisions"
	"github.com/modelparity/modelparity/tensor"
)

// FuzzColumns reads a table by any columns: what is not an error has finite boxes, in images and
// with classes that the table can hold.
func FuzzColumns(f *testing.F) {
	for _, columns := range []string{"x0 y0 x1 y1 score class", "cx cy w h objectness classes",
		"image _ x y w h score class", "classes x y w h", "x0 x0 y1", "x y w h cx cy score class", ""} {
		f.Add(columns, uint8(2), 0.5, 3., 0.)
		f.Add(columns, uint8(9), math.NaN(), -1., math.Inf(1))
	}
	f.Fuzz(func(t *testing.T, columns string, width uint8, a, b, c float64) {
		const rows = 3
		values := make([]float64, rows*int(width%16))
		for i := range values {
			values[i] = [...]float64{a, b, c, float64(i)}[i%4]
		}
		table, err := tensor.New(tensor.Shape{rows, int(width % 16)}, values)
		if err != nil {
			t.Fatal(err)
		}
		outputs, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: table})
		if err != nil {
			t.Fatal(err)
		}
		images, err := decisions.Layout{Packed: "y", Columns: columns}.Images(outputs, math.Inf(-1))
		if err != nil {
			return
		}
		total := 0
		for _, image := range images {
			total += len(image)
			for _, d := range image {
				for _, v := range append(d.Box[:], d.Score) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("columns %q: %+v", columns, d)
					}
				}
				if d.Class < 0 || d.Scores != nil && d.Class >= len(d.Scores) {
					t.Fatalf("columns %q: class %d of %d", columns, d.Class, len(d.Scores))
				}
			}
		}
		if total > rows || len(images) > rows {
			t.Fatalf("columns %q: %d boxes in %d images of %d rows", columns, total, len(images), rows)
		}
	})
}
