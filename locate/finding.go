package locate

import (
	"encoding/json"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/schema"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// Finding says where two runs diverge. In JSON, non-finite numbers are the strings "NaN",
// "Infinity" and "-Infinity".
type Finding struct {
	// Actual and Expected name the two sides.
	Actual   string `json:"actual"`
	Expected string `json:"expected"`

	// First is the first tensor out of tolerance in the actual model's graph order, if each
	// side computes from its own earlier tensors; nil if there is none.
	First *Point `json:"first"`
	// Isolated is the first node whose own error is out of tolerance when it runs alone on the
	// expected side's values; nil if there is none or isolation is off.
	Isolated *Point `json:"isolated"`
	// Fault is where the sides diverge, as narrowly as the evidence allows; nil if there is
	// none.
	Fault *Fault `json:"fault,omitempty"`
	// Cause summarizes First, Isolated and Fault in one sentence.
	Cause string `json:"cause"`

	// Pairing counts the pairs of tensors; nil if all tensors pair by name.
	Pairing *Pairing `json:"pairing,omitempty"`
	// Tensors are all tensors that both sides have, in the actual model's graph order.
	Tensors []Point `json:"tensors"`
	// OnlyActual and OnlyExpected name the tensors without a counterpart, in graph order.
	OnlyActual   []string `json:"only_actual,omitempty"`
	OnlyExpected []string `json:"only_expected,omitempty"`

	// Adds ranks tensors by their nodes' own errors, largest first, if no single place explains
	// the difference. Quantized weights are listed separately from the nodes that use them.
	Adds []string `json:"adds,omitempty"`

	// Verdict judges the outputs of the unmarked models. Only it says whether the outputs
	// agree.
	Verdict compare.Verdict `json:"verdict"`
	// MarkedVerdict judges the same outputs when every tensor is marked. If the two differ,
	// marking changed the computation: an engine fuses fewer nodes if it must return inner
	// tensors.
	MarkedVerdict compare.Verdict `json:"marked_verdict"`
	// Timings are the run times of the unmarked models, actual side first, if known.
	Timings []compare.Timing `json:"timings,omitempty"`
	// Incomplete says what a stopped search was doing, how far it got and why it stopped; ""
	// for a complete search. The other fields describe the part that was searched.
	Incomplete string `json:"incomplete,omitempty"`
	// Notes hold further information, such as which tensors could not be read and why.
	Notes []string `json:"notes,omitempty"`
}

// Point is one tensor and the node that computes it.
type Point struct {
	Tensor string `json:"tensor"`
	// Expected is the tensor's name on the expected side, if different.
	Expected string `json:"expected,omitempty"`
	// Pairing says how the two tensors were matched.
	Pairing pairing.By `json:"pairing"`
	Node    string     `json:"node"`
	Op      string     `json:"op"`
	// ExpectedOp is the operator on the expected side, if different.
	ExpectedOp string `json:"expected_op,omitempty"`
	// Module and Source are the node's origin, as in [loaders.Node] of the actual model, or of
	// the expected model if only that one knows it.
	Module string             `json:"module,omitempty"`
	Source string             `json:"source,omitempty"`
	Index  int                `json:"index"` // of the node, counted from 0 in graph order
	Type   tensor.ElementType `json:"type"`
	Shape  tensor.Shape       `json:"shape"`

	// Verdict is empty for a tensor that could not be read; Notes says why.
	Verdict compare.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	// Iteration is the tensor's worst iteration, from which all numbers are taken.
	Iteration int    `json:"iteration"`
	Abs       Number `json:"abs"` // largest absolute error
	Rel       Number `json:"rel"` // largest relative error
	// Error is the norm-wise relative error ‖actual − expected‖₂ / ‖expected‖₂, which is
	// comparable between all tensors of a model.
	Error Number `json:"error"`
	// Growth is Error divided by the largest Error among the node's inputs. It is +Inf if only
	// the tensor differs, and NaN if neither the tensor nor an input differs, or if no input
	// was compared.
	Growth Number `json:"growth"`

	// SQNR is the signal-to-quantization-noise ratio in dB, −20·log₁₀ Error, if one of the
	// models has quantized or 16-bit tensors; nil otherwise, and if there is no error.
	SQNR *Number `json:"sqnr,omitempty"`
	// OverScale is the root mean square of the node's own error divided by the scale, for a
	// tensor quantized with one scale. Rounding alone results in 0.29 = 1/√12 (see TensorFlow
	// Lite's quantization debugger); clipping in more. If the node did not run alone, the
	// tensor's error is used.
	OverScale *Number `json:"rmse_over_scale,omitempty"`

	// Own is the node's own error on the expected side's inputs; nil if not measured.
	Own *Own `json:"own,omitempty"`
}

// Fault is a node, or a stretch of nodes, whose inputs agree and whose results differ.
type Fault struct {
	// Nodes are nodes of the actual model, in graph order. A single node is the one at fault.
	// Several nodes are a stretch that contains the fault, since no tensor between them has a
	// counterpart.
	Nodes []NodeName `json:"nodes"`
	// From are the nearest shared tensors before the nodes, and To those after them.
	From []string `json:"from"`
	To   []string `json:"to"`
	// Healed is true if the outputs agree when the actual side continues with the expected
	// side's values of To.
	Healed bool `json:"healed"`
	// Why says how a node within a longer stretch was identified by its constants: "its weights
	// differ". The expected side has folded the stretch's nodes into one.
	Why string `json:"why,omitempty"`
}

// NodeName identifies a node of a model.
type NodeName struct {
	Index int    `json:"index"` // counted from 0 in graph order
	Name  string `json:"name"`
	Op    string `json:"op"`
	// Module and Source are the node's origin, as in [loaders.Node].
	Module string `json:"module,omitempty"`
	Source string `json:"source,omitempty"`
}

// Pairing counts the tensors that depend on the models' inputs, and their pairs.
type Pairing struct {
	Actual    int `json:"actual"`
	Expected  int `json:"expected"`
	Paired    int `json:"paired"` // of the actual side's, by all methods
	Name      int `json:"by_name"`
	Structure int `json:"by_structure"`
	Values    int `json:"by_values"`
	Interface int `json:"outputs"`
	// Dropped are the actual side's tensors whose pairs were dropped because nothing confirmed
	// them.
	Dropped []string `json:"dropped,omitempty"`
}

// Own is the error that a node, or a stretch of nodes between two shared tensors, adds by
// itself.
type Own struct {
	Verdict compare.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	Abs     Number          `json:"abs"`
	Rel     Number          `json:"rel"`
	Error   Number          `json:"error"`
	// Stretch lists the nodes that ran together, if more than one.
	Stretch []string `json:"stretch,omitempty"`
}

// MarshalJSON adds the version of docs/report.schema.json.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	return json.Marshal(struct {
		schema.Schema
		plain
	}{schema.Of("divergence"), plain(f)})
}
