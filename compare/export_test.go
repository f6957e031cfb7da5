package compare

// UnseenOf selects the operators that noise may not show.
var UnseenOf = unseenOf
