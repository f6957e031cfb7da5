package bound

import (
	"fmt"
	"math"
	"slices"
)

// window maps the output positions of a convolution or a pool to input positions.
type window struct {
	in, out, kernel                []int // sizes of the spatial axes
	strides, dilations, begin, end []int // begin and end are the pads
}

// window reads the attributes of a convolution or a pool. If kernel is nil, it takes the sizes from
// the attribute kernel_shape.
func (n *Node) window(in, kernel []int) (w window, err error) {
	w = window{in: in, kernel: kernel}
	if kernel == nil {
		if w.kernel, err = n.integers("kernel_shape"); err != nil {
			return w, err
		}
	}
	rank := len(in)
	pads, err := n.integers("pads")
	if err != nil {
		return w, err
	}
	if pads == nil {
		pads = make([]int, 2*rank)
	}
	for _, list := range []struct {
		to   *[]int
		name string
	}{{&w.strides, "strides"}, {&w.dilations, "dilations"}} {
		if *list.to, err = n.integers(list.name); err != nil {
			return w, err
		}
		if *list.to == nil {
			*list.to = slices.Repeat([]int{1}, rank)
		}
	}
	if len(w.kernel) != rank || len(pads) != 2*rank || len(w.strides) != rank ||
		len(w.dilations) != rank {
		return w, fmt.Errorf("the window of %s does not have %d axes", n.Op, rank)
	}
	w.begin, w.end = slices.Clone(pads[:rank]), slices.Clone(pads[rank:])
	return w, nil
}

// extent returns the size of the dilated kernel along an axis.
func (w *window) extent(axis int) int { return w.dilations[axis]*(w.kernel[axis]-1) + 1 }

// forward completes w for Conv and the pools: it sets the padding and the output's size.
func (w *window) forward(n *Node) {
	for i, size := range w.in {
		same := (size + w.strides[i] - 1) / w.strides[i]
		switch n.text("auto_pad") {
		case "SAME_UPPER", "SAME_LOWER":
			pad := max(0, (same-1)*w.strides[i]+w.extent(i)-size)
			w.begin[i], w.end[i] = pad/2, pad-pad/2
			if n.text("auto_pad") == "SAME_LOWER" {
				w.begin[i], w.end[i] = w.end[i], w.begin[i]
			}
		case "VALID":
			w.begin[i], w.end[i] = 0, 0
		}
		room := size + w.begin[i] + w.end[i] - w.extent(i)
		count := room/w.strides[i] + 1
		if n.integer("ceil_mode", 0) != 0 && room%w.strides[i] != 0 &&
			count*w.strides[i] < size+w.begin[i] { // a window starts inside the input
			count++
		}
		w.out = append(w.out, max(0, count))
	}
}

// each calls visit for every kernel position that, at the output position out, meets an element of
// the input instead of padding. visit gets the flat indices of both.
func (w *window) each(out []int, visit func(kernel, in int)) {
	w.walk(0, out, 0, 0, func(axis, k int) int {
		return out[axis]*w.strides[axis] - w.begin[axis] + k*w.dilations[axis]
	}, visit)
}

// eachBack is like each, for a transposed convolution.
func (w *window) eachBack(out []int, visit func(kernel, in int)) {
	w.walk(0, out, 0, 0, func(axis, k int) int {
		at := out[axis] + w.begin[axis] - k*w.dilations[axis]
		if at < 0 || at%w.strides[axis] != 0 {
			return -1
		}
		return at / w.strides[axis]
	}, visit)
}

func (w *window) walk(axis int, out []int, kernel, in int, position func(axis, k int) int,
	visit func(kernel, in int)) {
	if axis == len(w.in) {
		visit(kernel, in)
		return
	}
	for k := range w.kernel[axis] {
		if at := position(axis, k); at >= 0 && at < w.in[axis] {
			w.walk(axis+1, out, kernel*w.kernel[axis]+k, in*w.in[axis]+at, position, visit)
		}
	}
}

// tap is a kernel position and the input position that it meets.
type tap struct{ kernel, in int }

// taps lists the taps of an output position.
func (w *window) taps(position int, each func(out []int, visit func(kernel, in int))) []tap {
	at := make([]int, len(w.out))
	for axis := len(at) - 1; axis >= 0; axis-- {
		at[axis] = position % w.out[axis]
		position /= w.out[axis]
	}
	var list []tap
	each(at, func(kernel, in int) { list = append(list, tap{kernel, in}) })
	return list
}

