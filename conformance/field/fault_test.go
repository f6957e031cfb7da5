package field_test

import (
	"fmt"
	"math/rand/v2"
)

// planted is a model with one fault.
type planted struct {
	data  []byte
	what  string       // description
	nodes map[int]bool // nodes whose results change
	body  *graph       // the body that holds these nodes; nil for the model's graph
}

// planter plants one kind of fault.
type planter struct {
	*graph
	random *rand.Rand
	like   map[string]string // type and shape of every tensor
}

// site is a possible fault at one place.
type site struct {
	what  string
	plant func() (nodes []int)
}

// kinds lists the faults by name, with the sites of each.
var kinds = []struct {
	name  string
	sites func(p *planter) []site
}{
	{"weight", (*planter).weightSites},
	{"bias", (*planter).biasSites},
	{"attribute", (*planter).attributeSites},
	{"wire", (*planter).wireSites},
	{"epsilon", (*planter).epsilonSites},
	{"type", (*planter).typeSites},
}

// plant plants a fault of one kind at a place chosen by the seed. ok is false if the model has no
// such place.
func plant(model []byte, like map[string]string, sites func(*planter) []site, random *rand.Rand) (
	planted, bool, error) {
	g, err := newGraph(model)
	if err != nil {
		return planted{}, false, err
	}
	return plantIn(g, like, sites, random)
}

// plantIn plants a fault in a graph.
func plantIn(g *graph, like map[string]string, sites func(*planter) []site, random *rand.Rand) (
	f planted, ok bool, err error) {
	p := &planter{g, random, like}
	all := sites(p)
	if len(all) == 0 {
		return planted{}, false, nil
	}
	chosen := all[random.IntN(len(all))]
	f = planted{what: chosen.what, nodes: map[int]bool{}}
	for _, i := range chosen.plant() {
		f.nodes[i] = true
	}
	f.data, err = g.model()
	return f, err == nil, err
}

// said describes a node.
func (p *planter) said(i int) string {
	return fmt.Sprintf("%s %q (node %d)", p.nodes[i].op, p.nodes[i].name, i)
}
