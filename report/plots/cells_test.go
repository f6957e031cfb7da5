package plots

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/modelparity/modelparity/tensor"
)

// TestEveryElementHasAPlaceOfItsOwn arranges random shapes and reduces them to random sizes.
func TestEveryElementHasAPlaceOfItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := tensor.Shape(rapid.SliceOfN(rapid.IntRange(1, 6), 0, 5).Draw(t, "shape"))
		if rapid.Bool().Draw(t, "long") {
			shape = append(tensor.Shape{}, rapid.IntRange(1, 3000).Draw(t, "length"))
		}
		n, err := shape.Elements()
		if err != nil {
			t.Fatal(err)
		}
		l := layoutOf(shape)
		width, height := l.size()
		c := cellsOf(l, rapid.IntRange(1, 100).Draw(t, "columns"), rapid.IntRange(1, 100).Draw(t, "rows"))
		taken := map[[2]int]bool{}
		for i := range n {
			x, y := l.place(i)
			if x < 0 || y < 0 || x >= width || y >= height || taken[[2]int{x, y}] {
				t.Fatalf("element %d of %v is at %d,%d of %d × %d", i, shape, x, y, width, height)
			}
			taken[[2]int{x, y}] = true
			c.put(i, float64(i))
		}
		// A cell shows its greatest value, so the last element must be visible.
		if x, y := c.cell(n - 1); c.value[y*c.width+x] != float64(n-1) {
			t.Fatalf("the greatest of %v is not visible", shape)
		}
	})
}
