package loaders

// Declared is what the model says about the tensors of its graph, by name: inputs, outputs, and
// the value_info of those between. Tensors that it says nothing about are absent, and most
// exporters write no value_info at all.
func (m *Model) Declared() (map[string]Value, error) {
	if err := m.Load(); err != nil {
		return nil, err
	}
	graph := &m.structure.Graph
	declared := make(map[string]Value, len(graph.Values)+len(graph.Inputs)+len(graph.Outputs))
	for _, v := range valuesOf(graph.Values) {
		declared[v.Name] = v
	}
	for _, v := range valuesOf(graph.Outputs) {
		if v.Kind != Untyped {
			declared[v.Name] = v
		}
	}
	for _, v := range valuesOf(graph.Inputs) {
		declared[v.Name] = v
	}
	return declared, nil
}
