package read

import "github.com/leanmem/leanmem/core/bank"

// Snapshot is the bank at one version, as this room reads it.
type Snapshot = *bank.Snapshot
