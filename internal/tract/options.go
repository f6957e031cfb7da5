package tract

// Source is the origin of a model: the file at Path or, if Path is empty, the bytes.
type Source struct {
	Path string
	Data []byte
}
