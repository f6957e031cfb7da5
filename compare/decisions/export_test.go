package decisions

// Leaders is the order that rules look at.
var Leaders = leaders
