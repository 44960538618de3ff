package text

// list is a set of lists of folded words: a word is looked up once for all of
// them. As code, a switch over so many words takes ten times the room in the
// plugin, and longer.
type list uint32

const (
	questionWords       list = 1 << iota // ask
	pronouns                             // pronouns and determiners
	auxiliaries                          // auxiliary verbs
	particles                            // prepositions, conjunctions, adverbs closed by grammar
	politeVerbs                          // may follow "I" in a sentence without content
	addressings                          // may stand before the name of the one spoken to
	greetings                            // make a sentence without content a greeting
	acknowledgements                     // answer without adding
	fillers                              // carry nothing among greetings and acknowledgements
	lightWords                           // words of content that say little of what a dialogue is about
	starters                             // often open an English sentence with a capital without being a name
	spanishWords                         // Spanish function words, which vote for the language
	frenchWords                          // French ones
	germanWords                          // German ones
	futureCues                           // speak of what is to come
	pastCues                             // speak of what was
	measures                             // may follow a number as what is counted or measured
	denseGreetings                       // whole sentences that greet, of scripts without spaces
	denseAnswers                         // whole sentences of them that answer without adding
	titleAbbreviations                   // whose full stop ends no sentence
	numberAbbreviations                  // unless a number follows they are words of their own
	endAbbreviations                     // their full stop may end a sentence
)

// has reports whether any of the lists holds a word.
func (l list) has(w string) bool { return listed[w]&l != 0 }

