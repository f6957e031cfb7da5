package tract

// Source is a model: the file at Path, or the bytes if Path is empty.
type Source struct {
	Path string
	Data []byte
}

// Options are the options for preparing a model.
type Options struct {
	Runtime string // tract's name: "cpu", "cuda", "metal"
	Half    bool   // every float32 of the model becomes a float16
}
