package text

// Entity is a name or other nominal that rules found.
type Entity struct {
	Text       string // as it was written
	Start, End int
	Label      string // name, title, handle, acronym, quantity, email, url, path
}

// Entities finds names, titles, handles, acronyms and quantities.
func Entities(s string) []Entity { return nil }

// Keywords returns up to n terms that say most about s, folded.
func Keywords(s string, n int) []string { return nil }
