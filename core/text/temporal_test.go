package text

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// wednesday is the date of most cases: 2021-03-10, a Wednesday.
var wednesday = time.Date(2021, 3, 10, 15, 0, 0, 0, time.UTC)

func show(refs []TimeRef) string {
	var out []string
	for _, r := range refs {
		d := r.From
		if r.To != r.From {
			d += ".." + r.To
		}
		out = append(out, fmt.Sprintf("%s=%s", r.Phrase, d))
	}
	return strings.Join(out, " | ")
}

func TestTemporal(t *testing.T) {
	cases := []struct{ in, want string }{
		// Days.
		{"I saw it today, and yesterday.", "today=2021-03-10 | yesterday=2021-03-09"},
		{"See you tomorrow morning or tonight", "tomorrow morning=2021-03-11 | tonight=2021-03-10"},
		{"Last night was fun", "Last night=2021-03-09"},
		{"this morning I ran", "this morning=2021-03-10"},
		{"the day before yesterday", "the day before yesterday=2021-03-08"},
		{"the other day we talked", "the other day=2021-03-03..2021-03-09"},
		// Weekdays.
		{"I moved last Friday", "last Friday=2021-03-05"},
		{"last Wednesday we met", "last Wednesday=2021-03-03"},
		{"We met on Monday", "Monday=2021-03-08"},
		{"I will call you on Friday", "Friday=2021-03-12"},
		{"next Friday", "next Friday=2021-03-19"},
		{"this Saturday", "this Saturday=2021-03-13"},
		{"Friday of last week", "Friday of last week=2021-03-05"},
		{"two Fridays ago", "two Fridays ago=2021-02-26"},
		{"I sat in the sun and wed", ""},
		{"every Friday and on Sundays, each summer", ""},
		// Weeks, weekends, months, years.
		{"last week", "last week=2021-03-01..2021-03-07"},
		{"next week", "next week=2021-03-15..2021-03-21"},
		{"last weekend", "last weekend=2021-03-06..2021-03-07"},
		{"this weekend", "this weekend=2021-03-13..2021-03-14"},
		{"We tried it this weekend", "this weekend=2021-03-06..2021-03-07"},
		{"The Friday before 23January, 2022", "The Friday before 23January, 2022=2022-01-21"},
		{"Any plans for the weekend?", "for the weekend=2021-03-13..2021-03-14"},
		{"Seven years now, and I'm fine", "Seven years=2014-03-10..2021-03-10"},
		{"(2023年", "2023年=2023-01-01..2023-12-31"},
		{"over the weekend we hiked", "over the weekend=2021-03-06..2021-03-07"},
		{"the week before", "the week before=2021-03-01..2021-03-07"},
		{"the week before last", "the week before last=2021-02-22..2021-02-28"},
		{"last month and this year", "last month=2021-02-01..2021-02-28 | this year=2021-01-01..2021-12-31"},
		{"last year", "last year=2020-01-01..2020-12-31"},
		{"last summer", "last summer=2020-06-01..2020-08-31"},
		{"this winter", "this winter=2020-12-01..2021-02-28"},
		{"next summer", "next summer=2021-06-01..2021-08-31"},
		{"last May", "last May=2020-05-01..2020-05-31"},
		{"the past few months", "the past few months=2020-10-10..2021-03-10"},
		{"in the last two weeks", "the last two weeks=2021-02-24..2021-03-10"},
		{"this past weekend", "this past weekend=2021-03-06..2021-03-07"},
		// What one clause says of its time says nothing of the next one's.
		{"I finally signed the lease: I'm moving to Ulm on the 14th of May", "the 14th of May=2021-05-14"},
		{"I mixed up the dates, we fly on June 8th", "June 8th=2021-06-08"},
		{"I quit, and I start at the bakery on 3 May", "3 May=2021-05-03"},
		{"We went there in May, and we loved it", "May=2020-05-01..2020-05-31"},
		{"I booked a trip to Lisbon in May", "May=2021-05-01..2021-05-31"},
		{"from the 8th to the 15th of May", "the 8th to the 15th of May=2021-05-08..2021-05-15"},
		{"May 8th until the 15th", "May 8th until the 15th=2021-05-08..2021-05-15"},
		// Counted.
		{"a week ago", "a week ago=2021-03-01..2021-03-07"},
		{"two weeks ago", "two weeks ago=2021-02-22..2021-02-28"},
		{"3 days ago", "3 days ago=2021-03-07"},
		{"a few days ago", "a few days ago=2021-03-05..2021-03-08"},
		{"a couple of months ago", "a couple of months ago=2020-12-01..2021-01-31"},
		{"10 years ago", "10 years ago=2011-01-01..2011-12-31"},
		{"20 hours ago", "20 hours ago=2021-03-09"},
		{"five minutes ago", "five minutes ago=2021-03-10"},
		{"We leave in two weeks", "in two weeks=2021-03-22..2021-03-28"},
		{"I finished it in two weeks", ""},
		{"3 days from now", "3 days from now=2021-03-13"},
		{"I have lived here for 4 years", "for 4 years=2017-03-10..2021-03-10"},
		{"We'll stay for a week", ""},
		{"She's worked there since 2016", "since 2016=2016-01-01..2021-03-10"},
		{"since last May", "since last May=2020-05-01..2021-03-10"},
		// Absolute.
		{"on May 7, 2023 and 7 May 2023", "May 7, 2023=2023-05-07 | 7 May 2023=2023-05-07"},
		{"the 7th of May, 2023", "the 7th of May, 2023=2023-05-07"},
		{"in May 2022", "May 2022=2022-05-01..2022-05-31"},
		{"We met in May", "May=2020-05-01..2020-05-31"},
		{"We will meet in May", "May=2021-05-01..2021-05-31"},
		{"Born on Jan. 5th", "Jan. 5th=2021-01-05"},
		{"May I march? June said so, an august lady", ""},
		{"January was cold", "January=2021-01-01..2021-01-31"},
		{"5/7/2023, 25/8/2023, 2023-05-07T13:00, 2023/5/7", "5/7/2023=2023-05-07 | 25/8/2023=2023-08-25 | 2023-05-07T=2023-05-07 | 2023/5/7=2023-05-07"},
		{"from 2015 to 2018", "2015 to 2018=2015-01-01..2018-12-31"},
		{"back in 2016", "2016=2016-01-01..2016-12-31"},
		{"of 2000 steps, 2016 people", ""},
		{"May 5-7, 2023", "May 5-7, 2023=2023-05-05..2023-05-07"},
		{"summer of 2022", "summer of 2022=2022-06-01..2022-08-31"},
		{"in the 90s and the 1980s", "the 90s=1990-01-01..1999-12-31 | the 1980s=1980-01-01..1989-12-31"},
		{"a man in his 20s", ""},
		{"the first weekend of August 2023", "the first weekend of August 2023=2023-08-05..2023-08-06"},
		{"last week of August 2023", "last week of August 2023=2023-08-25..2023-08-31"},
		{"early May 2023", "early May 2023=2023-05-01..2023-05-10"},
		{"the end of 2022", "the end of 2022=2022-09-02..2022-12-31"},
		// Beside a date.
		{"The sunday before 25 May 2023", "The sunday before 25 May 2023=2023-05-21"},
		{"the week before 9 June 2023", "the week before 9 June 2023=2023-06-02..2023-06-08"},
		{"the weekend before 17 July 2023", "the weekend before 17 July 2023=2023-07-15..2023-07-16"},
		{"two weeks before 9 June 2023", "two weeks before 9 June 2023=2023-05-22..2023-05-28"},
		{"the week of 23 January 2023", "the week of 23 January 2023=2023-01-23..2023-01-29"},
		{"the day after Christmas 2020", "the day after Christmas 2020=2020-12-26"},
		// Holidays.
		{"at Christmas we skied", "Christmas=2020-12-25"},
		{"a Christmas tree", ""},
		{"on New Year's Eve 2020", "New Year's Eve 2020=2020-12-31"},
		{"July 4th, 2020", "July 4th, 2020=2020-07-04"},
		{"on Mother's Day 2020 and Valentines Day 2020", "Mother's Day 2020=2020-05-10 | Valentines Day 2020=2020-02-14"},
		{"last Halloween", "last Halloween=2020-10-31"},
		{"Thanksgiving 2020 and Easter 2021", "Thanksgiving 2020=2020-11-26 | Easter 2021=2021-04-04"},
		// Other languages.
		{"昨天我去了公园,上周五也去了。", "昨天=2021-03-09 | 上周五=2021-03-05"},
		{"2023年5月7日和去年5月", "2023年5月7日=2023-05-07 | 去年5月=2020-05-01..2020-05-31"},
		{"三天前,两周前,几年前", "三天前=2021-03-07 | 两周前=2021-02-22..2021-02-28 | 几年前=2016-01-01..2019-12-31"},
		{"先週の金曜日に映画を見た。来月も。", "先週の金曜日=2021-03-05 | 来月=2021-04-01..2021-04-30"},
		{"어제 친구를 만났어요", "어제=2021-03-09"},
		{"Ayer fui al cine con mi hermano, y hace dos semanas también.", "Ayer=2021-03-09 | hace dos semanas=2021-02-22..2021-02-28"},
		{"El viernes pasado, el 5 de mayo de 2020", "El viernes pasado=2021-03-05 | 5 de mayo de 2020=2020-05-05"},
		{"La semaine dernière je suis allé avec elle, il y a 3 jours", "La semaine dernière=2021-03-01..2021-03-07 | il y a 3 jours=2021-03-07"},
		{"Gestern war ich im Kino, vor zwei Jahren auch, am 5. Mai 2020.", "Gestern=2021-03-09 | vor zwei Jahren=2019-01-01..2019-12-31 | 5. Mai 2020=2020-05-05"},
		{"Guten Morgen, wir sind hier", ""},
		{"I read it at 5:30 and 6 am", ""},
	}
	for _, c := range cases {
		if got := show(Temporal(c.in, wednesday)); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestTemporalUsesTheLocalDate(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 30, 0, 0, time.FixedZone("", 9*3600))
	if got := show(Temporal("signed it today", at)); got != "today=2024-01-01" {
		t.Error(got)
	}
	if got := show(Temporal("an hour ago", at)); got != "an hour ago=2023-12-31" {
		t.Error(got)
	}
}

func TestTemporalWithoutADateFindsAbsoluteTimes(t *testing.T) {
	if got := show(Temporal("last week, 7 May 2023, in May", time.Time{})); got != "7 May 2023=2023-05-07 | May=--05-01..--05-31" {
		t.Error(got)
	}
}

func TestTemporalSaysWhatIsRelative(t *testing.T) {
	for in, want := range map[string]bool{"yesterday": true, "in May": true, "7 May 2023": false, "since 2016": false, "since last year": true} {
		refs := Temporal(in, wednesday)
		if len(refs) != 1 || refs[0].Relative != want {
			t.Errorf("%q: %+v", in, refs)
		}
	}
}

func TestQueryTimes(t *testing.T) {
	for in, want := range map[string]string{
		"What did Ana do in May?":             "May=--05-01..--05-31",
		"Where was Bo on May 7?":              "May 7=--05-07",
		"What happened last week?":            "last week=2021-03-01..2021-03-07",
		"Who won in June 2023?":               "June 2023=2023-06-01..2023-06-30",
		"What did he do at Christmas?":        "Christmas=--12-25",
		"Where did they go in the winter?":    "the winter=--12-01..--02-28",
		"5月に何をしましたか":                          "5月=--05-01..--05-31",
		"What did she do on 3 July, 2023?":    "3 July, 2023=2023-07-03",
		"Which events were in early October?": "early October=--10-01..--10-10",
	} {
		if got := show(QueryTimes(in, wednesday)); got != want {
			t.Errorf("%q\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestResolveIn(t *testing.T) {
	first, last := "2021-11-20", "2023-05-03"
	for _, c := range []struct{ in, want string }{
		{"in May", "May=2022-05-01..2022-05-31 | May=2023-05-01..2023-05-31"},
		{"in December", "December=2021-12-01..2021-12-31 | December=2022-12-01..2022-12-31"},
		{"in the winter", "the winter=2021-12-01..2022-02-28 | the winter=2022-12-01..2023-02-28"},
		{"in May 2020", "May 2020=2020-05-01..2020-05-31"},
	} {
		refs := QueryTimes(c.in, wednesday)
		if len(refs) != 1 {
			t.Fatalf("%q: %v", c.in, refs)
		}
		if got := show(ResolveIn(refs[0], first, last)); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func FuzzTemporal(f *testing.F) {
	for _, s := range []string{"I moved last Friday", "the week before 9 June 2023", "May 5-7, '22", "2023年5月7日 三天前", "hace dos semanas y", "for 4 years since 2016", "the last week of", "on the 31st", "Feb 29", "5/7/2023", "'s 's the the since since"} {
		f.Add(s, int64(1615388400))
	}
	f.Fuzz(func(t *testing.T, s string, unix int64) {
		at := time.Unix(unix%(1<<36), 0).In(time.FixedZone("", int(unix%50000)))
		for _, find := range []func(string, time.Time) []TimeRef{Temporal, QueryTimes} {
			last := 0
			for _, r := range find(s, at) {
				if r.Start < last || r.End <= r.Start || r.End > len(s) || r.Phrase != s[r.Start:r.End] {
					t.Fatalf("%+v after %d in %q", r, last, s)
				}
				last = r.End
				if r.Grain == "" || r.From == "" || r.To == "" || !r.Open() && len(r.From) == 10 && len(r.To) == 10 && r.From > r.To {
					t.Fatalf("%+v in %q", r, s)
				}
				ResolveIn(r, "2020-01-01", "2023-12-31")
			}
		}
	})
}

func BenchmarkTemporal(b *testing.B) {
	b.SetBytes(int64(len(turn)))
	for b.Loop() {
		Temporal(turn, wednesday)
	}
}
