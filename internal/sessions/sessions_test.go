package sessions_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/passing"
	"github.com/modelparity/modelparity/internal/sessions"
)

// session counts how often it was closed.
type session struct{ closed atomic.Int32 }

func (s *session) Close() error {
	s.closed.Add(1)
	return nil
}

// model is what sessions are created for.
type model struct {
	sum   string
	size  int64
	draws bool
}

func (m model) Size() (int64, error)        { return m.size, nil }
func (m model) SHA256() (string, error)     { return m.sum, nil }
func (m model) DrawsNumbers() (bool, error) { return m.draws, nil }

// open opens a session for the model of that name, which is s unless the pool has one.
func open(g Gomega, p *sessions.Pool, name string, size int64, s sessions.Session) *sessions.Lease {
	l, err := p.Open(context.Background(), "e", model{sum: name, size: size},
		func() (sessions.Session, error) { return s, nil })
	g.Expect(err).NotTo(HaveOccurred())
	return l
}

// lend makes a session, shares it and gives it back.
func lend(g Gomega, p *sessions.Pool, name string, size int64) *session {
	s := new(session)
	l := open(g, p, name, size, s)
	g.Expect(l.Lend()).To(Succeed())
	g.Expect(l.Close()).To(Succeed())
	return s
}

// lent returns a lease of a session for the model that the pool has, or fails.
func lent(g Gomega, p *sessions.Pool, name string) *sessions.Lease {
	l, err := p.Open(context.Background(), "e", model{sum: name, size: 1},
		func() (sessions.Session, error) { return nil, errors.New("none is open") })
	g.Expect(err).NotTo(HaveOccurred())
	return l
}

// has reports whether the pool has a session to lend.
func has(g Gomega, p *sessions.Pool, name string) bool {
	wanting := false
	l, _ := p.Open(context.Background(), "e", model{sum: name, size: 1},
		func() (sessions.Session, error) {
			wanting = true
			return nil, errors.New("none is open")
		})
	if l != nil {
		g.Expect(l.Close()).To(Succeed())
	}
	return !wanting
}

func TestSessionIsLentAgain(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	s := new(session)
	first := open(g, p, "a", 1, s)
	g.Expect(has(g, p, "a")).To(BeFalse())
	g.Expect(first.Lend()).To(Succeed())
	g.Expect(has(g, p, "b")).To(BeFalse(), "of the same engine and size")
	for _, other := range []struct {
		engine string
		model  model
	}{{"f", model{sum: "a", size: 1}}, {"e", model{sum: "a", size: 2}}} {
		l, err := p.Open(t.Context(), other.engine, other.model,
			func() (sessions.Session, error) { return &session{}, nil })
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(l.Session()).NotTo(BeIdenticalTo(s))
	}
	second := lent(g, p, "a") // while the first uses it
	g.Expect(second.Session()).To(BeIdenticalTo(s))
	g.Expect(first.Close()).To(Succeed())
	g.Expect(first.Close()).To(Succeed(), "twice")
	g.Expect(first.Enter()).To(BeFalse())
	g.Expect(second.Enter()).To(BeTrue())
	second.Leave()
	g.Expect(second.Lend()).To(Succeed(), "which does nothing")
	g.Expect(second.Close()).To(Succeed())
	g.Expect(lent(g, p, "a").Session()).To(BeIdenticalTo(s))
	g.Expect(s.closed.Load()).To(BeZero())
	g.Expect(p.Stats()).To(Equal(sessions.Stats{Made: 3}))
}

func TestWhatIsNotSharedIsClosedByItsOwner(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	for _, of := range []struct {
		ctx    context.Context
		engine string
		model  model
		lends  bool
	}{
		{t.Context(), "e", model{sum: "a"}, false}, {t.Context(), "", model{sum: "a"}, true},
		{t.Context(), "e", model{sum: "a", draws: true}, true},
		{passing.Context(t.Context()), "e", model{sum: "a"}, true},
	} {
		s := &session{}
		l, err := p.Open(of.ctx, of.engine, of.model,
			func() (sessions.Session, error) { return s, nil })
		g.Expect(err).NotTo(HaveOccurred())
		if of.lends {
			g.Expect(l.Lend()).To(Succeed())
		}
		g.Expect(l.Close()).To(Succeed())
		g.Expect(l.Close()).To(Succeed())
		g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
	}
	g.Expect(p.Stats()).To(Equal(sessions.Stats{Made: 4}))
}

