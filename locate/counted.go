package locate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/internal/names"
)

// text returns the counts in one line.
func (c *Pairing) text() string {
	var kinds []string
	for _, kind := range []struct {
		n   int
		how string
	}{{c.Name, "by name"}, {c.Structure, "by structure"}, {c.Values, "by values"},
		{c.Interface, "as outputs"}} {
		if kind.n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", kind.n, kind.how))
		}
	}
	text := fmt.Sprintf("paired %d of %d tensors (the expected side has %d): %s", c.Paired, c.Actual,
		c.Expected, strings.Join(kinds, ", "))
	if n := len(c.Dropped); n > 0 {
		text += "; dropped " + figures.Plural(n, "unconfirmed pair")
	}
	return text
}

// inner is the number of paired tensors that are not inputs or outputs of the models.
func (c *Pairing) inner() int { return c.Paired - c.Interface }

// places names the fault's nodes.
func (f *Fault) places() string {
	var list []string
	for i := range f.Nodes {
		list = append(list, f.Nodes[i].text(""))
	}
	return abridged(list)
}

// pairedCause summarizes a search in which some tensors of the two models do not pair by name.
func (r *Finding) pairedCause(isolated bool) string {
	switch {
	case r.Pairing.inner() == 0:
		return r.outputsOnly()
	case r.Verdict == compare.Pass:
		return "the outputs agree"
	case r.Fault == nil && !isolated:
		return r.unconfirmed()
	case r.Fault == nil:
		return r.spread()
	}
	from := "the models' inputs"
	if len(r.Fault.From) > 0 {
		from = abridged(quotedAll(r.Fault.From))
	}
	to := abridged(quotedAll(r.Fault.To))
	end := ""
	if r.Fault.Healed {
		end = "; replacing " + to + " with the expected side's values makes the outputs agree"
	}
	if r.Fault.Why != "" {
		return fmt.Sprintf("the sides diverge in %s, between %s and %s, because %s (the expected side "+
			"has folded the nodes between these tensors into one)%s", r.Fault.places(), from, to,
			r.Fault.Why, end)
	}
	if len(r.Fault.Nodes) == 1 && r.Isolated != nil {
		right := ""
		if r.agree(r.Fault.From) {
			right = "its inputs agree, and "
		}
		return fmt.Sprintf("the sides diverge at %s, computed by %s: %swhen run alone on the expected "+
			"side's inputs, the node is out of tolerance%s", quoted(r.Isolated.Tensor),
			r.Isolated.made(), right, end)
	}
	return fmt.Sprintf("the sides diverge between %s and %s, in one of %d nodes: %s; which one is "+
		"unknown, because no tensor between them has a confirmed counterpart%s", from, to,
		len(r.Fault.Nodes), r.Fault.places(), end)
}

// agree reports whether the named tensors agree on both sides. Inputs of the models always agree,
// so they are not compared.
func (r *Finding) agree(names []string) bool {
	return !slices.ContainsFunc(r.Tensors, func(p Point) bool {
		return slices.Contains(names, p.Tensor) && p.Verdict != compare.Pass
	})
}

// outputsOnly summarizes a search in which no tensors except the outputs have counterparts.
func (r *Finding) outputsOnly() string {
	why := "no tensor inside one model has a counterpart in the other"
	if len(r.Pairing.Dropped) > 0 {
		why = "inner tensors of the two models could not be matched reliably"
	}
	verdict := "agree"
	if r.Verdict == compare.Fail {
		verdict = "differ"
	}
	return fmt.Sprintf("the outputs %s, and no inner tensors could be compared, because %s (%d "+
		"tensors in actual, %d in expected)", verdict, why, r.Pairing.Actual, r.Pairing.Expected)
}

func quotedAll(list []string) []string { return names.Each(list, quoted) }
