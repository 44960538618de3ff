package text

import (
	"strings"
	"time"
)

// language is what the function words of a text vote for; it selects the
// small tables below. English is always tried too.
type language uint8

const (
	english language = iota
	spanish
	french
	german
	languages
)

// languageOf returns the language that a folded function word votes for.
func languageOf(w string) language {
	switch l := listed[w]; {
	case l&spanishWords != 0:
		return spanish
	case l&frenchWords != 0:
		return french
	case l&germanWords != 0:
		return german
	}
	return english
}

// foreignPhrase is an expression that lies way units from today.
type foreignPhrase struct {
	lang  language
	words string // folded, parted by a space
	way   int
	unit  unit
}

var foreignPhrases = [...]foreignPhrase{
	{spanish, "hoy", 0, days}, {spanish, "esta noche", 0, days}, {spanish, "ayer", -1, days}, {spanish, "anoche", -1, days},
	{spanish, "antes de ayer", -2, days}, {spanish, "anteayer", -2, days}, {spanish, "pasado manana", 2, days}, {spanish, "manana", 1, days},
	{spanish, "la semana pasada", -1, weeks}, {spanish, "esta semana", 0, weeks}, {spanish, "la proxima semana", 1, weeks}, {spanish, "la semana que viene", 1, weeks},
	{spanish, "el fin de semana pasado", -1, weekends}, {spanish, "este fin de semana", 0, weekends}, {spanish, "el proximo fin de semana", 1, weekends},
	{spanish, "el mes pasado", -1, months}, {spanish, "este mes", 0, months}, {spanish, "el proximo mes", 1, months}, {spanish, "el mes que viene", 1, months},
	{spanish, "el ano pasado", -1, years}, {spanish, "este ano", 0, years}, {spanish, "el proximo ano", 1, years}, {spanish, "el ano que viene", 1, years},
	{french, "aujourd'hui", 0, days}, {french, "aujourd 'hui", 0, days}, {french, "ce soir", 0, days}, {french, "ce matin", 0, days}, {french, "avant - hier", -2, days}, {french, "hier", -1, days},
	{french, "apres - demain", 2, days}, {french, "demain", 1, days},
	{french, "la semaine derniere", -1, weeks}, {french, "cette semaine", 0, weeks}, {french, "la semaine prochaine", 1, weeks},
	{french, "le week - end dernier", -1, weekends}, {french, "ce week - end", 0, weekends}, {french, "le week - end prochain", 1, weekends},
	{french, "le mois dernier", -1, months}, {french, "ce mois - ci", 0, months}, {french, "le mois prochain", 1, months},
	{french, "l 'annee derniere", -1, years}, {french, "l 'an dernier", -1, years}, {french, "cette annee", 0, years}, {french, "l 'annee prochaine", 1, years},
	{german, "heute", 0, days}, {german, "vorgestern", -2, days}, {german, "gestern", -1, days}, {german, "ubermorgen", 2, days}, {german, "morgen", 1, days},
	{german, "letzte woche", -1, weeks}, {german, "diese woche", 0, weeks}, {german, "nachste woche", 1, weeks},
	{german, "letztes wochenende", -1, weekends}, {german, "dieses wochenende", 0, weekends}, {german, "nachstes wochenende", 1, weekends},
	{german, "letzten monat", -1, months}, {german, "diesen monat", 0, months}, {german, "nachsten monat", 1, months},
	{german, "letztes jahr", -1, years}, {german, "dieses jahr", 0, years}, {german, "nachstes jahr", 1, years},
}

// matchForeign resolves expressions of the language of the text.
func (m *matcher) matchForeign(i int) (interval, int) {
	for _, p := range foreignPhrases {
		if p.lang != m.lang {
			continue
		}
		if n := m.phrase(i, p.words); n > 0 && !m.wordOfMorning(i) {
			return shifted(m.today, p.way, p.way, p.unit), n
		}
	}
	if v, n := m.foreignCounted(i); n > 0 {
		return v, n
	}
	return m.foreignWeekday(i)
}

func (m *matcher) phrase(i int, words string) int {
	n := 0
	for words != "" {
		w, rest, _ := strings.Cut(words, " ")
		if m.word(i+n) != w {
			return 0
		}
		n, words = n+1, rest
	}
	return n
}

