package text

// IsGreeting reports whether s only greets or takes leave.
func IsGreeting(s string) bool { return false }

// IsAcknowledgement reports whether s says nothing but that it was heard.
func IsAcknowledgement(s string) bool { return false }

// IsQuestion reports whether s asks.
func IsQuestion(s string) bool { return false }

// FirstPerson reports whether s holds a predicate about its speaker.
func FirstPerson(s string) bool { return false }

// HasDigit reports whether s holds a digit of any script.
func HasDigit(s string) bool { return false }

// Ask is what a question asks for.
type Ask string

const (
	AskNone    Ask = ""
	AskWhen    Ask = "when"
	AskWhere   Ask = "where"
	AskWho     Ask = "who"
	AskHowMany Ask = "how many"
	AskHowLong Ask = "how long"
	AskHow     Ask = "how"
	AskWhat    Ask = "what"
	AskWhich   Ask = "which"
	AskWhy     Ask = "why"
	AskYesNo   Ask = "yes-no"
)

// AskOf says what kind of answer the question s wants.
func AskOf(s string) Ask { return AskNone }
