package ort

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/refusals"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// placement lists the nodes that each provider runs. The providers in the options come first, in
// the order of [Providers].
type placement []share

// share holds the nodes that one provider runs.
type share struct {
	provider string
	nodes    []onnxruntime.Node
}

// placed builds a placement from the session's list of nodes per provider. The providers in named
// come first.
func placed(named []string, parts []onnxruntime.Part) placement {
	var p placement
	for _, provider := range named {
		p = append(p, share{provider: provider})
	}
	for _, part := range parts {
		i := slices.IndexFunc(p, func(s share) bool { return s.provider == part.Provider })
		if i < 0 {
			i, p = len(p), append(p, share{provider: part.Provider})
		}
		p[i].nodes = append(p[i].nodes, part.Nodes...)
	}
	return slices.DeleteFunc(p, func(s share) bool { return len(s.nodes) == 0 })
}

func (p placement) of(provider string) []onnxruntime.Node {
	for _, s := range p {
		if s.provider == provider {
			return s.nodes
		}
	}
	return nil
}

// String names the provider if only one runs nodes. Otherwise it counts the nodes of each provider
// and names the operators that the preferred provider left to the others: "CUDAExecutionProvider 9,
// CPUExecutionProvider 2 (Gather, Shape)".
func (p placement) String() string {
	if len(p) == 1 {
		return p[0].provider
	}
	var shares []string
	for i, s := range p {
		text := fmt.Sprintf("%s %d", s.provider, len(s.nodes))
		if i > 0 {
			var operators []string
			for _, n := range s.nodes {
				operators = append(operators, operator(n))
			}
			slices.Sort(operators)
			text += " (" + strings.Join(slices.Compact(operators), ", ") + ")"
		}
		shares = append(shares, text)
	}
	return strings.Join(shares, ", ")
}

// judge returns an error if [Providers] does not allow the placement p: if nodes run on the CPU
// although the options do not name it, or if the preferred provider runs no nodes. The provenance
// would then name a provider that computed nothing. A model without nodes passes.
func (s *settings) judge(p placement) error {
	if stray := p.of(onnxruntime.CPU); !s.cpu() && len(stray) > 0 {
		var names []string
		for _, n := range stray[:min(len(stray), manyNodes)] {
			names = append(names, strings.TrimSpace(operator(n)+" "+n.Name))
		}
		if more := len(stray) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		return refusals.New(engineName, backends.NoProvider, `%s would run on the CPU; name "cpu" as `+
			"the last provider to allow that", strings.Join(names, ", "))
	}
	if preferred := s.order()[0]; len(p) > 0 && len(p.of(preferred)) == 0 {
		return refusals.New(engineName, backends.NoProvider,
			"%s runs none of the model's nodes, which run on %s; list a different provider "+
				"first", preferred, p)
	}
	return nil
}

// manyNodes is the largest number of nodes that a message names.
const manyNodes = 5

// operator returns the node's type, prefixed with its domain unless the domain is ONNX's own.
func operator(n onnxruntime.Node) string {
	if n.Domain == "" || n.Domain == "ai.onnx" {
		return n.Operator
	}
	return n.Domain + ":" + n.Operator
}
