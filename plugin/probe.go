//go:build wasip1 && probe

package main

import (
	"github.com/leanmem/leanmem/core/flow"
	"github.com/leanmem/leanmem/testdata/probe"
)

// wrap adds the verbs with which the host's tests break an instance. The tag
// probe is for tests alone.
func wrap(c flow.Call) flow.Call { return probe.Wrap(c) }
