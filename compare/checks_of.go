package compare

// ChecksOf returns the checks for an output: the entry of Options.PerOutput for its name, else the
// entry whose pattern matches the name, else Options.Checks. Do not modify the returned slice.
func (c *Comparer) ChecksOf(output string) []Check { return c.checksFor(output) }