// wordOfMorning reports that manana or Morgen is a time of day.
func (m *matcher) wordOfMorning(i int) bool {
	switch m.word(i) {
	case "manana":
		return m.is(i-1, "la") || m.is(i-1, "de") || m.is(i-1, "esta")
	case "morgen":
		return m.capital(i) && i > 0 || m.is(i-1, "guten") || m.is(i-1, "am")
	}
	return false
}

// foreignCounted resolves "hace dos semanas", "il y a 3 jours", "vor einem
// Jahr", "in zwei Wochen".
func (m *matcher) foreignCounted(i int) (interval, int) {
	way, j := -1, i+1
	switch {
	case m.lang == spanish && m.is(i, "hace"), m.lang == german && m.is(i, "vor"):
	case m.lang == french && m.is(i, "il", "y", "a"):
		j = i + 3
	case m.lang == spanish && m.is(i, "dentro", "de"):
		way, j = 1, i+2
	case m.lang == french && m.is(i, "dans"), m.lang == german && m.is(i, "in"):
		way = 1
	default:
		return interval{}, 0
	}
	n, ok := m.number(j, "")
	if !ok {
		n = foreignNumber(m.word(j))
	}
	u := foreignUnit(m.word(j + 1))
	if n <= 0 || n >= 1000 || u == noUnit {
		return interval{}, 0
	}
	return m.ago(way*n, way*n, u), j - i + 2
}

func foreignNumber(w string) int {
	switch w {
	case "un", "una", "une", "ein", "eine", "einem", "einer":
		return 1
	case "dos", "deux", "zwei":
		return 2
	case "tres", "trois", "drei":
		return 3
	case "cuatro", "quatre", "vier":
		return 4
	case "cinco", "cinq", "funf":
		return 5
	case "seis", "six", "sechs":
		return 6
	case "diez", "dix", "zehn":
		return 10
	}
	return 0
}

func foreignUnit(w string) unit {
	switch w {
	case "dia", "dias", "jour", "jours", "tag", "tage", "tagen":
		return days
	case "semana", "semanas", "semaine", "semaines", "woche", "wochen":
		return weeks
	case "mes", "meses", "mois", "monat", "monate", "monaten":
		return months
	case "ano", "anos", "an", "ans", "annee", "annees", "jahr", "jahre", "jahren":
		return years
	}
	return noUnit
}

// foreignWeekday resolves a weekday, with "pasado", "dernier", "letzten" the
// last one, with "próximo", "prochain", "nächsten" the one of next week.
func (m *matcher) foreignWeekday(i int) (interval, int) {
	j, way := i, 0
	switch m.word(i) {
	case "letzten", "letzter", "letzte":
		j, way = i+1, -1
	case "nachsten":
		j, way = i+1, 1
	case "el", "le":
		j = i + 1
		if m.is(j, "proximo") || m.is(j, "pasado") {
			if way = -1; m.is(j, "proximo") {
				way = 1
			}
			j++
		}
	}
	wd := foreignDay(m.lang, m.word(j))
	if wd < 0 {
		return interval{}, 0
	}
	n := j - i + 1
	switch m.word(j + 1) {
	case "pasado", "dernier":
		way, n = -1, n+1
	case "proximo", "prochain":
		way, n = 1, n+1
	}
	d := time.Weekday(wd)
	switch {
	case way > 0:
		return m.relative(day(inWeek(addDays(m.today, 7), d))), n
	case way == 0 && m.tense(i) == future:
		return m.relative(day(after(m.today, d))), n
	case way == 0 && m.today.Weekday() == d:
		return m.relative(day(m.today)), n
	}
	return m.relative(day(before(m.today, d))), n
}

func foreignDay(l language, w string) int {
	var names string
	switch l {
	case spanish:
		names = "domingo lunes martes miercoles jueves viernes sabado"
	case french:
		names = "dimanche lundi mardi mercredi jeudi vendredi samedi"
	case german:
		names = "sonntag montag dienstag mittwoch donnerstag freitag samstag"
	}
	return place(names, w)
}

func foreignMonth(l language, w string) int {
	var names string
	switch l {
	case spanish:
		names = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
	case french:
		names = "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre"
	case german:
		names = "januar februar marz april mai juni juli august september oktober november dezember"
	}
	return place(names, w) + 1
}

// place returns the place of w in a list parted by spaces, -1 if it has none.
func place(names, w string) int {
	for i := 0; names != ""; i++ {
		name, rest, _ := strings.Cut(names, " ")
		if name == w {
			return i
		}
		names = rest
	}
	return -1
}
