package mem

// LineKey names the line of states that a profile or event belongs to: the
// attribute of a subject, or the timeline. Memories with the same key succeed
// or repeat each other. It is "" for a record.
func LineKey(m Memory) string {
	switch {
	case m.Profile != nil:
		attribute, _ := affirmative(*m.Profile)
		return "profile\x00" + foldWords(m.Profile.Subject) + "\x00" + attribute
	case m.Event != nil && m.Event.Timeline != "":
		return "event\x00" + m.Event.Timeline
	case m.Event != nil:
		return "event\x00" + m.ID
	}
	return ""
}
