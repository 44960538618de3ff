package write_test

import (
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/write"
)

func TestQuantitiesThatChangeHaveOneValue(t *testing.T) {
	tests := []struct{ said, want string }{
		{"My best lap time is 27:12 now!", "Ana best lap time=27:12"},
		{"My current weight is 71 kg.", "Ana weight=71 kg"},
		{"Our rent went up to 940 euros last month.", "Ana rent=940 euros"},
		{"My savings are at about $4,200", ""},
		{"My savings are now $4,200", "Ana savings=$4,200"},
		{"I have 25 stamps in my album.", "Ana stamps=25"},
		{"I now have 31 rose bushes", "Ana rose bushes=31"},
		{"I've already read twelve novels this year", "Ana novels read=twelve"},
		{"I've finished 19 crosswords so far", "Ana crosswords finished=19"},
		{"I've even managed to finish 7 scarves since I started", "Ana scarves finished=7"},
		{"I've managed to write five poems so far", "Ana poems written=five"},
		{"My walk to the office takes about 35 minutes", "Ana walk to the office=35 minutes"},
		{"That beats my top score of 180", "Ana top score=180"},
		{"That beats my previous top score of 180", ""},
		{"I'm up to 40 push-ups now", "Ana push-ups=40"},
		{"My train is at 7:15", ""},
		{"My sister is 25 now", ""},
		{"My bike is 10 years old", ""},
		{"I have 3 questions now", ""},
		{"I have two meetings now", ""},
		{"I have 20 minutes left", ""},
		{"I read two articles about it", ""},
		{"I've read two articles about it", ""},
		{"Do I have 25 stamps in my album?", ""},
		{"If my rent is 900 now, what can I do?", ""},
	}
	for _, tt := range tests {
		if got := show(write.Facts(tt.said, "Ana", time.Time{}, write.People{"Ana": true})); got != tt.want {
			t.Errorf("Facts(%q)\n got %s\nwant %s", tt.said, got, tt.want)
		}
	}
	for _, f := range write.Facts("I have 25 stamps in my album.", "Ana", time.Time{}, nil) {
		if !f.Single {
			t.Error("a number does not succeed the one before")
		}
	}
}
