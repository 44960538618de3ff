//go:build wasip1 && !probe

package main

import "github.com/leanmem/leanmem/core/flow"

func wrap(c flow.Call) flow.Call { return c }
