package host

import (
	"context"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/flow"
)

// native is the core compiled into this program, behind the same steps as the
// plugin.
type native struct{ table *flow.Table }

func newNative(call flow.Call) *native {
	return &native{flow.NewTable(call, flow.Options{ABI: core.ABI})}
}

// nativeCall is one engine, wired as plugin/wiring.go wires the plugin's.
func nativeCall(cacheBytes int) flow.Call {
	return core.NewEngine(cacheBytes, strategies()...).Call
}

func (n *native) Begin(ctx context.Context, e effect.Envelope) (effect.Envelope, error) {
	return n.table.Begin(ctx, e)
}

func (n *native) Resume(_ context.Context, e effect.Envelope) (effect.Envelope, error) {
	return n.table.Resume(e)
}

func (n *native) Cancel(_ context.Context, e effect.Envelope) (effect.Envelope, error) {
	return n.table.Cancel(e)
}

// Size is 0: the native engines share this program's collected memory, so none
// is ever recycled.
func (n *native) Size() int64 { return 0 }

func (n *native) Close(context.Context) error {
	n.table.Close()
	return nil
}
