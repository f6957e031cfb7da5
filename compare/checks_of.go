package compare

// ChecksOf are the checks that an output is held to: those of the name or the pattern in PerOutput
// that is its own, else Options.Checks. It must not be written to.
func (c *Comparer) ChecksOf(output string) []Check { return c.checksFor(output) }
