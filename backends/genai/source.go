package genai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	abi "github.com/modelparity/modelparity/internal/genai"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/loaders"
)

// configFile is what the library calls the configuration of a model.
const configFile = "genai_config.json"

// externalFolder is the configuration entry with the folder of the external data of a model in
// memory.
const externalFolder = "session.model_external_initializers_file_folder_path"

// load makes a model ready, and tells what its configuration names. The model is handed over from
// memory, so that the library runs exactly the bytes whose checksum is in the provenance; but for
// one with external data and a configuration of its own, whose files the library reads.
func load(l opened, model *loaders.Model, s *settings) (*abi.Model, decoder, error) {
	c, err := found(model)
	if err != nil {
		return nil, c, err
	}
	plain, err := model.WithoutLinks()
	if err != nil {
		return nil, c, err
	}
	external, err := plain.ExternalData()
	if err != nil {
		return nil, c, err
	}
	from := abi.Source{Folder: filepath.Dir(model.Path()), Overlay: s.Overlay}
	if c.File == "" {
		var whole config
		if whole, err = madeFor(model, s); err != nil {
			return nil, c, err
		}
		if len(external) > 0 {
			if whole.Model.Decoder.Session[externalFolder], err = filepath.Abs(plain.Dir()); err != nil {
				return nil, c, err
			}
		}
		c = whole.Model.Decoder.decoder
		var done func() error
		if from.Folder, done, err = whole.write(); err != nil {
			return nil, c, err
		}
		defer done() //nolint:errcheck // what is left behind is a small file in a temporary folder
		external = nil
	}
	if s.Overlay != "" {
		if c, err = c.under([]byte(s.Overlay)); err != nil {
			return nil, c, fmt.Errorf("genai.Overlay: %w", err)
		}
	}
	if len(external) == 0 {
		from.File = c.File
		if from.Data, err = plain.Bytes(); err != nil {
			return nil, c, err
		}
	}
	loaded, err := l.Load(from)
	return loaded, c, err
}

// found reads what the configuration beside a model names; a File of "" is that there is none for
// this model.
func found(model *loaders.Model) (decoder, error) {
	if model.Path() == "" {
		return decoder{}, nil
	}
	data, err := regular.Read(filepath.Join(filepath.Dir(model.Path()), configFile))
	if errors.Is(err, fs.ErrNotExist) {
		return decoder{}, nil
	}
	c := usual()
	if err == nil {
		c, err = c.under(data)
	}
	if err != nil {
		return decoder{}, fmt.Errorf("%s: %w", configFile, err)
	}
	if c.File != filepath.Base(model.Path()) {
		return decoder{}, nil
	}
	return c, nil
}

// madeFor is the configuration of a model without one.
func madeFor(model *loaders.Model, s *settings) (config, error) {
	inputs, err := model.Inputs()
	if err != nil {
		return config{}, err
	}
	outputs, err := model.Outputs()
	if err != nil {
		return config{}, err
	}
	return made(inputs, outputs, s.Threads, s.Overlay != "")
}

// write writes the configuration into a temporary folder, which done removes.
func (c config) write() (folder string, done func() error, err error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", nil, err
	}
	if folder, err = os.MkdirTemp("", "modelparity-"); err != nil {
		return "", nil, err
	}
	done = func() error { return os.RemoveAll(folder) }
	if err = os.WriteFile(filepath.Join(folder, configFile), text, 0o600); err != nil {
		return "", nil, errors.Join(err, done())
	}
	return folder, done, nil
}
