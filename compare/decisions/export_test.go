package decisions

// Leaders is the order that rules look at.
var Leaders = leaders

// MatchBoxes pairs the boxes of one image.
var MatchBoxes = matchBoxes
