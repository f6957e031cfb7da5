package compare

// Window contains the values of both tensors around one element. It shows the element's neighbours
// along the last two axes; along the other axes, it stays at the element's own indices.
type Window struct {
	At []int `json:"at"` // the index of the element
	// Row and Column are the indices of the first row and the first column shown, along the last
	// two axes. Row is 0 for a tensor with fewer than two axes.
	Row    int `json:"row"`
	Column int `json:"column"`
	// Actual and Expected are the values, row by row, as the tensors print them.
	Actual   [][]string `json:"actual"`
	Expected [][]string `json:"expected"`
}

// windowRows and windowColumns say how far a window extends on each side of its element.
const windowRows, windowColumns = 1, 2

// window returns the Window around the element with the given flat index.
func (p *pair) window(flat int) Window {
	shape := p.actual.Shape()
	w := Window{At: shape.Index(flat)}
	columns, rows := 1, 1
	if len(shape) > 0 {
		columns = shape[len(shape)-1]
	}
	if len(shape) > 1 {
		rows = shape[len(shape)-2]
	}
	column, row := flat%columns, flat/columns%rows
	w.Column, w.Row = max(0, column-windowColumns), max(0, row-windowRows)
	for r := w.Row; r < min(row+windowRows+1, rows); r++ {
		var actual, expected []string
		for c := w.Column; c < min(column+windowColumns+1, columns); c++ {
			at := flat + (r-row)*columns + c - column
			actual = append(actual, p.actual.Text(at))
			expected = append(expected, p.expected.Text(at))
		}
		w.Actual, w.Expected = append(w.Actual, actual), append(w.Expected, expected)
	}
	return w
}
