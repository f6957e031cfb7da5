// Package polygraphy reads and writes the JSON files of NVIDIA's Polygraphy: the inputs and the
// outputs it saves, and its accuracy results. Polygraphy documents no format; this one is what
// 0.53.6 writes, and what the versions since 0.27 wrote.
//
// Files are read and written as streams: beyond the tensors themselves, a file of gigabytes takes
// less than a megabyte. Tensors are .npy files in base64 inside the JSON.
//
// Files are taken for hostile: no header makes a reader allocate more than the file could hold,
// and every error names the tensor and the byte of the file.
package polygraphy
