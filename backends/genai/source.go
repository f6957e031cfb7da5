package genai

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	abi "github.com/modelparity/modelparity/internal/genai"
	"github.com/modelparity/modelparity/loaders"
)

// configFile is the name of the file from which the library reads a model's configuration.
const configFile = "genai_config.json"

// externalFolder is the configuration entry that names the folder with the external data of a model
// in memory.
const externalFolder = "session.model_external_initializers_file_folder_path"

// load loads a model and returns the tensor names in its configuration. The library reads the
// configuration from a folder that contains nothing else. It reads the model from memory, so it
// runs exactly the bytes whose checksum is in the provenance.
func load(l opened, model *loaders.Model, s *settings) (*abi.Model, decoder, error) {
	c := usual()
	whole, err := found(model)
	if err == nil && whole == nil {
		whole, err = madeFor(model, s)
	}
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
	folder, err := os.MkdirTemp("", "modelparity-")
	if err != nil {
		return nil, c, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // at worst, a small file remains
	names := whole["model"].(map[string]any)["decoder"].(map[string]any)
	session, _ := names["session_options"].(map[string]any)
	if session == nil {
		session = map[string]any{}
	}
	session["log_severity_level"] = 4
	if len(external) > 0 {
		if session[externalFolder], err = relative(plain.Dir(), folder); err != nil {
			return nil, c, err
		}
	}
	names["filename"], names["session_options"] = modelFile, session
	text, err := json.Marshal(whole)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, configFile), text, 0o600)
	}
	if err == nil {
		c, err = c.under(text)
	}
	if err == nil && s.Overlay != "" {
		if c, err = c.under([]byte(s.Overlay)); err != nil {
			err = fmt.Errorf("genai.Overlay: %w", err)
		}
	}
	if err == nil {
		err = c.printable()
	}
	if err != nil {
		return nil, c, err
	}
	from := abi.Source{Folder: folder, File: c.File, Overlay: s.Overlay}
	if from.Data, err = plain.Bytes(); err != nil {
		return nil, c, err
	}
	loaded, err := l.Load(from)
	return loaded, c, err
}

// relative returns folder as a path relative to from, because the library treats absolute paths as
// relative ones.
func relative(folder, from string) (string, error) {
	var err error
	for _, path := range []*string{&folder, &from} {
		if *path, err = filepath.EvalSymlinks(*path); err != nil {
			return "", err
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return "", err
		}
	}
	return filepath.Rel(from, folder)
}

// madeFor generates the configuration for a model that has none.
func madeFor(model *loaders.Model, s *settings) (whole map[string]any, err error) {
	inputs, err := model.Inputs()
	if err != nil {
		return nil, err
	}
	outputs, err := model.Outputs()
	if err != nil {
		return nil, err
	}
	c, err := made(inputs, outputs, s.Threads, s.Overlay != "")
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(text, &whole)
	}
	return whole, err
}
