package trt

import "github.com/modelparity/modelparity/tensor"

// layout is the memory layout of a tensor's elements: the distance between neighbours along each
// dimension, and the dimension whose elements are packed into vectors, if any.
type layout struct {
	strides []int // in vectors
	vector  int   // the packed dimension, or -1
	width   int   // elements in one vector; 1 if not packed
}

// elements returns the number of elements in the memory of a tensor, including padding.
func (l layout) elements(shape tensor.Shape) int {
	last := 0
	for d, n := range shape {
		if n == 0 {
			return 0
		}
		if d == l.vector {
			n = (n + l.width - 1) / l.width
		}
		last += (n - 1) * l.strides[d]
	}
	return (last + 1) * l.width
}

// offset returns the position in memory of the element with the given index.
func (l layout) offset(index []int) int {
	at, lane := 0, 0
	for d, i := range index {
		if d == l.vector {
			at += i / l.width * l.strides[d]
			lane = i % l.width
		} else {
			at += i * l.strides[d]
		}
	}
	return at*l.width + lane
}

// scatter copies row-major elements to their positions in the layout. size is the number of bytes
// per element.
func (l layout) scatter(to, from []byte, shape tensor.Shape, size int) {
	for i := range len(from) / size {
		at := l.offset(shape.Index(i)) * size
		copy(to[at:at+size], from[i*size:])
	}
}

// gather does the opposite of scatter.
func (l layout) gather(to, from []byte, shape tensor.Shape, size int) {
	for i := range len(to) / size {
		at := l.offset(shape.Index(i)) * size
		copy(to[i*size:(i+1)*size], from[at:])
	}
}
