package jsonfloat

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
)

// Of returns a view of a struct that encoding/json can marshal and unmarshal even if float64 fields
// of the struct, or of structs in it, contain NaN or infinities. The argument is a pointer to the
// struct. The view shares the struct's memory; its float64 fields have the type [Float].
func Of(pointer any) any {
	v := reflect.ValueOf(pointer)
	t, ok := known.Load(v.Type())
	if !ok {
		t, _ = known.LoadOrStore(v.Type(), floats(v.Type().Elem()))
	}
	return reflect.NewAt(t.(reflect.Type), v.UnsafePointer()).Interface()
}

var known sync.Map // from the type of a pointer to the result of floats

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// floats returns a type with the memory layout of t and with Float instead of float64.
func floats(t reflect.Type) reflect.Type {
	if t.Implements(marshaler) || t.Implements(textMarshaler) {
		return t
	}
	switch t.Kind() {
	case reflect.Float64:
		return reflect.TypeFor[Float]()
	case reflect.Pointer:
		return reflect.PointerTo(floats(t.Elem()))
	case reflect.Slice:
		return reflect.SliceOf(floats(t.Elem()))
	case reflect.Struct:
		fields := make([]reflect.StructField, t.NumField())
		for i := range fields {
			fields[i] = t.Field(i)
			if fields[i].IsExported() {
				fields[i].Type = floats(fields[i].Type)
			}
		}
		return reflect.StructOf(fields)
	}
	return t
}
