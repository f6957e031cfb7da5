package compare

// mostGroups is the largest number of groups (see [group]) for which the assembly routine [tally]
// is faster than looking up the interval of each key in cut.slots. There is one call of tally for
// each group.
const mostGroups = 8

// group says what one call of [tally] does for a [cut] of 32-bit keys. For each of up to five
// interval boundaries, the call counts the keys below the boundary. It also copies the keys in some
// adjacent intervals.
type group struct {
	points      [5]uint32 // ascending; unused ones hold the largest key
	first, last uint32    // the range of keys to copy; first > last if it is empty
}

// group splits the boundary points of c into groups. It makes none if there would be too many, or
// if the keys have 64 bits.
func (c *cut[K]) group() {
	c.groups = c.groups[:0]
	points, isNarrow := any(c.points[1:]).([]uint32)
	if !isNarrow {
		return
	}
	const largest = 1<<31 - 1
	groups := make([]group, (len(points)+4)/5)
	for i := range groups {
		g := &groups[i]
		*g = group{[5]uint32{largest, largest, largest, largest, largest}, largest, 0}
		points = points[copy(g.points[:], points):]
	}
	kept := 0
	for i, lo := range c.points {
		switch first, last := uint32(lo), uint32(c.limits[i]-1); {
		case !c.keep[i]:
		case kept > 0 && groups[kept-1].last == first-1:
			groups[kept-1].last = last
		case kept == len(groups):
			return
		default:
			groups[kept].first, groups[kept].last = first, last
			kept++
		}
	}
	if len(groups) <= mostGroups {
		c.groups = groups
	}
}

// takeGroups does the work of [cut.take] for as many keys as [tally] can handle, from the start of
// the slice. It returns the number of these keys, and how many of them it has copied to own.kept.
func (c *cut[K]) takeGroups(keys []K, own *share[K]) (done, copied int) {
	narrow, _ := any(keys).([]uint32)
	kept, _ := any(own.kept[:]).([]uint32)
	var below [5 * mostGroups]uint32
	for i := range c.groups {
		n := 0
		done, n = tally(narrow, kept[copied:], &c.groups[i], (*[5]uint32)(below[5*i:]))
		if done == 0 {
			return 0, 0
		}
		copied += n
	}
	before := 0
	for i := range len(c.points) - 1 {
		own.counts[i] += int(below[i]) - before
		before = int(below[i])
	}
	own.counts[len(c.points)-1] += done - before
	return done, copied
}
