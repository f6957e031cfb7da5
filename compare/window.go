package compare

// Window is a cut of both tensors around one element, along the last two axes. All indices outside
// those axes are the element's own.
type Window struct {
	At []int `json:"at"` // the element's index
	// Row and Column are the index of the first row and column shown along the last two axes; Row
	// is 0 for a tensor with fewer axes.
	Row    int `json:"row"`
	Column int `json:"column"`
	// Actual and Expected are the values as the tensors print them, row by row.
	Actual   [][]string `json:"actual"`
	Expected [][]string `json:"expected"`
}

// windowRows and windowColumns are how far a window reaches on each side of its element.
const windowRows, windowColumns = 1, 2

// window cuts both tensors around the element at a flat index.
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
