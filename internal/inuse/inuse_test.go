package inuse_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/inuse"
)

func TestClosingDoesNotWaitForUses(t *testing.T) {
	g := NewWithT(t)
	freed := 0
	guard := inuse.Guard{Free: func() error { freed++; return nil }}
	g.Expect(guard.Enter()).To(BeTrue())
	g.Expect(guard.Enter()).To(BeTrue())
	g.Expect(guard.Close()).To(Succeed())
	g.Expect(guard.Enter()).To(BeFalse(), "no further use")
	guard.Leave()
	g.Expect(freed).To(BeZero(), "it is in use")
	guard.Leave()
	g.Expect(freed).To(Equal(1), "with the last use")
	g.Expect(guard.Close()).To(Succeed())
	g.Expect(freed).To(Equal(1))
}

func TestClosingWhatIsUnusedFreesIt(t *testing.T) {
	g := NewWithT(t)
	wrong := errors.New("wrong")
	guard := inuse.Guard{Free: func() error { return wrong }}
	g.Expect(guard.Enter()).To(BeTrue())
	guard.Leave()
	g.Expect(guard.Close()).To(MatchError(wrong))
	g.Expect(guard.Close()).To(Succeed(), "twice")
}

func TestClosedAmongManyUses(t *testing.T) {
	g := NewWithT(t)
	for range 300 {
		var freed atomic.Int32
		guard := inuse.Guard{Free: func() error { freed.Add(1); return nil }}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for guard.Enter() {
					guard.Leave()
				}
			})
		}
		g.Expect(guard.Close()).To(Succeed())
		group.Wait()
		g.Expect(freed.Load()).To(BeEquivalentTo(1))
	}
}
