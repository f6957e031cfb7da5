package backends

// Unshared returns the engine with sessions that no other backend uses. By default an engine that
// can share sessions (ONNX Runtime, OpenVINO and tract on a CPU) opens the same model with the same
// options once per process, and reuses that session:
//
//	engine := backends.Unshared(ort.Engine())
//	Expect(backends.RunIn(ctx, engine, model, inputs)).To(MatchGolden("resnet18"))
//
// Two models are the same if their bytes are, including external data; the path does not matter. A
// session that failed or was stopped is not reused. Up to eight idle sessions, of 256 MiB in total,
// stay open for 30 seconds. MODELPARITY_SESSION_MEMORY=1G changes the memory limit, and
// MODELPARITY_SESSION_MEMORY=0 turns sharing off for the whole process.
//
// The engine's text stays the same, because its results do.
func Unshared(e Engine) Engine {
	if unshared := CapabilitiesOf(e).Unshared; unshared != nil {
		return unshared()
	}
	return e
}
