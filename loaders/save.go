package loaders

import "github.com/modelparity/modelparity/internal/onnxfile"

// Save writes the model, which may be marked or cut, to path, completely or not at all. The folder
// must exist.
//
// If path is in the folder of the model's external data, the saved model refers to the same files.
// Otherwise up to 64 MiB of data are moved into the model's file, and larger data is copied to one
// file next to it, path + ".data", because a model must not refer to files outside its folder. Only
// data that tensors use is copied. The weights of a model of 2 GiB or more, the limit of protobuf,
// go to that file too; see [Model.SaveExternal].
func (m *Model) Save(path string) error { return m.File().Save(path) }

// External configures which weights [Model.SaveExternal] writes to separate files.
type External struct {
	// File is the name of the data's file, in the model's folder. The default is the model's name
	// and ".data".
	File string
	// Threshold is the smallest size in bytes of weights to write there; 0 means 1024. Empty
	// weights always stay in the model.
	Threshold int64
	// Each writes every weight to a file of its own, numbered after File.
	Each bool
}

// SaveExternal is [Model.Save] with the weights in a separate file, and returns the files that it
// wrote. It moves the weights of the graph and of bodies, wherever they were before; weights below
// the threshold go into the model. It holds one weight in memory at a time.
//
// The data is written first, so a model never refers to incomplete data. If no weight reaches the
// threshold, no data file is written. It is an error if the name leads out of the model's folder,
// or is a file from which the model still reads weights.
func (m *Model) SaveExternal(path string, o External) (written []string, err error) {
	return m.File().SaveExternal(path, onnxfile.External(o))
}

// WithoutLinks returns the model with symbolic links resolved in the paths of its external data.
// Engines that read the data themselves would follow a changed link, or reject the links that
// caches of downloaded models consist of. [Model.Dir] of the result is a folder that holds all of
// the data. A model without such links is returned unchanged. A model in memory that has external
// data is an error.
func (m *Model) WithoutLinks() (*Model, error) {
	file, err := m.File().WithoutLinks()
	if err != nil || file == m.file {
		return m, err
	}
	return FromFile(file), nil
}
