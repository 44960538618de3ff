package mem

import "slices"

// Sort orders a list, keeping equal values as they stand. It sorts pointers:
// swaps move a word each, and one copy of the sort in the plugin serves every
// type (a copy for each takes 4 KB of it, compressed).
func Sort[T any](list []T, order func(a, b *T) int) {
	own := slices.Clone(list)
	at := make([]*T, len(own))
	for i := range own {
		at[i] = &own[i]
	}
	slices.SortStableFunc(at, order)
	for i, p := range at {
		list[i] = *p
	}
}
