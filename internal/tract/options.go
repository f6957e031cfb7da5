package tract

// Source is the origin of a model: the file at Path or, if Path is empty, the bytes.
type Source struct {
	Path string
	Data []byte
}

// Options are the options for preparing a model.
type Options struct {
	Runtime string // tract's name: "cpu", "cuda", "metal"
	Half    bool   // convert every float32 in the model to float16
}
