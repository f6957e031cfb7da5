package locate

import (
	"encoding/json"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/schema"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// Finding says where two runs diverge. In JSON, non-finite numbers are the strings "NaN",
// "Infinity" and "-Infinity".
type Finding struct {
	// Actual and Expected name the two sides.
	Actual   string `json:"actual"`
	Expected string `json:"expected"`

	// First is the first tensor out of tolerance, in the actual model's graph order, when each side
	// computes from its own earlier tensors. It is nil if there is none.
	First *Point `json:"first"`
	// Isolated is the first node whose own error is out of tolerance when the node runs alone on
	// the expected side's values. If there is none, it is the node whose own error is within an
	// absolute tolerance but explains the outputs. It is nil if neither exists or isolation is off.
	Isolated *Point `json:"isolated"`
	// Fault is the place where the sides diverge, as narrow as the evidence allows. It is nil if
	// there is none.
	Fault *Fault `json:"fault,omitempty"`
	// Inside says where the body of the node at fault diverges, when both sides' bodies run on the
	// expected side's values. It is nil if that node is not an If, Loop or Scan, or if its body could
	// not run as a model; Notes then says why.
	Inside *Finding `json:"inside,omitempty"`
	// Body is set in Inside. It says which body was searched: "then_branch", "else_branch", or "body,
	// in iteration 5 (counted from 0 to 9)", the iteration whose results differ most.
	Body string `json:"body,omitempty"`
	// Fused says how to make the outputs agree if they differ because an engine fuses nodes. It is
	// nil if fusion is not the cause, or if the search found no remedy.
	Fused *Fused `json:"fused,omitempty"`
	// Cause summarizes First, Isolated, Fault, Inside and Fused in one sentence.
	Cause string `json:"cause"`
	// Rounding compares both sides with the exact result of one node: the node of Isolated or, if
	// Isolated is nil, the node of First. It says which side differs from it by more than rounding
	// can explain. It is nil if no single node stands out.
	Rounding *Rounding `json:"rounding,omitempty"`

	// Pairing counts the pairs of tensors. It is nil if all tensors pair by name.
	Pairing *Pairing `json:"pairing,omitempty"`
	// Tensors lists all tensors that both sides have, in the actual model's graph order.
	Tensors []Point `json:"tensors"`
	// OnlyActual and OnlyExpected name the tensors without a counterpart, in graph order.
	OnlyActual   []string `json:"only_actual,omitempty"`
	OnlyExpected []string `json:"only_expected,omitempty"`

	// Adds lists the tensors whose own nodes add the largest errors, the largest first. It is set if
	// no single node explains the difference. Quantized weights are listed separately from the nodes
	// that use them.
	Adds []string `json:"adds,omitempty"`

	// Verdict is the verdict on the outputs of the original models. Only Verdict says whether the
	// outputs agree.
	Verdict compare.Verdict `json:"verdict"`
	// MarkedVerdict is the verdict on the same outputs when every tensor is marked. If it differs
	// from Verdict, marking changed the computation: an engine fuses fewer nodes if it must return
	// inner tensors.
	MarkedVerdict compare.Verdict `json:"marked_verdict"`
	// Timings lists the run times of the original models, with the actual side first. Unknown times
	// are omitted.
	Timings []compare.Timing `json:"timings,omitempty"`
	// Incomplete says what a stopped search was doing, how far it got and why it stopped. It is ""
	// for a complete search. The other fields describe the part that was searched.
	Incomplete string `json:"incomplete,omitempty"`
	// Notes lists further information, such as which tensors could not be read and why.
	Notes []string `json:"notes,omitempty"`

	aside []string // as in whole
}

// Point describes a tensor and the node that computes it.
type Point struct {
	Tensor string `json:"tensor"`
	// Expected is the tensor's name on the expected side, if it is different there.
	Expected string `json:"expected,omitempty"`
	// Pairing says how the two tensors were matched.
	Pairing pairing.By `json:"pairing"`
	Node    string     `json:"node"`
	Op      string     `json:"op"`
	// ExpectedOp is the operator on the expected side, if it is different there.
	ExpectedOp string `json:"expected_op,omitempty"`
	// Module and Source say where the node comes from, as in [loaders.Node]. They describe the actual
	// model's node, or the expected model's node if only that one has them.
	Module string             `json:"module,omitempty"`
	Source string             `json:"source,omitempty"`
	Index  int                `json:"index"` // the node's index in graph order, from 0
	Type   tensor.ElementType `json:"type"`
	Shape  tensor.Shape       `json:"shape"`

	// Verdict is empty if the tensor could not be read; Notes then says why.
	Verdict compare.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	// Iteration is the iteration in which the tensor differs most. All numbers in the Point refer to
	// it.
	Iteration int    `json:"iteration"`
	Abs       Number `json:"abs"` // largest absolute error
	Rel       Number `json:"rel"` // largest relative error
	// Error is the norm-wise relative error ‖actual − expected‖₂ / ‖expected‖₂. It can be compared
	// between all tensors of a model.
	Error Number `json:"error"`
	// Growth is Error divided by the largest Error among the node's inputs. It is +Inf if the tensor
	// differs but no input does, and NaN if neither the tensor nor an input differs or if no input
	// was compared.
	Growth Number `json:"growth"`

	// SQNR is the signal-to-quantization-noise ratio in dB, −20·log₁₀ Error. It is nil if there is
	// no error, or if neither model has quantized or 16-bit tensors.
	SQNR *Number `json:"sqnr,omitempty"`
	// OverScale is the root mean square of the node's own error divided by the quantization scale. It
	// is set for tensors that are quantized with a single scale. Rounding alone gives 0.29 = 1/√12
	// (see TensorFlow Lite's quantization debugger); clipping gives more. If the node did not run
	// alone, OverScale uses the tensor's whole error instead.
	OverScale *Number `json:"rmse_over_scale,omitempty"`

	// Own is the error that the node makes when it is fed the expected side's values; nil if not
	// measured.
	Own *Own `json:"own,omitempty"`
	// NotAlone says why the node could not run alone. It is empty if the node ran, or need not run.
	NotAlone string `json:"not_alone,omitempty"`

	unused bool // no output depends on the node, so it cannot be at fault
}

// Fault is a node, or a stretch of consecutive nodes, whose inputs agree and whose results differ.
type Fault struct {
	// Nodes lists nodes of the actual model, in graph order. A single node is the faulty one. Several
	// nodes form a stretch that contains the fault; it cannot be narrowed down, because no tensor
	// between them has a counterpart.
	Nodes []NodeName `json:"nodes"`
	// From lists the nearest shared tensors before the nodes, and To the nearest shared tensors after
	// them.
	From []string `json:"from"`
	To   []string `json:"to"`
	// Healed is true if the outputs agree once the tensors of To in the actual model have been
	// replaced by the expected side's values.
	Healed bool `json:"healed"`
	// Why says why Nodes contains a single node of a longer stretch, as in "its weights differ". It
	// is set only if the expected side has folded the nodes of that stretch into one.
	Why string `json:"why,omitempty"`
}

// NodeName identifies a node of a model.
type NodeName struct {
	Index int    `json:"index"` // counted from 0 in graph order
	Name  string `json:"name"`
	Op    string `json:"op"`
	// Module and Source say where the node comes from, as in [loaders.Node].
	Module string `json:"module,omitempty"`
	Source string `json:"source,omitempty"`
}

func nameOf(n loaders.Node) NodeName {
	return NodeName{Index: n.Index, Name: n.Name, Op: n.Op, Module: n.Module, Source: n.Source}
}

// Pairing counts the tensors that depend on the models' inputs, and how many of them were paired.
type Pairing struct {
	Actual    int `json:"actual"`
	Expected  int `json:"expected"`
	Paired    int `json:"paired"` // the actual side's tensors with a pair, by any method
	Name      int `json:"by_name"`
	Structure int `json:"by_structure"`
	Values    int `json:"by_values"`
	Interface int `json:"outputs"`
	// Dropped lists the actual side's tensors whose pairs were dropped because nothing confirmed that
	// they correspond.
	Dropped []string `json:"dropped,omitempty"`
}

// Own is the error that a node adds by itself, when its inputs are correct. For a stretch of nodes
// between two tensors that both models have, it is the error that the whole stretch adds.
type Own struct {
	Verdict compare.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	Abs     Number          `json:"abs"`
	Rel     Number          `json:"rel"`
	Error   Number          `json:"error"`
	// Rounding is true if the error is out of tolerance, but rounding to float32 explains it.
	Rounding bool `json:"rounding,omitempty"`
	// Stretch lists the nodes that ran together, if there were several.
	Stretch []string `json:"stretch,omitempty"`
}

// MarshalJSON writes the finding as JSON, with the version of docs/report.schema.json.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	return json.Marshal(struct {
		schema.Schema
		plain
	}{schema.Of("divergence"), plain(f)})
}
