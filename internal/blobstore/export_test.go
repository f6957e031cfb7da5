package blobstore

import "time"

// Patient makes a store on a server give up after that long without a byte.
func (s *Store) Patient(d time.Duration) { s.remote.(*server).patient = d }
