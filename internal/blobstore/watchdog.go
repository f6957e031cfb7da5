package blobstore

import (
	"context"
	"io"
	"time"
)

// watchdog gives a request up that makes no progress.
type watchdog struct {
	timer   *time.Timer
	patient time.Duration
}

// pet says that there was progress.
func (w *watchdog) pet() { w.timer.Reset(w.patient) }

// watched is a body whose bytes are progress.
type watched struct {
	io.ReadCloser
	watch *watchdog
}

func (w watched) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	if n > 0 {
		w.watch.pet()
	}
	return n, err
}

// answered is the body of an answer, which ends its request.
type answered struct {
	watched
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (a answered) Read(b []byte) (int, error) {
	n, err := a.watched.Read(b)
	if err != nil && err != io.EOF {
		if cause := context.Cause(a.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (a answered) Close() error {
	a.watch.timer.Stop()
	a.cancel(nil)
	return a.ReadCloser.Close()
}
