//go:build cgo && (linux || darwin)

package onnxruntime

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"reflect"
	"sync"
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
)

// Session is one loaded model. It is safe for concurrent use.
type Session struct {
	api     *api
	running sync.RWMutex // read-locked by every run, write-locked by Close
	owner   owned
	handle  unsafe.Pointer // the OrtSession, which owner frees
	log     *logHandle
	alone   func() (release func())
}

// dataFolder is the configuration entry that names the folder with the external data of a model in
// memory.
const dataFolder = "session.model_external_initializers_file_folder_path"

// NewSession loads a model from memory. Call [Start] first.
//
// If the options name no folder for external data, NewSession passes the null device as the folder.
// The null device cannot contain files. Without any folder, ONNX Runtime would read external data
// from the working folder.
func NewSession(model []byte, o Options) (*Session, error) {
	entries := map[string]string{dataFolder: cmp.Or(o.Data, os.DevNull)}
	maps.Copy(entries, o.Config)
	o.Config = entries
	return newSession(o, func(options *binding.SessionOptions) (owned, error) {
		return binding.NewDynamicAdvancedSessionWithONNXData(model, nil, nil, options)
	})
}

// NewSessionFromFile loads the model at path. Call [Start] first.
func NewSessionFromFile(path string, o Options) (*Session, error) {
	return newSession(o, func(options *binding.SessionOptions) (owned, error) {
		return binding.NewDynamicAdvancedSession(path, nil, nil, options)
	})
}

type owned = *binding.DynamicAdvancedSession

func newSession(o Options, load func(*binding.SessionOptions) (owned, error)) (_ *Session,
	err error) {
	defer recovered(&err)
	table, err := started()
	if err != nil {
		return nil, err
	}
	defer o.alone()()
	options, err := sessionOptions(table, o)
	if err != nil {
		return nil, err
	}
	log := newLog(o.Log)
	defer func() {
		if destroyed := options.Destroy(); err == nil {
			err = destroyed
		}
		if err != nil {
			log.close()
		}
	}()
	if err := extend(table, options, o, log); err != nil {
		return nil, err
	}
	owner, err := load(options)
	if err != nil {
		return nil, err
	}
	handle, err := sessionHandle(owner)
	if err != nil {
		owner.Destroy() //nolint:errcheck // an earlier error is returned
		return nil, err
	}
	return &Session{api: table, owner: owner, handle: handle, log: log, alone: o.alone}, nil
}

// extend sets the session options that the binding does not support.
func extend(table *api, options *binding.SessionOptions, o Options, log *logHandle) error {
	if len(o.CustomOps) == 0 && log == nil {
		return nil
	}
	handle, err := pointer(reflect.ValueOf(options), "o")
	if err != nil {
		return err
	}
	for _, path := range o.CustomOps {
		name := C.CString(path)
		err := table.check(C.mp_custom_ops(table.table, handle, name))
		C.free(unsafe.Pointer(name))
		if err != nil {
			return &CustomOpsError{path, err}
		}
	}
	if log == nil {
		return nil
	}
	if err := options.SetLogSeverityLevel(binding.LoggingLevel(o.Log.From)); err != nil {
		return err
	}
	return table.check(C.mp_log(table.table, handle, log.number()))
}

// sessionHandle returns the OrtSession inside the binding's session. The binding does not export
// the OrtSession, so reflection finds it by the names of fields. With a version of the binding that
// has other fields, sessionHandle returns an error.
func sessionHandle(owner owned) (unsafe.Pointer, error) {
	return pointer(reflect.ValueOf(owner), "s", "ortSession")
}

// pointer returns the C pointer in a nested field of a value of the binding.
func pointer(v reflect.Value, fields ...string) (unsafe.Pointer, error) {
	for _, field := range fields {
		if v = v.Elem().FieldByName(field); v.Kind() != reflect.Pointer || v.IsNil() {
			return nil, fmt.Errorf("this version of github.com/yalue/onnxruntime_go is not supported: "+
				"its field %q contains no pointer", field)
		}
	}
	return v.UnsafePointer(), nil
}

// Close waits for the runs in progress and frees the session. Closing twice is harmless.
func (s *Session) Close() (err error) {
	defer recovered(&err)
	s.running.Lock()
	defer s.running.Unlock()
	if s.owner == nil {
		return nil
	}
	release := s.alone()
	err = s.owner.Destroy()
	release()
	s.owner, s.handle = nil, nil
	s.log.close()
	C.mp_trim()
	return err
}
