package prompt

import "testing"

func TestCopiedWordsAreNoAnswer(t *testing.T) {
	same := func(segment int) Item {
		return Item{Segment: segment, Action: "ignore", Key: "occupation", Value: "a member"}
	}
	other := Item{Segment: 3, Action: "event", Key: "move", Value: "moved to Oslo"}
	ignored := Item{Segment: 9, Action: "ignore"}
	got := Copied([]Item{same(1), same(2), same(3), other, same(4), same(5), ignored, {Segment: 10, Action: "ignore"}, {Segment: 11, Action: "ignore"}, {Segment: 12, Action: "ignore"}})
	for segment, want := range map[int]bool{1: true, 2: true, 3: false, 4: true, 5: true, 9: false, 12: false} {
		if got[segment] != want {
			t.Errorf("segment %d: %v, want %v", segment, got[segment], want)
		}
	}
	if got := Copied([]Item{same(1), same(2), same(3)}); got[1] {
		t.Error("three segments may say the same")
	}
}
