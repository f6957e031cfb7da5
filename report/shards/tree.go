package shards

import (
	"reflect"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/modelparity/modelparity/internal/reportfile"
)

// tree follows the construction of Ginkgo's tree of specs and assigns each spec to a shard. The
// shard becomes a label of the spec, because the text of a spec need not be unique.
type tree struct {
	plan plan
	own  reportfile.Share

	texts []string // the texts of the containers around the current node
	// ordered is the name of the outermost Ordered container around the current node, or "". All
	// its specs run in one shard.
	ordered string
	seen    map[string]int
	units   map[string]string // the units of specs in Ordered containers, by the specs' full texts
}

// node transforms the arguments of a node; see ginkgo.AddTreeConstructionNodeArgsTransformer.
func (t *tree) node(kind types.NodeType, _ ginkgo.Offset, text string, args []any) (string, []any,
	[]error) {
	switch {
	case kind.Is(types.NodeTypeContainer):
		return text, t.container(text, args), nil
	case kind.Is(types.NodeTypeIt):
		return text, t.spec(text, args), nil
	case kind.Is(setup) && t.plan.total > 1:
		return text, before(args, t.isElsewhere), nil
	}
	return text, args, nil
}

// setup lists the kinds of nodes that run before or after each spec.
const setup = types.NodeTypeBeforeEach | types.NodeTypeJustBeforeEach | types.NodeTypeAfterEach |
	types.NodeTypeJustAfterEach | types.NodeTypeBeforeAll | types.NodeTypeAfterAll

// container keeps track of the nodes that a container's body creates.
func (t *tree) container(text string, args []any) []any {
	ordered := slices.Contains(args, any(ginkgo.Ordered))
	followed := make([]any, len(args))
	for i, arg := range args {
		followed[i] = arg
		body, ok := arg.(func())
		if !ok {
			continue
		}
		followed[i] = func() {
			t.texts = append(t.texts, text)
			outermost := ordered && t.ordered == ""
			if outermost {
				container := reportfile.Spec{ContainerHierarchyTexts: t.texts}
				t.ordered = numbered(container.FullText()+" (Ordered)", t.seen)
			}
			defer func() {
				t.texts = t.texts[:len(t.texts)-1]
				if outermost {
					t.ordered = ""
				}
			}()
			body()
		}
	}
	return followed
}

// spec labels a spec with its shard and makes other shards skip it.
func (t *tree) spec(text string, args []any) []any {
	full := reportfile.Spec{ContainerHierarchyTexts: t.texts, LeafNodeText: text}.FullText()
	unit := t.ordered
	if unit == "" {
		unit = numbered(full, t.seen)
	} else {
		t.units[full] = unit
	}
	if t.plan.total <= 1 {
		return args
	}
	owner := reportfile.Share{Index: t.plan.shardOf(unit), Total: t.plan.total}
	if owner.Index != t.own.Index {
		args = before(args, func() bool {
			if called {
				ginkgo.Skip(owner.Elsewhere())
			}
			return false
		})
	}
	return append([]any{ginkgo.Label(owner.Label())}, args...)
}

// isElsewhere reports whether a setup node, such as BeforeEach, is running for a spec of another
// shard.
func (t *tree) isElsewhere() bool {
	return slices.ContainsFunc(ginkgo.CurrentSpecReport().LeafNodeLabels, func(label string) bool {
		return called && strings.HasPrefix(label, "shard:") && label != t.own.Label()
	})
}

// before makes a node's body return early if idle returns true. Ginkgo's AroundNode decorator
// cannot do this, since it must call the body.
func before(args []any, idle func() bool) []any {
	asking := slices.Clone(args)
	for i, arg := range args {
		body := reflect.ValueOf(arg)
		if body.Kind() != reflect.Func || body.IsNil() || body.Type().NumOut() > 0 {
			continue
		}
		asking[i] = reflect.MakeFunc(body.Type(), func(in []reflect.Value) []reflect.Value {
			if idle() {
				return nil
			}
			return body.Call(in)
		}).Interface()
	}
	return asking
}
