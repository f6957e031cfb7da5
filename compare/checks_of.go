package compare

// ChecksOf returns the checks for an output: those that Options.PerOutput has for its name or for a
// pattern that matches it, or else Options.Checks. Do not modify the returned slice.
func (c *Comparer) ChecksOf(output string) []Check { return c.checksFor(output) }
