package tract

// Source is a model: the file at Path, or the bytes where Path is empty.
type Source struct {
	Path string
	Data []byte
}

// Options are what a model is prepared with.
type Options struct {
	Runtime string // as tract calls it: "cpu", "cuda", "metal"
	Half    bool   // every float32 of the model becomes a float16
}
