package backends

// Reason says why an engine rejected a model or a run.
type Reason string

// The reasons for which engines reject models and runs. No engine gives all of them.
const (
	UnknownOperator Reason = "unknown operator"
	NoKernel        Reason = "no kernel"
	UnsupportedType Reason = "unsupported type"
	NeedsConstant   Reason = "needs a constant"
	InvalidModel    Reason = "invalid model"
	TooNew          Reason = "model too new"
	NoProvider      Reason = "no provider"
	NoPrecision     Reason = "no such precision"
	WrongInput      Reason = "wrong input"
	WrongCustomOps  Reason = "wrong custom operators"
	Refused         Reason = "refused"
)

// Refusal is the error of an engine that rejects a model or a run. It contains an explanation in
// plain words. The engines ONNX Runtime, OpenVINO and tract return it.
type Refusal struct {
	Engine  string // the engine's name for people
	Reason  Reason
	Meaning string // the explanation; "" if the engine's text is clear enough
	Answer  string // the engine's text; "" if the engine was not asked
	Cause   error  // the library's error, or nil
}

func (r *Refusal) Error() string {
	switch {
	case r.Meaning == "":
		return r.Answer
	case r.Answer == "":
		return r.Meaning
	}
	return r.Meaning + " (" + r.Engine + " says: " + r.Answer + ")"
}

func (r *Refusal) Unwrap() error { return r.Cause }
