package onnxfile

import (
	"cmp"
	"fmt"

	"github.com/modelparity/modelparity/internal/onnxwire"
)

// Needs finds the nodes, initializers and inputs of a graph that the requested outputs depend on.
type Needs struct {
	Graph    *onnxwire.Graph
	Reader   *onnxwire.Reader
	Producer map[string]int  // index of the node that computes each tensor
	Given    map[string]bool // tensors that the caller provides, which need not be computed

	// Nodes, Weights and Declares contain the indices of the nodes, initializers and graph inputs that
	// are needed. Used contains the names in Given that are needed.
	Nodes, Weights, Declares map[int]bool
	Used                     map[string]bool

	weight   map[string]int // index of each initializer, by name
	declared map[string]int // index of each graph input, by name
}

// Needs returns a Needs for the model's graph. It indexes the nodes by the tensors that they
// compute.
func (m *File) Needs(r *onnxwire.Reader) *Needs {
	c := &Needs{Graph: &m.Structure.Graph, Reader: r,
		Producer: map[string]int{}, Given: map[string]bool{},
		Nodes: map[int]bool{}, Weights: map[int]bool{}, Declares: map[int]bool{},
		Used: map[string]bool{}, weight: map[string]int{}, declared: map[string]int{}}
	r.Take(PerName * (len(c.Graph.Initializers) + len(c.Graph.Inputs)))
	for i, n := range r.Nodes(c.Graph.Nodes) {
		for _, name := range n.Outputs {
			if name != "" {
				c.Producer[name] = i
			}
		}
		r.Take(PerName * (1 + len(n.Outputs))) // includes recording that it is needed
	}
	for i := range c.Graph.Initializers {
		c.weight[c.Graph.Initializers[i].Name] = i
	}
	for i := range c.Graph.Inputs {
		c.declared[c.Graph.Inputs[i].Name] = i
	}
	return c
}

// Has reports whether the graph has a tensor with the given name.
func (c *Needs) Has(name string) bool {
	_, made := c.Producer[name]
	_, weight := c.weight[name]
	_, declared := c.declared[name]
	return made || weight || declared
}

// Reach finds everything that the outputs depend on, by walking the graph backwards.
func (c *Needs) Reach(outputs []string) error {
	var pending []string
	need := func(node int) {
		if !c.Nodes[node] {
			c.Nodes[node] = true
			pending = append(pending, Reads(c.Reader.Node(c.Graph.Nodes[node]), c.Reader)...)
		}
	}
	for _, name := range outputs {
		node, made := c.Producer[name]
		_, isDeclared := c.declared[name]
		switch {
		case made:
			need(node)
		case !c.Has(name):
			return cmp.Or(c.Reader.Err(), fmt.Errorf("the graph has no tensor %q to compute (tensors "+
				"inside the body of an If, Loop or Scan are not part of it)", name))
		case c.Given[name] && !isDeclared:
			return fmt.Errorf("%q is a weight, so no node computes it", name)
		default:
			pending = append(pending, name)
		}
	}
	for len(pending) > 0 && c.Reader.Err() == nil {
		name := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		node, made := c.Producer[name]
		weight, isWeight := c.weight[name]
		declared, isDeclared := c.declared[name]
		switch {
		case name == "":
		case c.Given[name]:
			c.Used[name] = true
		case made:
			need(node)
		case !isWeight && !isDeclared:
			return fmt.Errorf("tensor %q is used, but no node computes it", name)
		default:
			if isWeight {
				c.Weights[weight] = true
			}
			if isDeclared { // before IR version 4 every initializer is an input as well
				c.Declares[declared] = true
			}
		}
	}
	if c.Reader.Err() == nil && len(c.Nodes)+len(c.Weights)+len(c.Declares)+len(c.Used) == 0 {
		return fmt.Errorf("no outputs were requested")
	}
	return c.Reader.Err()
}
