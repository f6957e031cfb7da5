package loaders

import "github.com/modelparity/modelparity/internal/onnxfile"

// Save writes the model, which may be marked or cut, to path, whole or not at all. The folder must
// exist.
//
// In the model's own folder, external data that lies there is referred to as before. Otherwise up
// to 64 MiB of it are taken into the file, so that one file is the model; more than that is copied
// into one file beside it, path + ".data", because a model may not point out of its folder. Only
// what the model's tensors need is copied. Of a model of 2 GiB or more, which no message holds, the
// weights go there too; see [Model.SaveExternal].
func (m *Model) Save(path string) error { return m.File().Save(path) }

// External says which weights [Model.SaveExternal] writes beside the model.
type External struct {
	// File is the name of the data's file, in the model's folder; "" is the model's name and ".data".
	File string
	// Threshold is the size in bytes from which on a weight goes there; 0 is 1024. A weight without
	// bytes stays in the model.
	Threshold int64
	// Each gives every weight a file of its own, with a number behind File.
	Each bool
}

// SaveExternal is [Model.Save] with the weights in a file beside the model, and returns what it
// wrote. The weights are those of the model's graph and of bodies, wherever they were before; those
// below the threshold are in the model. One weight is in memory at a time.
//
// The data is written first, so that a model never refers to half of it. Where no weight is large
// enough there is no such file. A name that leads out of
// the model's folder is an error, and so is a file that the model itself still reads.
func (m *Model) SaveExternal(path string, o External) (written []string, err error) {
	return m.File().SaveExternal(path, onnxfile.External(o))
}

// WithoutLinks is the model with its external data named by paths without links. It is for engines
// that read the data themselves: they would follow a link wherever it leads at that time, or refuse
// the links that caches of downloaded models consist of. [Model.Dir] of the result is the folder
// that holds all of the data. A model whose data has no links is returned as it is; one in memory
// that has external data is an error.
func (m *Model) WithoutLinks() (*Model, error) {
	file, err := m.File().WithoutLinks()
	if err != nil || file == m.file {
		return m, err
	}
	return FromFile(file), nil
}
