package genai

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	abi "github.com/modelparity/modelparity/internal/genai"
)

// configFile is the name of the file from which the library reads a model's configuration.
const configFile = "genai_config.json"

// externalFolder is the configuration entry that names a folder. The library looks there for the
// external data of a model that it reads from memory.
const externalFolder = "session.model_external_initializers_file_folder_path"

// load loads the model and sets b.names to the tensor names in its configuration. The library reads
// the generated configuration from an otherwise empty folder. It reads the model from memory, so it
// runs exactly the bytes whose checksum is in the provenance.
func (b *backend) load(l opened, s *settings) error {
	c, err := made(b.inputs, b.outputs, s.Threads, s.Overlay != "")
	if err != nil {
		return err
	}
	plain, err := b.model.WithoutLinks()
	if err != nil {
		return err
	}
	external, err := plain.ExternalData()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "modelparity-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // at worst, a small file remains
	if len(external) > 0 {
		data, err := relative(plain.Dir(), folder)
		if err != nil {
			return err
		}
		c.Model.Decoder.Session[externalFolder] = data
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if b.names, err = defaultNames().under(text); err != nil {
		return err
	}
	if s.Overlay != "" {
		if b.names, err = b.names.under([]byte(s.Overlay)); err != nil {
			return fmt.Errorf("genai.Overlay: %w", err)
		}
	}
	if err := b.names.printable(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, configFile), text, 0o600); err != nil {
		return err
	}
	from := abi.Source{Folder: folder, File: b.names.File, Overlay: s.Overlay}
	if from.Data, err = plain.Bytes(); err != nil {
		return err
	}
	b.loaded, err = l.Load(from)
	return err
}

// relative returns folder as a path relative to base, because the library treats every path as a
// relative one.
func relative(folder, base string) (string, error) {
	var err error
	for _, path := range []*string{&folder, &base} {
		if *path, err = filepath.EvalSymlinks(*path); err != nil {
			return "", err
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return "", err
		}
	}
	return filepath.Rel(base, folder)
}
