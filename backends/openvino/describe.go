package openvino

import "github.com/modelparity/modelparity/loaders"

// Description is the information that OpenVINO has about a file; `modelparity inspect` prints it.
type Description struct {
	Name    string          `json:"name"`
	Format  string          `json:"format"`
	SHA256  string          `json:"sha256"`
	Version string          `json:"openvino"` // the version of OpenVINO that read the file
	Inputs  []loaders.Value `json:"inputs"`
	Outputs []loaders.Value `json:"outputs"`
}

// Describe reads a [File] with OpenVINO and returns its description.
func Describe(path string) (Description, error) {
	f := newFile(path)
	declared, err := f.declare()
	if err != nil {
		return Description{}, err
	}
	sum, err := f.digest()
	if err != nil {
		return Description{}, err
	}
	library, err := start("")
	if err != nil {
		return Description{}, err
	}
	return Description{f.Name(), FormatOf(f.path), sum, library.Version(), declared.inputs,
		declared.outputs}, nil
}
