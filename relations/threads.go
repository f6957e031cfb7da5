package relations

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/backends"
)

// Threads requires the same results with 1, 2 and 4 threads. An engine without an option for
// threads cannot be judged.
func Threads() Relation {
	return Relation{name: "threads", text: "the number of threads changes nothing",
		check: (*checker).threads}
}

func (c *checker) threads() error {
	threads := backends.CapabilitiesOf(c.subject.Engine).Threads
	if threads == nil {
		return fmt.Errorf("%v has no option for the number of threads; leave out the relation "+
			"\"threads\"", c.subject.Engine)
	}
	one, err := threads(1)
	if err != nil {
		return err
	}
	c.note("1, 2 and 4 threads")
	var list []variant
	for _, n := range []int{2, 4} {
		several, err := threads(n)
		if err != nil {
			return err
		}
		if several.Text() == one.Text() {
			return errors.New("the engine's description is the same with one thread as with several, so " +
				"the option may have no effect; leave out the relation \"threads\"")
		}
		list = append(list, variant{how: fmt.Sprintf("with %d threads", n), engine: several})
	}
	return c.variants(one, "1", list, nil)
}
