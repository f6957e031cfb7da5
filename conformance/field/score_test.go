package field_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// score is what the localiser made of a fault.
type score string

const (
	exact     score = "exact"     // it names what was changed, and nothing else
	stretch   score = "stretch"   // it names what was changed, among others
	nowhere   score = "nowhere"   // it says that it cannot tell
	wrong     score = "wrong"     // it names something else, or sees nothing
	hidden    score = "hidden"    // the fault moves no output by ten times the healthy difference
	refused   score = "refused"   // the engine does not run the model with the fault
	noSite    score = "no place"  // the model has no place for the fault
	quiet     score = "quiet"     // a healthy pair, nothing named
	falseCall score = "false"     // a healthy pair, something named
	broken    score = "no answer" // the search itself failed
)

// outcome is the score of one fault in one pair, with what was said.
type outcome struct {
	pair
	kind  string // "" of a healthy pair
	seed  uint64
	score score
	what  string // the fault
	said  string
	named int // nodes
	data  []byte
}

// healthy looks at a pair without fault.
func (b *bench) look(ctx context.Context) outcome {
	o := outcome{pair: b.pair, score: quiet, data: b.a}
	found, err := b.locate(ctx, b.a)
	if err != nil {
		o.score, o.said = broken, err.Error()
		return o
	}
	o.said = found.Cause
	nodes, err := b.named(found, b.a)
	if err != nil {
		o.score, o.said = broken, err.Error()
	}
	if found.Verdict != compare.Pass || len(nodes) > 0 {
		o.score = falseCall
	}
	return o
}

// judge plants a fault and locates it.
func (b *bench) judge(ctx context.Context, kind string, sites func(*planter) []site,
	seed uint64) (outcome, error) {
	o := outcome{pair: b.pair, kind: kind, seed: seed}
	f, ok, err := plant(b.a, b.like, sites, draws(b.pair, kind, seed))
	if err != nil {
		return o, fmt.Errorf("planting %s in %v: %w", kind, b.pair, err)
	}
	if !ok {
		o.score = noSite
		return o, nil
	}
	o.what, o.data = f.what, f.data
	distance, err := b.distance(ctx, f.data)
	switch {
	case ctx.Err() != nil:
		return o, context.Cause(ctx)
	case err != nil:
		o.score, o.said = refused, err.Error()
		return o, nil
	case distance <= b.shows():
		o.score = hidden
		return o, nil
	}
	found, err := b.locate(ctx, f.data)
	if ctx.Err() != nil {
		return o, context.Cause(ctx)
	}
	if err != nil {
		o.score, o.said = broken, err.Error()
		return o, nil
	}
	o.said = found.Cause
	nodes, err := b.named(found, f.data)
	if err != nil {
		return o, err
	}
	o.named = len(nodes)
	o.score = scoreOf(found, nodes, f.nodes)
	return o, nil
}

func scoreOf(found *locate.Finding, named []int, changed map[int]bool) score {
	among := 0
	for _, i := range named {
		if changed[i] {
			among++
		}
	}
	switch {
	case found.Verdict == compare.Pass:
		return wrong
	case len(named) == 0:
		return nowhere
	case among == len(named):
		return exact
	case among > 0:
		return stretch
	}
	return wrong
}

func (b *bench) locate(ctx context.Context, data []byte) (*locate.Finding, error) {
	return locate.Divergence(ctx, b.subject(b.A, data), b.subject(b.B, b.b),
		locate.Options{Isolate: true, Compare: b.rule()})
}

// place is how a stretch names a node that has no name.
var place = regexp.MustCompile(`\(node (\d+)\)$`)

// named are the nodes of the actual model that a finding accuses, by their indices.
func (b *bench) named(f *locate.Finding, data []byte) ([]int, error) {
	if f.Fault != nil {
		var list []int
		for _, n := range f.Fault.Nodes {
			list = append(list, n.Index)
		}
		return list, nil
	}
	if f.Pairing != nil {
		return nil, nil // it says that no place explains it
	}
	point := f.Isolated
	if point == nil && f.First != nil && strings.Contains(f.Cause, "a jump") {
		point = f.First
	}
	if point == nil {
		return nil, nil
	}
	if point.Own == nil || len(point.Own.Stretch) == 0 {
		return []int{point.Index}, nil
	}
	nodes, err := loaders.ONNXBytes(b.A, data).Nodes()
	if err != nil {
		return nil, err
	}
	var list []int
	for _, name := range point.Own.Stretch {
		i := slices.IndexFunc(nodes, func(n loaders.Node) bool { return n.Name == name })
		if m := place.FindStringSubmatch(name); i < 0 && m != nil {
			i, _ = strconv.Atoi(m[1])
		}
		if i < 0 {
			return nil, fmt.Errorf("the stretch names %q, which no node has", name)
		}
		list = append(list, i)
	}
	return list, nil
}
