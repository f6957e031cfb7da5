package onnxfile

// SumsKept is how many checksums of files are kept.
func SumsKept() (n int) {
	sums.Range(func(any, any) bool {
		n++
		return true
	})
	return n
}
