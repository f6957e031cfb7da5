package backends

// Unshared returns the engine with sessions of its own. Otherwise an engine that can share them
// (ONNX Runtime, OpenVINO and tract on a CPU) opens the same model with the same options once, and
// uses that session for whatever opens it again in this process:
//
//	engine := backends.Unshared(ort.Engine())
//	Expect(backends.RunIn(ctx, engine, model, inputs)).To(MatchGolden("resnet18"))
//
// A model is the same if its bytes are, external data included, whatever its path. A session that
// failed or was stopped is not used again. Up to eight sessions, of 256 MiB together, stay open for
// 30 seconds while nothing uses them. MODELPARITY_SESSION_MEMORY=1G sets how much memory that may
// be, and MODELPARITY_SESSION_MEMORY=0 shares nothing in the whole process.
//
// The engine's text stays as it is, because its runs do.
func Unshared(e Engine) Engine {
	if unshared := CapabilitiesOf(e).Unshared; unshared != nil {
		return unshared()
	}
	return e
}
