// Package polygraphy reads and writes the JSON files of NVIDIA's Polygraphy: saved inputs, saved
// outputs and accuracy results. Polygraphy does not document the format; this package writes files
// like version 0.53.6, and reads files of all versions since 0.30.
//
// Files are read and written as streams: apart from the tensors themselves, a file of gigabytes
// takes less than a megabyte of memory. Tensors are .npy files in base64 inside the JSON.
//
// Files are not trusted: readers never allocate more memory than the file's size justifies, and
// every error names the tensor and the byte offset.
package polygraphy
