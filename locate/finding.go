package locate

import (
	"encoding/json"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/locate/internal/pairing"
	"github.com/modelparity/modelparity/tensor"
)

// Finding is where two runs part. It marshals to JSON safely: non-finite numbers are the strings
// "NaN", "Infinity" and "-Infinity".
type Finding struct {
	// Actual and Expected name the two sides.
	Actual   string `json:"actual"`
	Expected string `json:"expected"`

	// First is the first tensor out of tolerance in the actual model's graph order, where each side
	// computed with its own earlier tensors. It is nil where none is.
	First *Point `json:"first"`
	// Isolated is the first node whose own error is out of tolerance: it ran alone, on the expected
	// side's values. It is nil where there is none, or where it was not asked for.
	Isolated *Point `json:"isolated"`
	// Fault is where the sides part, as far as there is evidence on both sides of it; nil where there
	// is none.
	Fault *Fault `json:"fault,omitempty"`
	// Cause tells what First, Isolated and Fault say together, in one sentence.
	Cause string `json:"cause"`

	// Pairing counts the pairs of tensors, where not all are pairs by name; nil where all are.
	Pairing *Pairing `json:"pairing,omitempty"`
	// Tensors is every tensor that both sides have, in the actual model's graph order.
	Tensors []Point `json:"tensors"`
	// OnlyActual and OnlyExpected name the tensors that had no counterpart, in graph order.
	OnlyActual   []string `json:"only_actual,omitempty"`
	OnlyExpected []string `json:"only_expected,omitempty"`

	// Adds ranks tensors by what their nodes add by themselves, the greatest first, where no single
	// place explains the difference. Weights that were quantized are among them, apart from what
	// computes with them.
	Adds []string `json:"adds,omitempty"`

	// Verdict is the outputs' own, from models without marks: only it says whether they agree.
	Verdict compare.Verdict `json:"verdict"`
	// MarkedVerdict is the same outputs' verdict when every tensor was marked. Where the two differ,
	// marking changed what ran: an engine fuses less when it must give intermediate tensors out.
	MarkedVerdict compare.Verdict `json:"marked_verdict"`
	// Timings are of the two models as they are, the actual side first, where their times are known.
	Timings []compare.Timing `json:"timings,omitempty"`
	// Incomplete says, of a search that was stopped, what it was doing, how far it got and why it was
	// stopped; "" of one that came to its end. What else is said holds for the part that was
	// searched.
	Incomplete string `json:"incomplete,omitempty"`
	// Notes are what the reader has to know besides: tensors that could not be given out, and why.
	Notes []string `json:"notes,omitempty"`
}

// Point is one tensor and the node that makes it.
type Point struct {
	Tensor string `json:"tensor"`
	// Expected is the tensor's name on the expected side, where it differs.
	Expected string `json:"expected,omitempty"`
	// Pairing is how the two were found to be the same.
	Pairing pairing.By `json:"pairing"`
	Node    string     `json:"node"`
	Op      string     `json:"op"`
	// ExpectedOp is the operator on the expected side, where it differs.
	ExpectedOp string `json:"expected_op,omitempty"`
	// Module and Source are where the node comes from, as [loaders.Node] has it of the actual model,
	// or of the expected one where only that says so.
	Module string             `json:"module,omitempty"`
	Source string             `json:"source,omitempty"`
	Index  int                `json:"index"` // of the node, counted from 0 in graph order
	Type   tensor.ElementType `json:"type"`
	Shape  tensor.Shape       `json:"shape"`

	// Verdict is empty for a tensor that could not be given out; Notes says why.
	Verdict compare.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	// Iteration is where the tensor was worst; the numbers are that iteration's.
	Iteration int    `json:"iteration"`
	Abs       Number `json:"abs"` // greatest absolute error
	Rel       Number `json:"rel"` // greatest relative error
	// Error is the norm-wise relative error ‖actual − expected‖₂ / ‖expected‖₂, which has one scale
	// for every tensor of a model.
	Error Number `json:"error"`
	// Growth is Error over the greatest Error among the node's inputs: what the node made of what it
	// was given. It is +Inf where no input differs but the tensor does, and NaN where that does not
	// either, and for nodes without compared inputs.
	Growth Number `json:"growth"`

	// SQNR is the ratio of signal to error in dB, −20·log₁₀ Error, where one of the models computes
	// with quantized or 16-bit tensors; nil elsewhere, and where there is no error.
	SQNR *Number `json:"sqnr,omitempty"`
	// OverScale is the root mean square of the node's own error over the scale, for a tensor that was
	// quantized with one scale: 0.29 = 1/√12 is what rounding alone gives (TensorFlow Lite's
	// quantization debugger), and clipping gives more. Of a node that did not run alone, the error is
	// the tensor's.
	OverScale *Number `json:"rmse_over_scale,omitempty"`

	// Own is the node's own error, on the expected side's inputs; nil where it was not measured.
	Own *Own `json:"own,omitempty"`
}

// Fault is a node, or a stretch of nodes, whose inputs agree and whose results do not.
type Fault struct {
	// Nodes are the actual model's, in graph order. One is the node at fault; more are a stretch
	// that the fault is in, since nothing between them has a counterpart.
	Nodes []NodeName `json:"nodes"`
	// From are the nearest tensors before the nodes that both sides have, and To those behind them.
	From []string `json:"from"`
	To   []string `json:"to"`
	// Healed says that the outputs agree when the actual side goes on with the expected side's
	// values of To.
	Healed bool `json:"healed"`
	// Why says by what a node of a longer stretch was found, where that is its constants: "its weights
	// differ". The expected side has the stretch's nodes folded into one.
	Why string `json:"why,omitempty"`
}

// NodeName is which node of a model is meant.
type NodeName struct {
	Index int    `json:"index"` // counted from 0 in graph order
	Name  string `json:"name"`
	Op    string `json:"op"`
	// Module and Source are where the node comes from, as [loaders.Node] has it.
	Module string `json:"module,omitempty"`
	Source string `json:"source,omitempty"`
}

// Pairing counts tensors that depend on the models' inputs, and their pairs.
type Pairing struct {
	Actual    int `json:"actual"`
	Expected  int `json:"expected"`
	Paired    int `json:"paired"` // of the actual side's, all ways together
	Name      int `json:"by_name"`
	Structure int `json:"by_structure"`
	Values    int `json:"by_values"`
	Interface int `json:"outputs"`
	// Dropped are the actual side's tensors whose pair was given up, since nothing confirmed it.
	Dropped []string `json:"dropped,omitempty"`
}

// Own is what a node, or a stretch of nodes between two shared tensors, adds by itself.
type Own struct {
	Verdict compare.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	Abs     Number          `json:"abs"`
	Rel     Number          `json:"rel"`
	Error   Number          `json:"error"`
	// Stretch lists the nodes that ran together, where more than one did.
	Stretch []string `json:"stretch,omitempty"`
}

// MarshalJSON writes the finding with the version of docs/report.schema.json that it follows.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	return json.Marshal(struct {
		compare.Schema
		plain
	}{compare.SchemaOf("divergence"), plain(f)})
}
