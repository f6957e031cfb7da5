package sessions_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/sessions"
)

// session counts how often it was closed.
type session struct {
	bytes  int64
	silent bool // about its memory
	closed atomic.Int32
}

func (s *session) Close() error {
	s.closed.Add(1)
	return nil
}

func (s *session) Memory() (int64, error) {
	if s.silent {
		return 0, errors.New("it cannot tell")
	}
	return s.bytes, nil
}

func newPool() *sessions.Pool {
	return sessions.New(sessions.Limits{Sessions: 3, Bytes: 100, For: 30 * time.Second})
}

func key(model string) sessions.Key { return sessions.Key{Engine: "e", Size: 1, Model: model} }

// lend makes a session, shares it and gives it back.
func lend(g Gomega, p *sessions.Pool, model string, bytes int64) *session {
	s := &session{bytes: bytes}
	l := p.Own(s)
	l.Share(key(model), 0)
	g.Expect(l.Return()).To(Succeed())
	return s
}

func TestSessionIsLentAgain(t *testing.T) {
	g, p := NewWithT(t), newPool()
	s := &session{bytes: 1}
	first := p.Own(s)
	g.Expect(p.Knows(key("a"))).To(BeFalse())
	first.Share(key("a"), 0)
	g.Expect(p.Knows(key("b"))).To(BeTrue(), "of the same engine and size")
	g.Expect(p.Knows(sessions.Key{Engine: "f", Size: 1})).To(BeFalse())
	g.Expect(p.Knows(sessions.Key{Engine: "e", Size: 2})).To(BeFalse())
	g.Expect(p.Borrow(key("b"))).To(BeNil())
	second := p.Borrow(key("a")) // while the first uses it
	g.Expect(second.Session()).To(BeIdenticalTo(s))
	g.Expect(first.Return()).To(Succeed())
	g.Expect(first.Return()).To(Succeed(), "twice")
	g.Expect(first.Enter()).To(BeFalse())
	g.Expect(second.Enter()).To(BeTrue())
	second.Leave()
	g.Expect(second.Return()).To(Succeed())
	g.Expect(p.Borrow(key("a")).Session()).To(BeIdenticalTo(s))
	g.Expect(s.closed.Load()).To(BeZero())
	g.Expect(p.Stats()).To(Equal(sessions.Stats{Made: 1, Lent: 2}))
}

func TestWhatIsNotSharedIsClosedByItsOwner(t *testing.T) {
	g, p := NewWithT(t), newPool()
	s := &session{}
	l := p.Own(s)
	g.Expect(l.Return()).To(Succeed())
	g.Expect(l.Return()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
	g.Expect(p.Stats()).To(Equal(sessions.Stats{Made: 1}))
}

func TestSecondSessionOfOneKeyIsItsOwners(t *testing.T) {
	g, p := NewWithT(t), newPool()
	a, b := &session{}, &session{}
	first, second := p.Own(a), p.Own(b) // two that opened at once
	first.Share(key("a"), 0)
	second.Share(key("a"), 0)
	second.Spoil()
	g.Expect(second.Return()).To(Succeed())
	g.Expect(b.closed.Load()).To(BeEquivalentTo(1))
	g.Expect(p.Borrow(key("a")).Session()).To(BeIdenticalTo(a))
}

func TestIdleSessionsAreBounded(t *testing.T) {
	g, p := NewWithT(t), newPool()
	var all []*session
	for _, name := range []string{"a", "b", "c", "d"} {
		all = append(all, lend(g, p, name, 10))
	}
	g.Expect(p.Stats()).To(Equal(sessions.Stats{Made: 4, Idle: 3, IdleBytes: 30}), "by number")
	g.Expect(all[0].closed.Load()).To(BeEquivalentTo(1), "the longest idle goes first")
	g.Expect(p.Borrow(key("a"))).To(BeNil())
	g.Expect(p.Borrow(key("b")).Return()).To(Succeed()) // so c is the longest idle

	lend(g, p, "e", 85)
	g.Expect(p.Stats()).To(Equal(sessions.Stats{Made: 5, Lent: 1, Idle: 2, IdleBytes: 95}), "by bytes")
	g.Expect(all[2].closed.Load() + all[3].closed.Load()).To(BeEquivalentTo(2))
	g.Expect(all[1].closed.Load()).To(BeZero())

	s := lend(g, p, "f", 101) // alone too large
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
	g.Expect(p.Stats().Idle).To(Equal(2), "the others stay")
	g.Expect(p.Empty()).To(Succeed())
	g.Expect(p.Stats().Idle).To(BeZero())
	g.Expect(all[1].closed.Load()).To(BeEquivalentTo(1))
}

func TestSessionOfUnknownMemoryIsNotKept(t *testing.T) {
	g, p := NewWithT(t), newPool()
	s := &session{silent: true}
	l := p.Own(s)
	l.Share(key("a"), 0)
	other := p.Borrow(key("a"))
	g.Expect(l.Return()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeZero(), "it is in use")
	g.Expect(other.Return()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
	g.Expect(p.Borrow(key("a"))).To(BeNil())
}

func TestSpoiledSessionIsNotLent(t *testing.T) {
	g, p := NewWithT(t), newPool()
	s := &session{}
	l := p.Own(s)
	l.Share(key("a"), 0)
	other := p.Borrow(key("a"))
	other.Spoil()
	g.Expect(p.Borrow(key("a"))).To(BeNil())
	g.Expect(other.Return()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeZero(), "its maker uses it")
	g.Expect(l.Return()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
}

func TestSessionIsLentSoOften(t *testing.T) {
	g, p := NewWithT(t), newPool()
	s := &session{}
	l := p.Own(s)
	l.Share(key("a"), 2)
	g.Expect(l.Return()).To(Succeed())
	for range 2 {
		g.Expect(s.closed.Load()).To(BeZero())
		g.Expect(p.Borrow(key("a")).Return()).To(Succeed())
	}
	g.Expect(p.Borrow(key("a"))).To(BeNil())
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
}

func TestIdleSessionsAreClosedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, p := NewWithT(t), newPool()
		a := lend(g, p, "a", 1)
		time.Sleep(20 * time.Second)
		b := lend(g, p, "b", 1)
		time.Sleep(11 * time.Second)
		g.Expect(a.closed.Load()).To(BeEquivalentTo(1))
		g.Expect(b.closed.Load()).To(BeZero())
		used := p.Borrow(key("b"))
		time.Sleep(time.Minute)
		g.Expect(b.closed.Load()).To(BeZero(), "it is in use")
		g.Expect(used.Return()).To(Succeed())
		time.Sleep(31 * time.Second)
		g.Expect(b.closed.Load()).To(BeEquivalentTo(1))
		g.Expect(p.Stats().Idle).To(BeZero())
	})
}

