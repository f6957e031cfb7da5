package locate

import "github.com/modelparity/modelparity/loaders"

// beside takes from the expected side's node what the actual one does not say: a model that was
// rewritten has often lost what its exporter left.
func (p *Point) beside(expected *loaders.Node) {
	if expected.Op != p.Op {
		p.ExpectedOp = expected.Op
	}
	if p.Module == "" && p.Source == "" {
		p.Module, p.Source = expected.Module, expected.Source
	}
}

// origin is where the node comes from, "layer3.0.conv1, timm/models/resnet.py:94", or "".
func (p *Point) origin() string {
	module := loaders.Node{Module: p.Module}.Origin()
	source := loaders.Node{Source: p.Source}.Origin()
	if module != "" && source != "" {
		return module + ", " + source
	}
	return module + source
}
