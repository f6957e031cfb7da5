package compare

// ThreeWay is AWS's gate, and ThreeWayOf computes it.
type ThreeWay = threeWay

var ThreeWayOf = threeWayOf

// UnseenOf selects the operators that noise may not show.
var UnseenOf = unseenOf

func (t threeWay) Rejected() []string { return t.rejected() }
