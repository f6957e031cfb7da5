package pairing

// mostAligned limits the number of cells in the table that align fills. The table has a cell for
// every pair of steps (see [step]), so for large graphs it would be huge.
const mostAligned = 4 << 20

// align pairs the steps (see [step]) that no other method has paired, by their order in the two
// graphs. It aligns the two lists of steps so that the sum of the scores of all pairs is as large
// as possible (Needleman and Wunsch, without gap penalties). Unlike the other methods, it can pair
// steps whose neighbours have no counterpart, as after a fused activation.
func (m *matching) align() {
	left := func(steps []*step) (rest []*step) {
		for _, s := range steps {
			if m.done[s] == nil {
				rest = append(rest, s)
			}
		}
		return rest
	}
	a, e := left(m.aSteps), left(m.eSteps)
	width := len(e) + 1
	if len(a) == 0 || len(e) == 0 || len(a)*len(e) > mostAligned {
		return
	}
	best := make([]float64, (len(a)+1)*width)
	fit := func(i, j int) float64 {
		if !m.fits(a[i], e[j]) {
			return -1
		}
		return 1 + m.score(a[i], e[j])
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(e) - 1; j >= 0; j-- {
			at := i*width + j
			best[at] = max(best[at+width], best[at+1])
			if a[i].class == e[j].class {
				if f := fit(i, j); f > 0 {
					best[at] = max(best[at], best[at+width+1]+f)
				}
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(e); {
		at := i*width + j
		switch best[at] {
		case best[at+width]:
			i++
		case best[at+1]:
			j++
		default:
			m.match(a[i], e[j])
			i++
			j++
		}
	}
}
