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
type placement []onnxruntime.Part

// placed builds a placement from the session's list of nodes per provider. The providers listed in
// named come first.
func placed(named []string, parts []onnxruntime.Part) placement {
	var p placement
	for _, provider := range named {
		p = append(p, onnxruntime.Part{Provider: provider})
	}
	for _, part := range parts {
		if i := p.index(part.Provider); i >= 0 {
			p[i].Nodes = append(p[i].Nodes, part.Nodes...)
		} else {
			p = append(p, part)
		}
	}
	return slices.DeleteFunc(p, func(part onnxruntime.Part) bool { return len(part.Nodes) == 0 })
}

// index returns the index of a provider in p, or -1 if it runs no nodes.
func (p placement) index(provider string) int {
	return slices.IndexFunc(p, func(part onnxruntime.Part) bool { return part.Provider == provider })
}

// String names the provider if only one runs nodes. Otherwise it counts the nodes of each provider
// and names the operators that the preferred provider left to the others: "CUDAExecutionProvider 9,
// CPUExecutionProvider 2 (Gather, Shape)".
func (p placement) String() string {
	if len(p) == 1 {
		return p[0].Provider
	}
	var texts []string
	for i, part := range p {
		text := fmt.Sprintf("%s %d", part.Provider, len(part.Nodes))
		if i > 0 {
			var operators []string
			for _, n := range part.Nodes {
				operators = append(operators, operator(n))
			}
			slices.Sort(operators)
			text += " (" + strings.Join(slices.Compact(operators), ", ") + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// judge returns an error if [Providers] does not allow the placement p. Nodes may run on the CPU
// only if the options name it. The preferred provider must run at least one node, because the
// provenance would otherwise name a provider that computed nothing. A model without nodes passes.
func (s *settings) judge(p placement) error {
	if i := p.index(onnxruntime.CPU); i >= 0 && !s.cpu() {
		stray := p[i].Nodes
		var names []string
		for _, n := range stray[:min(len(stray), manyNodes)] {
			names = append(names, strings.TrimSpace(operator(n)+" "+n.Name))
		}
		if more := len(stray) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		return refusals.New(engineName, backends.NoProvider, "%s would run on the CPU; to allow that, "+
			`add "cpu" as the last provider`, strings.Join(names, ", "))
	}
	if preferred := s.order()[0]; len(p) > 0 && p.index(preferred) < 0 {
		return refusals.New(engineName, backends.NoProvider,
			"%s runs none of the model's nodes, which run on %s; list a different provider first",
			preferred, p)
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