var listed = listWords(map[list]string{
	questionWords: "who|whom|whose|what|which|when|where|why|how",
	pronouns: "i|me|my|mine|myself|we|us|our|ours|ourselves|you|your|yours|yourself|yourselves|he|him|his|himself|she|her|hers|herself|it|its|itself|they|them|their|" +
		"theirs|themselves|this|that|these|those|there|here|a|an|the|some|any|each|every|both|all|such|own|same|other|another|few|more|most|much|many",
	auxiliaries: "am|is|are|was|were|be|been|being|have|has|had|having|do|does|did|doing|done|can|could|will|would|shall|should|may|might|must|ought|cannot|dont|didnt|" +
		"doesnt|isnt|wasnt|cant|wont|im|ive",
	particles: "and|but|if|or|nor|because|as|until|while|than|then|so|though|although|of|at|by|for|with|about|against|between|into|through|during|before|after|above|" +
		"below|to|from|up|down|in|out|on|off|over|under|again|further|once|onto|upon|within|without|no|not|only|too|very|just|also|even|ever|yes|oh|ok|okay|" +
		"well|s|t|d|m|ll|re|ve",
	politeVerbs: "am|agree|appreciate|see|know|guess|hope|mean|think|love|like|really|totally|so|just|hear|bet|completely|definitely|absolutely|understand|feel|get|" +
		"can't|can",
	addressings: "hey|hi|hello|hiya|yo|thanks|thank|you|wow|bye|congrats|congratulations|yeah|yes|yep|ok|okay|sure|morning|afternoon|evening|night|dear|oh|aw|awww|right|" +
		"absolutely|there|hola|gracias|bonjour|salut|merci|hallo|danke",
	greetings: "hi|hey|hello|hiya|howdy|yo|greetings|bye|goodbye|goodnight|cheers|farewell|ciao|morning|evening|afternoon|night|see|been|care|later|soon|doing|going|" +
		"up|meet|seeing|hola|buenos|buenas|adios|hasta|luego|bonjour|bonsoir|salut|revoir|bientot|hallo|guten|tschuss|servus|moin|wiedersehen|ola|oi|olá|" +
		"привет|здравствуйте|пока",
	acknowledgements: "wow|whoa|woah|oh|ooh|ah|aw|aww|awww|yay|woohoo|yeah|yep|yup|yes|nope|no|ok|okay|k|sure|right|true|agreed|agree|exactly|totally|absolutely|definitely|" +
		"certainly|indeed|congrats|congratulations|thanks|thank|thx|ty|welcome|problem|worries|appreciate|sorry|please|alright|gotcha|understood|noted|great|" +
		"awesome|cool|amazing|wonderful|nice|lovely|fantastic|good|excellent|brilliant|perfect|incredible|terrific|fabulous|superb|sweet|neat|interesting|" +
		"impressive|inspiring|exciting|beautiful|fun|glad|happy|proud|hear|sounds|sound|looks|hmm|hm|mhm|huh|gosh|omg|lol|btw|gracias|vale|claro|genial|" +
		"perfecto|nada|bueno|merci|accord|super|parfait|bravo|genau|danke|bitte|toll|klar|gerne|спасибо|хорошо|да|отлично",
	fillers: "i|you|we|it|me|us|your|my|that|this|these|those|there|what|how|who|so|such|really|very|truly|super|just|quite|pretty|too|also|again|a|an|the|of|to|" +
		"from|for|with|about|at|in|on|and|but|as|all|any|as well|is|am|are|was|be|being|have|has|had|do|does|did|will|can|could|would|'s|s|m|re|im|thats|its|" +
		"youre|talk|chat|catch|take|keep|let|go|day|one|time|long|well|much|many|lot|lots|everything|anything|something|new|everyone|more|better|best|thing|" +
		"things|idea|point|way|know|mean|think|guess|hope|feel|love|like|not|bad|here|today|sharing|asking|listening|saying|kind|means|back|ya|u|dear|buddy|" +
		"dude|guys|got|dias|tardes|noches|de|por|el|la|muy|bien|que|tal|como|estas|es|pronto|ca|va|au|tres|c|est|tag|morgen|abend|wie|geht|dir|gut|sehr|alles|" +
		"ich|auf",
	lightWords: "get|got|getting|go|goes|going|went|gone|make|makes|made|making|take|takes|took|taking|come|came|coming|know|knew|think|thought|thinking|want|wanted|" +
		"need|needed|like|liked|love|loved|see|saw|seen|look|looks|looking|say|said|tell|told|talk|talking|feel|feels|feeling|felt|let|lets|keep|give|gave|put|" +
		"try|trying|tried|use|used|using|thing|things|something|anything|everything|nothing|someone|anyone|everyone|way|ways|lot|lots|bit|kind|sort|stuff|good|" +
		"great|nice|awesome|amazing|cool|wonderful|fantastic|best|better|new|big|little|sure|right|really|actually|definitely|absolutely|totally|always|never|" +
		"still|already|maybe|probably|pretty|quite|around|back|away|together|recently|lately|day|days|time|times|today|yesterday|tomorrow|week|weeks|month|" +
		"months|year|years|now|soon|ago|last|next|first|hey|hello|hi|wow|thanks|thank|yeah|yes|please|sorry|glad|happy|excited|exciting|hear|sounds|congrats|" +
		"congratulations|one|two|three|people|person|start|started|starting|help|helps|helped|work|find|found|much|many|long|since|yet|via|i'm|i've|i'd|i'll|" +
		"it's|that's|don't|can't|let's|who's|what's",
	starters: "dear|sincerely|hopefully|honestly|unfortunately|luckily|basically|especially|apparently|meanwhile|however|therefore|instead|besides|otherwise|anyway|" +
		"anyways|speaking|remember|imagine|check|consider|choose|create|add|avoid|ensure|include|provide|read|write|ask|call|buy|eat|play|watch|visit|join|" +
		"share|show|send|set|run|stay|plan|learn|explore|enjoy|life|music|food|family|friends|nature|art|dance|dogs|cats|kids|books|movies|games|home|school|" +
		"money|health|half|part|next|finally|later|sometimes|often|usually|once|twice|second|third|another|several|note|tip|tips|step|dad|mom|mum|grandma|" +
		"grandpa|based|according|due|given|using|please|whether|whatever|whenever|wherever|perhaps|plus|mine|none|nobody|somebody|everybody|must|want|wish|" +
		"hoping|looking|can|user|assistant|hugs|sending|spending|loved|loving|playing|working|seeing|having|being|doing|going|trying|making|getting|taking|" +
		"giving|yup|nah|ugh|phew|sir|madam|cheers|both|same|similar|different|important|additionally|furthermore|moreover|overall|summary|example|examples",
	spanishWords: "el|los|las|una|que|por|con|para|pero|muy|mi|hace|ayer|hoy|es|y|del|pasado|pasada|fui|donde|cuando|cual|quien",
	frenchWords:  "le|les|je|nous|vous|est|et|avec|pour|dans|mais|tres|mon|ma|il|elle|suis|ai|du|aux|j|demain|des",
	germanWords:  "der|das|den|dem|und|ich|wir|ist|nicht|mit|ein|eine|einen|auf|im|am|habe|mein|meine|gestern|heute|sie|zu|vor|nach",
	futureCues: "will|'ll|gonna|going|plan|plans|planning|planned|hope|hoping|tomorrow|upcoming|forward|excited|soon|let|schedule|scheduled|shall|next|until|upcomming|" +
		"due|wait|deadline|werde|wird|werden|voy|vamos|vais|allons|iremos",
	pastCues: "was|were|did|had|went|got|took|made|saw|came|found|met|bought|ate|told|said|felt|gave|left|lost|won|ran|began|been|ago|last|became|built|grew|held|" +
		"knew|led|read|spent|thought|wrote|taught|sold|drove|flew|broke|chose|fell|heard|kept|paid|sang|sent|slept|spoke|swam|wore|passed|since|war|hatte|habe|" +
		"hat|bin|fui|fue|etait|suis",
	measures: "km|m|cm|mm|mile|miles|mi|ft|feet|foot|inch|inches|yards|meters|metres|meter|kilometers|kilometres|kg|g|mg|lb|lbs|pounds|pound|oz|ounces|tons|grams|" +
		"liters|litres|ml|l|gallons|cups|tbsp|tsp|seconds|minutes|minute|mins|min|hours|hour|hrs|days|day|weeks|week|months|month|years|year|yrs|dollars|euros|" +
		"usd|eur|bucks|cents|percent|k|calories|kcal|degrees|gb|mb|tb|mph|kmh|watts|kwh|times|people|pages|steps|reps|sets|points|stars|kids|children|dogs|cats|" +
		"acres|pieces|episodes|books",
	denseGreetings: "你好|您好|嗨|哈喽|早上好|早安|下午好|晚上好|晚安|再见|拜拜|你好吗|最近怎么样|好久不见|明天见|回头见|" +
		"こんにちは|おはよう|おはようございます|こんばんは|おやすみ|おやすみなさい|さようなら|またね|じゃあね|" +
		"お久しぶりです|お元気ですか|안녕|안녕하세요|안녕히 가세요|잘 자",
	denseAnswers: "好|好的|好吧|好啊|嗯|嗯嗯|是|是的|是啊|对|对啊|谢谢|谢谢你|多谢|不客气|没关系|没问题|太好了|太棒了|真棒|" +
		"真好|哈哈|哈哈哈|呵呵|哇|恭喜|恭喜你|加油|知道了|明白了|收到|原来如此|不错|はい|うん|そうですね|そうだね|" +
		"なるほど|ありがとう|ありがとうございます|どういたしまして|すごい|すごいですね|いいね|いいですね|了解|" +
		"わかりました|おめでとう|おめでとうございます|네|응|그래|그래요|고마워|고마워요|감사합니다|좋아|좋아요|" +
		"대박|축하해|축하해요",
	titleAbbreviations: "dr|mr|mrs|ms|prof|st|mt|sr|jr|gen|col|sgt|capt|lt|rev|hon|gov|sen|rep|pres|e.g|i.e|cf|vs|viz|approx|esp|fig|vol|ch|pp|ed|eds|dept|est|ft|z.b|d.h|u.a|" +
		"bzw|hr|fr|sra|mme|mlle",
	numberAbbreviations: "no|nr|art|op|p|sec|min|max",
	endAbbreviations:    "etc|inc|ltd|co|corp|a.m|p.m|u.s|u.k|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec",
})

func listWords(lists map[list]string) map[string]list {
	out := map[string]list{}
	for l, words := range lists { // bits are set, in whatever order
		for w := range Parts(words, '|') {
			out[w] |= l
		}
	}
	return out
}

// Parts yields what stands between separators. An instance of the plugin waits
// for its tables, so they are made by no more than a walk over the bytes.
func Parts(s string, separator byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i := range len(s) {
			if s[i] == separator {
				if !yield(s[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(s[start:])
	}
}
