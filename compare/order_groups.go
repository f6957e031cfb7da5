package compare

// mostGroups is the number of groups beyond which a table finds a key's interval sooner.
const mostGroups = 8

// group is the part of a cut of 32-bit keys that one call of [tally] handles: some of the points,
// and one of the kept intervals.
type group struct {
	points      [5]uint32 // ascending; unused ones hold the largest key
	first, last uint32    // the keys of the kept interval; first > last if there is none
}

// group divides the points of c into groups. It makes none if there would be too many, or if the
// keys have 64 bits.
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
		if c.keep[i] {
			if kept == len(groups) {
				return
			}
			groups[kept].first, groups[kept].last = uint32(lo), uint32(c.limits[i]-1)
			kept++
		}
	}
	if len(groups) <= mostGroups {
		c.groups = groups
	}
}

// takeGroups does the work of take for the first keys of a strip. It returns how many of them it has
// counted, and how many it has copied to own.kept.
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
