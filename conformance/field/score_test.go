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
	"github.com/modelparity/modelparity/noise"
)

// score rates the localiser's result for a fault.
type score string

const (
	exact     score = "exact"     // exactly the changed nodes were named
	stretch   score = "stretch"   // the changed node was among several named
	nowhere   score = "nowhere"   // the localiser reported that it cannot tell
	wrong     score = "wrong"     // other nodes, or none, were named
	hidden    score = "hidden"    // outputs change by less than ten times the healthy difference
	refused   score = "refused"   // the engine rejects the faulty model
	noSite    score = "no place"  // the model has no place for the fault
	quiet     score = "quiet"     // healthy pair, nothing named
	falseCall score = "false"     // healthy pair, something named
	broken    score = "no answer" // the search itself failed
)

// outcome is the score of one fault in one pair, with the localiser's text.
type outcome struct {
	pair
	kind  string // "" for a healthy pair
	seed  uint64
	score score
	what  string // the fault
	said  string
	named int // nodes
	data  []byte
}

// look locates differences in a healthy pair.
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
	// Models that compute in different types differ by more than rounding.
	if found.Verdict != compare.Pass && !(b.byNoise && b.Types) || len(nodes) > 0 {
		o.score = falseCall
	}
	return o
}

// judge plants a fault and locates it.
func (b *bench) judge(ctx context.Context, kind string, sites func(*planter) []site,
	seed uint64) (outcome, error) {
	o := outcome{pair: b.pair, kind: kind, seed: seed}
	random := draws(b.pair, kind, seed)
	f, ok, err := plant(b.a, b.like, sites, random)
	if b.Makers == trained {
		f, ok, err = plantInside(b.a, b.like, sites, random)
	}
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
	if f.body != nil {
		o.score, err = b.scoreInside(found, f, f.body)
		return o, err
	}
	o.score = scoreOf(found, nodes, f.nodes)
	return o, nil
}

// scoreInside scores a fault in a body: exact if the finding names the nodes around the body one by
// one, and the changed node inside.
func (b *bench) scoreInside(found *locate.Finding, f planted, body *graph) (score, error) {
	var path []*graph
	for ; body.outer != nil; body = body.outer {
		path = append([]*graph{body}, path...)
	}
	for _, step := range path {
		nodes, err := b.named(found, f.data)
		if s := scoreOf(found, nodes, map[int]bool{step.at: true}); s != exact || err != nil {
			return s, err
		}
		if found.Inside == nil {
			return stretch, nil // the node around the body
		}
		if !strings.HasPrefix(found.Inside.Body, step.attribute) {
			return wrong, nil
		}
		found = found.Inside
	}
	nodes, err := b.named(found, f.data)
	return scoreOf(found, nodes, f.nodes), err
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
	options := locate.Options{Isolate: true, Compare: b.rule()}
	if b.byNoise {
		options = locate.Options{Isolate: true, Measure: noise.Inside(compare.Bars{}, nil)}
	}
	expected := b.subject(b.B, b.b)
	expected.Engine = b.right
	found, err := locate.Divergence(ctx, b.subject(b.A, data), expected, options)
	if err == nil && found.Rounding != nil {
		for _, d := range []locate.Distance{found.Rounding.Actual, found.Rounding.Expected} {
			if d.Alone != nil && *d.Alone > 1 || d.Usual >= 32 { // the models differ, not the engine
				return nil, fmt.Errorf("a right engine is blamed: %s", found.Rounding.Text)
			}
		}
	}
	return found, err
}

// place matches the localiser's name for nodes without a name.
var place = regexp.MustCompile(`\(node (\d+)\)$`)

// unexplained matches the cause of an error that the inputs of the node do not explain.
var unexplained = regexp.MustCompile(
	"its inputs (agree|do not explain the error)|only one side is infinite")

// named returns the indices of the actual model's nodes that a finding accuses.
func (b *bench) named(f *locate.Finding, data []byte) ([]int, error) {
	if f.Fault != nil {
		var list []int
		for _, n := range f.Fault.Nodes {
			list = append(list, n.Index)
		}
		return list, nil
	}
	if f.Pairing != nil {
		return nil, nil // no place explains the difference
	}
	point := f.Isolated
	if point == nil && f.First != nil && unexplained.MatchString(f.Cause) {
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
			return nil, fmt.Errorf("the stretch names %q, but no node has that name", name)
		}
		list = append(list, i)
	}
	return list, nil
}
