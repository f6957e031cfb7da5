package loaders

import "github.com/modelparity/modelparity/internal/onnxfile"

// Save writes the model to path, even if the model differs from its original file, for example
// after [Model.Mark] or [Model.Cut]. If it fails, an existing file is unchanged. The folder must
// exist.
//
// If path is in the folder of the model's external data, the saved model refers to the same files.
// Otherwise, because a model must not refer to files outside its folder, data of up to 64 MiB is
// moved into the model's file, and larger data is copied to one file next to it, path + ".data".
// Only data that tensors use is copied. If the model would reach protobuf's limit of 2 GiB, all
// weights go to the file path + ".data"; see [Model.SaveExternal].
func (m *Model) Save(path string) error { return m.File().Save(path) }

// External configures which weights [Model.SaveExternal] writes to separate files.
type External struct {
	// File is the name of the data file, in the model's folder. The default is the model's file
	// name with ".data" appended.
	File string
	// Threshold is the minimum size in bytes of a weight to write to a separate file; 0 means 1024.
	// Empty weights always stay in the model.
	Threshold int64
	// Each writes every weight to its own file, named File with a dot and a number appended.
	Each bool
}

// SaveExternal is like [Model.Save] but writes the weights to a separate file, and returns the
// files that it wrote. It moves the weights of the main graph and of all subgraphs, wherever they
// were before; weights below the threshold go into the model. SaveExternal keeps one weight in
// memory at a time.
//
// The data is written first, so a model never refers to incomplete data. If no weight reaches the
// threshold, no data file is written. It is an error if File names a place outside the model's
// folder, or a file from which the model still reads weights.
func (m *Model) SaveExternal(path string, o External) (written []string, err error) {
	return m.File().SaveExternal(path, onnxfile.External(o))
}

// WithoutLinks returns the model with symbolic links resolved in the paths of its external data.
// Caches of downloaded models contain links instead of files. An engine that reads the data itself
// would either reject a link, or follow the link even if its target has changed since the model was
// loaded. [Model.Dir] of the result is a folder that contains all of the data. A model without such
// links is returned unchanged. It is an error if a model in memory has external data.
func (m *Model) WithoutLinks() (*Model, error) {
	file, err := m.File().WithoutLinks()
	if err != nil || file == m.file {
		return m, err
	}
	return FromFile(file), nil
}
