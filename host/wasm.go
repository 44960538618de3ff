package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/leanmem/leanmem/core/effect"
)

// wasm is one instance of the plugin.
type wasm struct {
	module api.Module
	kernel *kernel
	steps  map[string]api.Function
	direct *direct // nil: messages go through the kernel
}

// instance starts the guest's runtime.
func (m *machine) instance(ctx context.Context) (instance, error) {
	w := &wasm{kernel: &kernel{}, steps: map[string]api.Function{}}
	w.kernel.begin(nil)
	// The module outlives the call for which it is made.
	ctx = &frame{context.WithoutCancel(ctx), w.kernel}
	var err error
	if w.module, err = m.runtime.InstantiateModule(ctx, m.module, m.config); err != nil {
		return nil, effect.Retryf(effect.Internal, "start instance: %s", cause(err))
	}
	for _, name := range stepNames {
		w.steps[name] = w.module.ExportedFunction(name)
	}
	w.direct = directOf(w.module)
	return w, nil
}

func (w *wasm) Begin(ctx context.Context, e effect.Envelope) (effect.Envelope, error) {
	return w.advance(ctx, "begin", e)
}

func (w *wasm) Resume(ctx context.Context, e effect.Envelope) (effect.Envelope, error) {
	return w.advance(ctx, "resume", e)
}

func (w *wasm) Cancel(ctx context.Context, e effect.Envelope) (effect.Envelope, error) {
	return w.step(ctx, "cancel", e)
}

func (w *wasm) Size() int64 { return int64(w.module.Memory().Size()) }

func (w *wasm) Close(ctx context.Context) error { return w.module.Close(ctx) }

// advance is a step that must lead somewhere.
func (w *wasm) advance(ctx context.Context, step string, e effect.Envelope) (effect.Envelope, error) {
	answer, err := w.step(ctx, step, e)
	if err == nil && len(answer.Want) == 0 && answer.Done == nil {
		return effect.Envelope{}, lost(step, errors.New("the plugin neither wants anything nor is done"))
	}
	return answer, err
}

func (w *wasm) step(ctx context.Context, step string, e effect.Envelope) (effect.Envelope, error) {
	message, err := effect.EncodeEnvelope(e)
	if err != nil {
		return effect.Envelope{}, err
	}
	output, err := w.send(ctx, step, message)
	if err != nil {
		return effect.Envelope{}, err
	}
	answer, err := effect.DecodeEnvelope(output)
	if err != nil {
		return effect.Envelope{}, lost(step, err)
	}
	return answer, nil
}

// send performs a step of the plugin's on a message.
func (w *wasm) send(ctx context.Context, step string, message []byte) ([]byte, error) {
	if len(message) > effect.MaxMessage {
		return nil, effect.Errorf(effect.TooLarge, "%s: a message of %d bytes, the limit is %d", step, len(message), effect.MaxMessage)
	}
	through := w.throughKernel
	if w.direct != nil {
		through = w.direct.send
	}
	output, isError, err := through(&frame{ctx, w.kernel}, step, message)
	switch {
	case err != nil:
		return nil, lost(step, err)
	case isError:
		return nil, failed(step, output)
	}
	return output, nil
}

// throughKernel calls the export of a step, as any Extism host does.
func (w *wasm) throughKernel(ctx context.Context, step string, message []byte) (output []byte, isError bool, err error) {
	w.kernel.begin(message)
	results, err := w.steps[step].Call(ctx)
	output, failure := w.kernel.output, w.kernel.err
	w.kernel.input, w.kernel.output = nil, nil // an idle instance keeps no data here
	switch {
	case err != nil:
		return nil, false, err
	case len(results) != 1 || results[0] != 0 || failure != nil:
		return failure, true, nil
	}
	return output, false, nil
}

// failed reads the error that the plugin set.
func failed(step string, set []byte) error {
	var e effect.Error
	if err := json.Unmarshal(set, &e); err != nil || e.Code == "" {
		return lost(step, errors.New("the plugin failed without a coded error"))
	}
	return &e
}

// cause is an error without the guest's stack, which wazero appends.
func cause(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
