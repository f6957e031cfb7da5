package bound

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// window maps the output positions of a Conv to input positions.
type window struct {
	in, out, kernel           []int // sizes of the spatial axes
	strides, dilations, begin []int // begin is the padding before the input
}

// window reads the attributes of a Conv, given the sizes of its spatial axes.
func (n *Node) window(in, kernel []int) (w window, err error) {
	rank := len(in)
	list := func(name string, count, otherwise int) []int {
		found, wrong := n.Attributes.Integers(name)
		if len(found) == 0 {
			found = slices.Repeat([]int{otherwise}, count)
		}
		if err == nil && wrong == nil && len(found) != count {
			wrong = fmt.Errorf("attribute %s has %d values, expected %d", name, len(found), count)
		}
		err = cmp.Or(err, wrong)
		return found
	}
	w = window{in: in, kernel: kernel, strides: list("strides", rank, 1),
		dilations: list("dilations", rank, 1)}
	pads := list("pads", 2*rank, 0)
	if err != nil {
		return w, err
	}
	auto := n.Attributes.Word("auto_pad")
	for i, size := range in {
		begin, end := pads[i], pads[rank+i]
		switch auto {
		case "SAME_UPPER", "SAME_LOWER":
			same := (size + w.strides[i] - 1) / w.strides[i]
			pad := max(0, (same-1)*w.strides[i]+w.extent(i)-size)
			begin, end = pad/2, pad-pad/2
			if auto == "SAME_LOWER" {
				begin, end = end, begin
			}
		case "VALID":
			begin, end = 0, 0
		}
		w.begin = append(w.begin, begin)
		w.out = append(w.out, max(0, (size+begin+end-w.extent(i))/w.strides[i]+1))
	}
	return w, nil
}

// extent returns the size of the dilated kernel along an axis.
func (w *window) extent(axis int) int { return w.dilations[axis]*(w.kernel[axis]-1) + 1 }

// tap pairs a position in the kernel with the input position whose value it multiplies. Both are
// flat indices.
type tap struct{ kernel, in int }

// taps lists the taps that contribute to an output position. Taps that fall on padding are left
// out.
func (w *window) taps(position int) []tap {
	list := []tap{{}}
	at := make([]int, len(w.out))
	for axis := len(at) - 1; axis >= 0; axis-- {
		at[axis] = position % w.out[axis]
		position /= w.out[axis]
	}
	for axis, size := range w.in {
		var next []tap
		for _, t := range list {
			for k := range w.kernel[axis] {
				in := at[axis]*w.strides[axis] - w.begin[axis] + k*w.dilations[axis]
				if in >= 0 && in < size {
					next = append(next, tap{t.kernel*w.kernel[axis] + k, t.in*size + in})
				}
			}
		}
		list = next
	}
	return list
}

func convolution(n *Node, arithmetic Arithmetic) (*computation, error) {
	f := formatOf(arithmetic.Sums)
	x, w, bias, err := n.factors(arithmetic)
	if err != nil {
		return nil, err
	}
	if len(x.shape) < 3 || len(x.shape) != len(w.shape) {
		return nil, n.mismatch(x.shape, w.shape)
	}
	win, err := n.window(x.shape[2:], w.shape[2:])
	if err != nil {
		return nil, err
	}
	groups := max(1, n.Attributes.Integer("group", 1))
	channels, outputs := x.shape[1]/groups, w.shape[0] // input channels of a group, all outputs
	perGroup := outputs / groups
	if channels*groups != x.shape[1] || perGroup*groups != outputs || w.shape[1] != channels ||
		bias != nil && bias.count() != outputs {
		return nil, fmt.Errorf("%s: input shape %v and weight shape %v do not fit %d groups", n.Op,
			x.shape, w.shape, groups)
	}
	space, inSpace, size := product(win.out), product(win.in), product(win.kernel)
	shape := append([]int{x.shape[0], outputs}, win.out...)
	tiles := func(int, int) float64 { return 0 }
	if arithmetic.Winograd && win.inTiles() {
		tiles = neighbours(x, w, channels, perGroup)
	}
	return sums(shape, channels*size, 0, x, w, func(g int) total {
		at, output, image := g%space, g/space%outputs, g/space/outputs
		sum := total{format: f, e: float64(winogradError * f.u * tiles(image, output))}
		if bias != nil {
			sum.add(bias.at(output))
		}
		taps := win.taps(at)
		for c := range channels {
			from := (image*x.shape[1] + output/perGroup*channels + c) * inSpace
			weight := (output*channels + c) * size
			for _, t := range taps {
				sum.multiply(x.at(from+t.in), w.at(weight+t.kernel))
			}
		}
		return sum
	}), nil
}

// winogradError is the error of Winograd's algorithm for output tiles of up to 6×6, in units of the
// unit roundoff. Plain sums have about a hundredth of this error in practice. See B. Barabasz et
// al., Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks,
// 2020.
const winogradError = 256

// inTiles reports whether Winograd's algorithm can compute the convolution.
func (w *window) inTiles() bool {
	steps := slices.Concat(w.strides, w.dilations)
	return slices.Max(steps) == 1 && !slices.Contains(w.kernel, 1)
}

// neighbours returns a function that bounds Σ |a·b|, the sum of the magnitudes of the products, for
// all positions of one output channel in one image.
func neighbours(x, w *operand, channels, perGroup int) func(image, output int) float64 {
	size, space := product(w.shape[2:]), product(x.shape[2:])
	largest := make([]float64, x.shape[0]*x.shape[1]) // of each channel of each image
	for i := range x.count() {
		largest[i/space] = max(largest[i/space], math.Abs(x.value(i)))
	}
	return func(image, output int) float64 {
		total := 0.0
		for c := range channels {
			weights := 0.0
			for k := range size {
				weights += math.Abs(w.value((output*channels+c)*size + k))
			}
			total += float64(weights * largest[image*x.shape[1]+output/perGroup*channels+c])
		}
		return total
	}
}