// convolution computes Conv and ConvTranspose.
func convolution(n *Node, arithmetic Arithmetic, back bool) (*computation, error) {
	f := formatOf(arithmetic.Sums)
	x, w, err := n.pair(arithmetic)
	if err != nil {
		return nil, err
	}
	bias, err := n.operand(2, arithmetic)
	if err != nil {
		return nil, err
	}
	if len(x.shape) < 3 || len(x.shape) != len(w.shape) {
		return nil, fmt.Errorf("%s of shapes %v and %v", n.Op, x.shape, w.shape)
	}
	win, err := n.window(x.shape[2:], w.shape[2:])
	if err != nil {
		return nil, err
	}
	groups := n.integer("group", 1)
	channels := x.shape[1] / max(1, groups) // of the input, of a group
	outputs := w.shape[0]
	each := win.each
	if back {
		outputs, each = w.shape[1]*groups, win.eachBack
		err = win.backward(n)
	} else {
		win.forward(n)
	}
	if err != nil {
		return nil, err
	}
	perGroup := outputs / max(1, groups)
	if channels*groups != x.shape[1] || perGroup*groups != outputs ||
		bias != nil && bias.count() != outputs || !back && w.shape[1] != channels ||
		back && w.shape[0] != x.shape[1] {
		return nil, fmt.Errorf("%s of shapes %v and %v in %d groups", n.Op, x.shape, w.shape, groups)
	}
	space, inSpace, size := product(win.out), product(win.in), product(win.kernel)
	shape := append([]int{x.shape[0], outputs}, win.out...)
	tiles := func(int, int) float64 { return 0 }
	if arithmetic.Winograd && !back && win.inTiles() {
		tiles = neighbours(x, w, channels, perGroup)
	}
	products := func(g int) dot {
		at, output, image := g%space, g/space%outputs, g/space/outputs
		group, taps := output/perGroup, win.taps(at, each)
		d := dot{terms: channels * len(taps)}
		for c := range channels {
			from := (image*x.shape[1] + group*channels + c) * inSpace
			weight := (output*channels + c) * size
			if back {
				weight = ((group*channels+c)*perGroup + output%perGroup) * size
			}
			for _, t := range taps {
				d.add(x.value(from+t.in), w.value(weight+t.kernel))
			}
		}
		return d
	}
	return &computation{shape: shape, groups: product(shape), terms: channels * size,
		sum: plain(products, x, w), group: func(g int, put func(int, number)) {
			output, image, d := g/space%outputs, g/space/outputs, products(g)
			sum := f.result(d, x, w, 1)
			if bias != nil {
				sum = f.biased(sum, bias.at(output), d.terms+1)
			}
			sum.e += float64(winogradError * f.u * tiles(image, output))
			put(g, sum)
		}}, nil
}

// winogradError is the error of Winograd's algorithm for tiles of up to 6×6 results, in units of u.
// In practice that is about a hundred times the error of a plain sum. See B. Barabasz et al., Error
// Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural Networks, 2020.
const winogradError = 256

// inTiles reports whether Winograd's algorithm can compute the convolution.
func (w *window) inTiles() bool {
	steps := slices.Concat(w.strides, w.dilations)
	return slices.Max(steps) == 1 && !slices.Contains(w.kernel, 1)
}

// neighbours returns a function that bounds Σ |a·b| for one image and one output channel. The bound
// holds at every position.
func neighbours(x, w factor, channels, perGroup int) func(image, output int) float64 {
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

// backward completes w for a transposed convolution: it sets the padding and the output's size.
func (w *window) backward(n *Node) error {
	more, err := n.integers("output_padding")
	if err != nil {
		return err
	}
	if more == nil {
		more = make([]int, len(w.in))
	}
	wanted, err := n.integers("output_shape")
	if err != nil || len(more) != len(w.in) || wanted != nil && len(wanted) != len(w.in) {
		return fmt.Errorf("output_padding %v and output_shape %v: %w", more, wanted, err)
	}
	auto := n.text("auto_pad")
	same := auto == "SAME_UPPER" || auto == "SAME_LOWER"
	for i, size := range w.in {
		whole := w.strides[i]*(size-1) + more[i] + w.extent(i)
		if wanted == nil && !same {
			if auto == "VALID" {
				w.begin[i], w.end[i] = 0, 0
			}
			w.out = append(w.out, whole-w.begin[i]-w.end[i])
			continue
		}
		out := size * w.strides[i]
		if wanted != nil {
			out = wanted[i]
		}
		pad := max(0, whole-out)
		w.begin[i] = pad / 2
		if auto != "SAME_UPPER" {
			w.begin[i] = pad - pad/2
		}
		w.out = append(w.out, out)
	}
	return nil
}
