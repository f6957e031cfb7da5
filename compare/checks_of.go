package compare

// ChecksOf returns the checks for an output: PerOutput's for its name or a matching pattern, else
// Options.Checks. Do not write to it.
func (c *Comparer) ChecksOf(output string) []Check { return c.checksFor(output) }
