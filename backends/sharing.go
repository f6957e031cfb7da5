package backends

// Unshared returns a copy of the engine whose backends each have their own session. By default an
// engine that can share sessions (ONNX Runtime, OpenVINO and tract on a CPU) opens the same model
// with the same options once per process, and reuses that session:
//
//	engine := backends.Unshared(ort.Engine())
//	Expect(backends.RunIn(ctx, engine, model, inputs)).To(MatchGolden("resnet18"))
//
// Two models are the same if their bytes, including external data, are equal; their paths do not
// matter. A session that failed or was stopped is not reused. Up to eight idle sessions stay open,
// for models of 128 MiB in total.
//
// The copy's method Text returns the same text as the engine's own ([Engine]), because both give
// the same results.
func Unshared(e Engine) Engine {
	if unshared := CapabilitiesOf(e).Unshared; unshared != nil {
		return unshared()
	}
	return e
}
