package locate

import "github.com/modelparity/modelparity/loaders"

// complement copies from the expected node what the actual node lacks, because rewriting a model
// often removes the exporter's annotations.
func (p *Point) complement(expected *loaders.Node) {
	if expected.Op != p.Op {
		p.ExpectedOp = expected.Op
	}
	if p.Module == "" && p.Source == "" {
		p.Module, p.Source = expected.Module, expected.Source
	}
}

// origin returns the node's origin, as in "layer3.0.conv1, timm/models/resnet.py:94", or "" if it
// is unknown.
func (p *Point) origin() string {
	module := loaders.Node{Module: p.Module}.Origin()
	source := loaders.Node{Source: p.Source}.Origin()
	if module != "" && source != "" {
		return module + ", " + source
	}
	return module + source
}
