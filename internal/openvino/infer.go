//go:build cgo && (linux || darwin)

package openvino

/*
#include <stdlib.h>
#include "abi.h"
*/
import "C"

import (
	"context"
	"fmt"
	"time"

	"github.com/modelparity/modelparity/internal/inuse"
	"github.com/modelparity/modelparity/tensor"
)

// Infer runs one inference and returns the outputs in the requested order. Each call uses a new
// infer request, because a request keeps the state of a stateful model.
//
// When ctx ends, the library stops between two nodes, and Infer returns the context's error. If the
// library has not stopped after [Patience], the run continues in the background, and the error also
// wraps [inuse.ErrLeft].
func (c *Compiled) Infer(ctx context.Context, inputs []Feed, outputs []int) (
	[]*tensor.Tensor, error) {
	if !c.users.Enter() {
		return nil, ErrClosed
	}
	run := &run{l: c.l, ctx: ctx}
	return inuse.Leave(ctx, Patience, func() ([]*tensor.Tensor, error) {
		defer c.users.Leave()
		defer run.free()
		return run.infer(c, inputs, outputs)
	}, func([]*tensor.Tensor) {})
}

// run owns the native memory of one inference.
type run struct {
	l       *Library
	ctx     context.Context
	request *C.ov_infer_request_t
	tensors []*C.ov_tensor_t
}

// free frees everything that the run owns.
func (r *run) free() {
	for _, value := range r.tensors {
		C.mo_free_tensor(&r.l.c, value)
	}
	if r.request != nil {
		C.mo_free_request(&r.l.c, r.request)
	}
}

func (r *run) infer(c *Compiled, inputs []Feed, outputs []int) ([]*tensor.Tensor, error) {
	if err := context.Cause(r.ctx); err != nil {
		return nil, err
	}
	if err := r.l.check(C.mo_request(&r.l.c, c.handle, &r.request)); err != nil {
		return nil, err
	}
	for _, in := range inputs {
		if err := r.feed(in); err != nil {
			return nil, fmt.Errorf("input %d: %w", in.Input, err)
		}
	}
	if err := r.start(); err != nil {
		return nil, err
	}
	values := make([]*tensor.Tensor, len(outputs))
	for i, output := range outputs {
		var err error
		if values[i], err = r.output(output); err != nil {
			return nil, fmt.Errorf("output %d: %w", output, err)
		}
	}
	return values, nil
}

func (r *run) feed(in Feed) error {
	value, err := r.l.write(in.Tensor)
	if err != nil {
		return err
	}
	r.tensors = append(r.tensors, value)
	return r.l.check(C.mo_set(&r.l.c, r.request, C.size_t(in.Input), value))
}

func (r *run) output(index int) (*tensor.Tensor, error) {
	var value *C.ov_tensor_t
	if err := r.l.check(C.mo_get(&r.l.c, r.request, C.size_t(index), &value)); err != nil {
		return nil, err
	}
	r.tensors = append(r.tensors, value)
	return r.l.read(value)
}

// start runs the inference, and stops it when the context ends.
func (r *run) start() error {
	over, watched := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(r.ctx, func() {
		defer close(watched)
		// Cancelling has no effect on a request that has not started yet, so repeat it until the run
		// ends.
		for {
			C.mo_cancel(&r.l.c, r.request)
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	err := r.l.check(C.mo_infer(&r.l.c, r.request))
	close(over)
	if !stop() {
		<-watched // the watcher must not use a freed request
	}
	if cause := context.Cause(r.ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