func TestSecondSessionOfOneKeyIsItsOwners(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	a, b := &session{}, &session{}
	first, second := open(g, p, "a", 1, a), open(g, p, "a", 1, b) // two that opened at once
	g.Expect(first.Lend()).To(Succeed())
	g.Expect(second.Lend()).To(Succeed())
	second.Spoil()
	g.Expect(second.Close()).To(Succeed())
	g.Expect(b.closed.Load()).To(BeEquivalentTo(1))
	g.Expect(lent(g, p, "a").Session()).To(BeIdenticalTo(a))
}

func TestIdleSessionsAreBounded(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	var all []*session
	for i := range 9 {
		all = append(all, lend(g, p, string(rune('a'+i)), 1))
	}
	g.Expect(p.Stats()).To(Equal(sessions.Stats{Made: 9, Idle: 8}), "by number")
	g.Expect(all[0].closed.Load()).To(BeEquivalentTo(1), "the longest idle goes first")
	g.Expect(has(g, p, "a")).To(BeFalse())
	g.Expect(lent(g, p, "b").Close()).To(Succeed()) // so c is the longest idle

	const limit = 128 << 20
	lend(g, p, "large", limit-1)
	g.Expect(p.Stats().Idle).To(Equal(2), "by bytes")
	g.Expect(all[2].closed.Load()).To(BeEquivalentTo(1))
	g.Expect(all[1].closed.Load()).To(BeZero())

	s := lend(g, p, "larger", limit+1) // alone too large
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
	g.Expect(p.Stats().Idle).To(Equal(2), "the others stay")
	g.Expect(p.Empty()).To(Succeed())
	g.Expect(p.Stats().Idle).To(BeZero())
	g.Expect(all[1].closed.Load()).To(BeEquivalentTo(1))
}

func TestSpoiledSessionIsNotLent(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	s := &session{}
	l := open(g, p, "a", 1, s)
	g.Expect(l.Lend()).To(Succeed())
	other := lent(g, p, "a")
	other.Spoil()
	g.Expect(has(g, p, "a")).To(BeFalse())
	g.Expect(other.Close()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeZero(), "its maker uses it")
	g.Expect(l.Close()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
}

func TestSessionIsLentSoOften(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	s := lend(g, p, "a", 1)
	for range 256 {
		g.Expect(s.closed.Load()).To(BeZero())
		g.Expect(lent(g, p, "a").Close()).To(Succeed())
	}
	g.Expect(has(g, p, "a")).To(BeFalse())
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
}

func TestClosingDoesNotWaitForUses(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	s := &session{}
	l := open(g, p, "a", 1, s)
	g.Expect(l.Enter()).To(BeTrue())
	g.Expect(l.Close()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeZero(), "it is in use")
	l.Leave()
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
}

func TestManyUsers(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	var opened, closed atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 500 {
				l, err := p.Open(t.Context(), "e", model{sum: string(rune('a' + i%5))},
					func() (sessions.Session, error) {
						opened.Add(1)
						return &counted{closed: &closed}, nil
					})
				if err == nil {
					err = l.Lend()
				}
				if err == nil && l.Enter() {
					if i%50 == 0 {
						l.Spoil()
					}
					l.Leave()
				}
				if err := errors.Join(err, l.Close()); err != nil {
					panic(err)
				}
			}
		})
	}
	group.Wait()
	g.Expect(p.Empty()).To(Succeed())
	g.Expect(closed.Load()).To(Equal(opened.Load()))
}

// counted adds to a sum when it is closed, and panics when it is closed twice.
type counted struct {
	closed *atomic.Int32
	once   atomic.Bool
}

func (c *counted) Close() error {
	if c.once.Swap(true) {
		panic("closed twice")
	}
	c.closed.Add(1)
	return nil
}

func TestSharingCanBeTurnedOff(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	p.Off()
	lend(g, p, "a", 1)
	g.Expect(has(g, p, "a")).To(BeFalse())
}

func TestChangedEnvironmentSharesNothing(t *testing.T) {
	g, p := NewWithT(t), sessions.New()
	lend(g, p, "a", 1)
	g.Expect(has(g, p, "a")).To(BeTrue())
	t.Setenv("MODELPARITY_SESSIONS_TEST", "1")
	g.Expect(has(g, p, "a")).To(BeFalse())
}