func TestReturnWaitsForUses(t *testing.T) {
	g, p := NewWithT(t), newPool()
	s := &session{}
	l := p.Own(s)
	g.Expect(l.Enter()).To(BeTrue())
	var left atomic.Bool
	returned := make(chan bool, 1)
	go func() {
		err := l.Return()
		returned <- err == nil && left.Load()
	}()
	time.Sleep(20 * time.Millisecond)
	left.Store(true)
	l.Leave()
	g.Expect(<-returned).To(BeTrue(), "after the use")
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
}

func TestManyUsers(t *testing.T) {
	g, p := NewWithT(t), newPool()
	var opened, closed atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 500 {
				k := key(string(rune('a' + i%5)))
				l := p.Borrow(k)
				if l == nil {
					opened.Add(1)
					l = p.Own(&counted{closed: &closed})
					l.Share(k, 7)
				}
				if l.Enter() {
					if i%50 == 0 {
						l.Spoil()
					}
					l.Leave()
				}
				if err := l.Return(); err != nil {
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

func (c *counted) Memory() (int64, error) { return 20, nil }

func TestVariable(t *testing.T) {
	g, p := NewWithT(t), newPool()
	for _, c := range []struct {
		value   string
		allowed bool
	}{{"", true}, {"0", false}, {"64M", true}} {
		t.Setenv(sessions.Variable, c.value)
		allowed, err := p.Allowed()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(allowed).To(Equal(c.allowed), c.value)
	}
	t.Setenv(sessions.Variable, "much")
	_, err := p.Allowed()
	g.Expect(err).To(MatchError("MODELPARITY_SESSION_MEMORY=much: expected a number of bytes, with " +
		"K, M or G, or 0 to turn sharing off"))
	t.Setenv(sessions.Variable, "5")
	_, err = p.Allowed()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(lend(g, p, "a", 6).closed.Load()).To(BeEquivalentTo(1), "the limit is 5 bytes")
	p.Off()
	g.Expect(p.Allowed()).To(BeFalse())
}

func TestEnvironment(t *testing.T) {
	g := NewWithT(t)
	before := sessions.Environment()
	g.Expect(sessions.Environment()).To(Equal(before))
	t.Setenv("MODELPARITY_SESSIONS_TEST", "1")
	g.Expect(sessions.Environment()).NotTo(Equal(before))
}

func TestDroppingDoesNotWaitForUses(t *testing.T) {
	g, p := NewWithT(t), newPool()
	s := &session{}
	l := p.Own(s)
	g.Expect(l.Enter()).To(BeTrue())
	g.Expect(l.Enter()).To(BeTrue())
	g.Expect(l.Drop()).To(Succeed())
	g.Expect(l.Enter()).To(BeFalse(), "no further use")
	l.Leave()
	g.Expect(s.closed.Load()).To(BeZero(), "it is in use")
	l.Leave()
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1), "with the last use")
	g.Expect(l.Drop()).To(Succeed())
	g.Expect(l.Return()).To(Succeed())
	g.Expect(s.closed.Load()).To(BeEquivalentTo(1))

	unused := &session{}
	g.Expect(p.Own(unused).Drop()).To(Succeed())
	g.Expect(unused.closed.Load()).To(BeEquivalentTo(1), "at once")
}

func TestDroppedAmongManyUses(t *testing.T) {
	g, p := NewWithT(t), newPool()
	for range 300 {
		s := &session{}
		l := p.Own(s)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for l.Enter() {
					l.Leave()
				}
			})
		}
		g.Expect(l.Drop()).To(Succeed())
		group.Wait()
		g.Expect(s.closed.Load()).To(BeEquivalentTo(1))
	}
}
