//go:build wasip1 && !step

package main

import (
	"context"

	pdk "github.com/extism/go-pdk"

	"github.com/leanmem/leanmem/core/effect"
)

// The host functions take the offset of a request in wire form and return the
// offset of its reply.

//go:wasmimport extism:host/user llm_complete
func hostComplete(uint64) uint64

//go:wasmimport extism:host/user embed
func hostEmbed(uint64) uint64

//go:wasmimport extism:host/user tag
func hostTag(uint64) uint64

//go:wasmimport extism:host/user store_get
func hostGet(uint64) uint64

//go:wasmimport extism:host/user store_scan
func hostScan(uint64) uint64

//go:wasmimport extism:host/user store_commit
func hostCommit(uint64) uint64

//go:wasmimport extism:host/user store_banks
func hostBanks(uint64) uint64

//go:wasmimport extism:host/user progress
func hostProgress(uint64) uint64

// hostPort performs effects through the host functions, one after another.
type hostPort struct{}

// Do implements effect.Port.
func (hostPort) Do(_ context.Context, requests []effect.Request) ([]effect.Reply, error) {
	replies := make([]effect.Reply, len(requests))
	for i, r := range requests {
		reply, err := ask(r)
		if err != nil {
			return nil, err
		}
		if reply.Err != nil && reply.Err.Code == effect.Canceled {
			return nil, reply.Err
		}
		replies[i] = reply
	}
	return replies, nil
}

func ask(r effect.Request) (effect.Reply, error) {
	message, err := effect.EncodeRequest(r)
	if err != nil {
		return effect.Reply{}, err
	}
	arg := pdk.AllocateBytes(message)
	at := host(r.Op, arg.Offset())
	arg.Free()
	if at == 0 {
		return effect.Reply{Err: effect.Errorf(effect.Internal, "%s: the host function returned no reply", r.Op)}, nil
	}
	// The blocks of a call are freed as they are read: a long call would
	// otherwise pile up all that it moved.
	result := pdk.FindMemory(at)
	b := result.ReadBytes()
	result.Free()
	reply, err := effect.DecodeReply(b)
	if err != nil {
		return effect.Reply{Err: effect.AsError(err)}, nil
	}
	return reply, nil
}

func host(op effect.Op, at uint64) uint64 {
	switch op {
	case effect.OpComplete:
		return hostComplete(at)
	case effect.OpEmbed:
		return hostEmbed(at)
	case effect.OpTag:
		return hostTag(at)
	case effect.OpGet:
		return hostGet(at)
	case effect.OpScan:
		return hostScan(at)
	case effect.OpCommit:
		return hostCommit(at)
	case effect.OpBanks:
		return hostBanks(at)
	case effect.OpProgress:
		return hostProgress(at)
	}
	return 0
}
