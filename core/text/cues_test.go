package text

import "testing"

func TestGreetingsAndAcknowledgements(t *testing.T) {
	const greeting, ack, content = "greeting", "acknowledgement", "content"
	for in, want := range map[string]string{
		"Hi!": greeting, "Hey Mel! Good to see you! How have you been?": greeting, "Good morning, Ana": greeting,
		"Hello there": greeting, "Bye, take care!": greeting, "See you later!": greeting, "What's up?": greeting,
		"你好！": greeting, "おはようございます": greeting, "¡Hola!": greeting, "Guten Morgen": greeting, "Bonjour": greeting,
		"Wow, that's great!": ack, "Thanks!": ack, "Sounds good": ack, "Thanks, Caroline!": ack, "Caroline, that's awesome!": ack,
		"You're welcome.": ack, "No problem!": ack, "Haha": ack, "👍🎉": ack, "Absolutely!": ack, "I agree, that is really cool": ack,
		"Congrats, Jon! So proud of you!": ack, "好的，谢谢": content, "好的。": ack, "谢谢你！": ack, "Gracias": ack, "なるほど": ack,
		"Glad to hear that!": ack, "Wow! Thanks so much.": ack,
		"I love jazz": content, "signed it today": content, "Red.": content, "I love Paris": content, "Yes, in Rome": content,
		"Thanks, I moved to Oslo": content, "See you at the station": content, "Great, 5 pm": content, "I got a new car": content,
		"I had a great day at work": content, "Mel": content, "我每天骑车上班": content, "Jag bor i Lund": content, "Мой брат приехал": content,
		"How did the race go?": content, "": content,
	} {
		got := content
		switch {
		case IsGreeting(in) && IsAcknowledgement(in):
			got = "both"
		case IsGreeting(in):
			got = greeting
		case IsAcknowledgement(in):
			got = ack
		}
		if got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

func TestIsQuestion(t *testing.T) {
	for in, want := range map[string]bool{
		"How are you?": true, "I moved. You?": true, "where did she go": true, "do you like tea": true, "how many cats does Bo have": true,
		"what time is it": true, "你喜欢茶吗": true, "お茶が好きですか。": true, "¿Dónde vives?": true, "Was ist das?": true, "Really?! 😂": true,
		"When I was ten, we moved.": false, "What a day!": false, "I know what you did.": false, "Do it.": false, "我喜欢茶": false, "": false,
	} {
		if got := IsQuestion(in); got != want {
			t.Errorf("IsQuestion(%q) = %v", in, got)
		}
	}
}

func TestAskOf(t *testing.T) {
	for in, want := range map[string]Ask{
		"When did Ana move?": AskWhen, "What year did she leave?": AskWhen, "In which month was the race?": AskWhen, "How long ago was it?": AskWhen,
		"Where does Bo live?": AskWhere, "Which city does he like?": AskWhere, "Who loves jazz?": AskWho, "Whose dog is it?": AskWho,
		"How many cats does she have?": AskHowMany, "How long has she lived there?": AskHowLong, "How did he react?": AskHow,
		"What did she paint?": AskWhat, "Which book did he read?": AskWhich, "Why did she quit?": AskWhy, "How come?": AskWhy,
		"Did Ana say where she was?": AskYesNo, "Can you tell me where she lives?": AskWhere, "Is Bo married?": AskYesNo,
		"When Ana moved, where did she go?": AskWhere, "Do you remember what I said?": AskWhat, "Since when does she paint?": AskWhen,
		"她什么时候搬家的？": AskWhen, "他住在哪里": AskWhere, "誰が来ましたか": AskWho, "猫は何匹いますか": AskHowMany,
		"¿Cuándo se mudó?": AskWhen, "¿Cuántos gatos tiene?": AskHowMany, "Pourquoi est-elle partie ?": AskWhy, "Wie lange wohnt sie dort?": AskHowLong,
		"Tell me about Ana.": AskNone, "": AskNone,
	} {
		if got := AskOf(in); got != want {
			t.Errorf("AskOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestHasDigit(t *testing.T) {
	for in, want := range map[string]bool{"5 pm": true, "٣": true, "５": true, "five": false, "": false} {
		if got := HasDigit(in); got != want {
			t.Errorf("HasDigit(%q) = %v", in, got)
		}
	}
}

// FuzzSaysSomething holds that the short cut takes no text for one of content
// that is none.
func FuzzSaysSomething(f *testing.F) {
	for _, s := range []string{"hi there, what is up?", "thanks so much, ana!", "see you. haha! ok, bye", "d'accord merci", "a/b c-d e.f, yo", "great…nice"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !saysSomething(s) {
			return
		}
		for _, sentence := range Sentences(s) {
			if phaticSentence(sentence) == 0 {
				return
			}
		}
		t.Fatalf("%q is taken for content", s)
	})
}

func TestSaysSomething(t *testing.T) {
	for s, want := range map[string]bool{
		"I went home": true, "We can see the lake.": true, "Thanks, i really liked it": true,
		"Hi there!": false, "ok, thanks so much, Ana": false, "Wow, hahaha": false, "don't": false, "e.g": false, "x-rays": false, "Yes": false, "": false,
	} {
		if got := saysSomething(s); got != want {
			t.Errorf("%q: %t, want %t", s, got, want)
		}
	}
}

func FuzzCues(f *testing.F) {
	for _, s := range []string{"Hi Mel!", "haha 👍", "W&w,", "¿Qué?", "你好吗", "When I, who", "I I I"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if IsGreeting(s) && IsAcknowledgement(s) {
			t.Errorf("%q is both", s)
		}
		IsQuestion(s)
		AskOf(s)
	})
}

func BenchmarkCues(b *testing.B) {
	for b.Loop() {
		IsGreeting(turn)
		IsQuestion(turn)
	}
}
