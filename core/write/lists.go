package write

import "github.com/leanmem/leanmem/core/text"

// list is a set of lists of folded words. What rules ask of a word is on which
// lists it stands, many times over, so it is looked up once, when its sentence
// is taken apart, and then each list costs a bit.
type list uint64

const (
	adverbs       list = 1 << iota // may stand between the words of a pattern without changing it
	enders                         // end a value
	subjects                       // begin a clause of their own
	verbs                          // begin a new predicate behind "and"
	lengths                        // make a length of time of "for …"
	trailing                       // hang on at the end of a value and say nothing of it
	adjectives                     // want a noun where they end a value
	pointing                       // need no relative clause to point at something
	supposing                      // before a subject make a question, a wish or a supposition of what follows
	impersonal                     // the words after which "'s" is "is"
	changes                        // verbs that tell of something that happened, changed or is about to
	dayparts                       // after the name of a day tell what recurs
	places                         // stand between somebody and the state that they are in
	on                             // "on" alone, before the group that somebody is in
	wishes                         // open a wish, a greeting or an offer, which is nobody's state
	begins                         // verbs that tell when a state began or ended; beside "I live in …" only "since" dates it
	bounds                         // before a date do not name the date itself
	openers                        // open another clause
	prepositions                   // may stand between a word and its date
	kinship                        // adjectives between "my" and a relation
	leaving                        // before "my job as …" tell that it is over
	passing                        // begin what happens to a thing and not what it is ("my phone's been …")
	unhabitual                     // verbs of one time, of a wish or a thought, which make no habit
	periods                        // come again and again: "every day"
	weekdays                       // recur by their plural: "on Sundays"
	linking                        // stand between what is measured and its amount
	former                         // make a measure one that was or may be
	rises                          // lead to a new amount: "went up to"
	easing                         // may stand before an amount
	nearing                        // may stand before a number
	participles                    // tell what was done, irregular ones
	bounding                       // end what is counted
	passingThings                  // are had or done for the moment; their number is no state
	numerals                       // numbers in words
	fresh                          // before a measure say that it is that of now
	pets
	relations
	diets
	possessions
	kin // the relations that "I have a …" states
	ailments
	practices   // what one does as a hobby: "I do …"
	selves      // what one is: "I am a …"
	possessives // attributes that "my" names outright
	marital
	foods     // what one cannot eat
	classes   // what one takes to learn
	singles   // attributes that hold one value at a time
	placeEnds // end the name of a place
	dangling  // behind a value show that it was cut before what it is about
	articles  // before an adjective that ends a value: its noun is missing
	polite    // verbs after "I hate to", "I like to" that say nothing of a taste
	counts    // begin a value that states how many there are
	known     // everybody knows by its article ("the sea")
	joining   // may follow a noun within a value
	asks      // begin what somebody wants of the present talk ("interested in learning more about …")
	pointers  // begin a value that points at something instead of saying it
	heads     // say nothing without what they are of
	picks     // are of what was just offered
	trades    // what one does for a living, beside what ends like a trade
	tradeEnds // end the name of a trade
	vices     // what people give up and resume
)

// has reports whether any of the lists holds a word.
func (l list) has(w string) bool { return listed[w]&l != 0 }

// in reports whether a word stands on any of the lists.
func (w *word) in(l list) bool { return w.lists&l != 0 }

var listed = func() map[string]list {
	out := make(map[string]list, 1225)
	for _, l := range lists {
		for w := range text.Parts(l.words, ' ') {
			out[w] |= l.list
		}
	}
	return out
}()

// lists are the words on each list.
var lists = []struct {
	list  list
	words string
}{
	{adverbs, "also really just still actually currently now absolutely always usually mostly honestly personally kinda totally definitely truly especially " +
		"particularly both simply genuinely recently finally officially already all secretly regularly often sometimes mainly do does did have been quite so " +
		"very super pretty deeply even"},
	{enders, "but because cause cuz so when while if since though although which who whom that as where unless until than too lately anymore nowadays yet however " +
		"therefore except hence plus otherwise then"},
	{subjects, "i we he she it they you my our your his her their this there what let"},
	{verbs, "am is are was were have has had do does did can could will would should love like hate enjoy play work live go went got think want need hope try " +
		"started used never always then even just also loves likes hates enjoys plays works lives goes wants thinks hopes speaks"},
	{lengths, "year years month months week weeks day days hour hours decade decades ages while now long life minutes"},
	{trailing, "too also though now well already again anymore today tonight yesterday tomorrow lately recently much lot so very right currently either indeed really " +
		"lol haha and or to of the a an with in on at for by from moment days these i'd originally literally actually bit since ever always myself definitely " +
		"about before until till after during around ,"},
	{adjectives, "safe warm cosy cozy quiet calm nice big small long short sweet good great new old fresh healthy simple easy fun quick slow spicy sour bitter dark " +
		"bright light heavy hot cold cool dry wet clean soft hard loud strong rich poor deep wide young real fine happy sad funny creative friendly lovely " +
		"cheap comfy crisp"},
	{pointing, "it that this those these you him her them all one ones everything anything something nothing people someone way fact"},
	{supposing, "do does did can could should would will am may might must shall have if unless whether wish imagine suppose hope pretend think thought guess bet what " +
		"how why where who than until"},
	{impersonal, "it that there here he she what who where how this one"},
	{changes, "moved moving bought got adopted married engaged divorced graduated started starting joined quit left finished completed won lost signed passed failed " +
		"visited went traveled travelled flew attended hosted met saw watched ran performed published launched opened closed sold broke fixed repaired built " +
		"painted cooked baked hiked camped climbed celebrated received promoted hired fired retired died diagnosed recovered switched changed became began " +
		"stopped enrolled applied accepted booked scheduled planning planned tried took gave registered volunteered donated organized organised created found " +
		"discovered learned learnt decided invited ordered returned cancelled canceled upgraded replaced renewed submitted presented interviewed proposed read " +
		"ended injured hurt sprained planted harvested recorded released entered competed trained signed-up earned spent saved paid picked helped taught spoke " +
		"called talked emailed rented leased shipped delivered installed migrated deployed merged rolled assigned transferred relocated renamed elected " +
		"resigned welcomed lent borrowed gifted wrote drew raised"},
	{dayparts, "mornings evenings nights afternoons"},
	{places, "on in at under"},
	{on, "on"},
	{wishes, "congrats congratulations great good nice thanks thank talk talking catch glad happy sorry best cheers hope keep looking have welcome props kudos well " +
		"come back see stay hang hey hi hello yes yeah sure wow count let go love enjoy check take kind thinking going working always more most lots right spot " +
		"dead game bring hold put move try look same"},
	{begins, "moved relocated moving went became got started landed accepted promoted joined adopted quit stopped dropped gave given took graduated diagnosed born"},
	{bounds, "before until till by after around about every each not"},
	{openers, "but because when while where before after so although though which who if until"},
	{prepositions, "on in at of the"},
	{kinship, "best older elder younger little big late close old dear new good eldest oldest youngest twin beloved sweet ex"},
	{leaving, "lost lose losing quit quitting left leave leaving from resigned"},
	{passing, "been being got getting going gone having broken ready great good fine bad not just done ringing dead awesome amazing"},
	{unhabitual, "am was had have did went could would will can used got been came saw took made felt thought said wish want need hope think feel know guess remember " +
		"try mean not miss look plan intend start begin promise decide aim appreciate should might may"},
	{periods, "day morning evening night week weekend month year afternoon summer winter monday tuesday wednesday thursday friday saturday sunday"},
	{weekdays, "mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends weekdays mornings evenings nights"},
	{linking, "is are 's takes costs weighs measures of"},
	{former, "previous old former first usual next last goal target dream maximum minimum"},
	{rises, "went rose increased grew dropped fell decreased climbed"},
	{easing, "now currently up down to about around roughly only just already finally at"},
	{nearing, "now currently already about around roughly exactly over nearly almost just even a total of to"},
	{participles, "read written seen run done made met won sold bought sent caught grown built taken taught spent lost drawn drunk eaten driven flown ridden swum"},
	{bounding, "in on at of for with from to so and or about left total out by under per a an the already now"},
	{passingThings, "minutes hours days weeks months years seconds questions ideas options things ways reasons choices thoughts problems issues meetings appointments exams " +
		"tests deadlines tasks goals concerns points times tips suggestions plans people guests ones friends kids children sons daughters brothers sisters " +
		"siblings"},
	{numerals, "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty " +
		"sixty seventy eighty ninety hundred"},
	{fresh, "current new latest own total newest recent"},
	{pets, "dog dogs cat cats puppy puppies kitten kittens parrot hamster hamsters rabbit rabbits bunny horse horses pony turtle turtles tortoise fish goldfish " +
		"bird birds snake snakes lizard gecko ferret chicken chickens goat goats pup hound labrador poodle corgi retriever beagle pug tabby guinea cockatiel " +
		"budgie canary iguana axolotl"},
	{relations, "mom mum mother dad father parent parents sister sisters brother brothers sibling siblings son sons daughter daughters kid kids child children baby " +
		"wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée grandma grandmother grandpa grandfather granddaughter grandson aunt " +
		"uncle cousin cousins niece nephew friend friends roommate flatmate neighbor neighbour boss manager coworker colleague mentor teacher coach therapist " +
		"doctor twin stepson stepdaughter stepmother stepfather mother-in-law father-in-law sister-in-law brother-in-law bestie buddy landlord"},
	{diets, "vegan vegetarian pescatarian gluten-free lactose dairy-free keto celiac coeliac halal kosher flexitarian plant-based teetotal sober"},
	{possessions, "car bike bicycle laptop phone camera house apartment flat garden boat motorcycle motorbike truck van piano guitar violin telescope printer tablet " +
		"drone scooter cottage cabin farm greenhouse tractor sailboat caravan camper synthesizer keyboard"},
	{kin, "sister sisters brother brothers sibling siblings son sons daughter daughters kid kids child children wife husband girlfriend boyfriend fiance fiancé " +
		"fiancee fiancée partner twin twins niece nephew nieces nephews grandson granddaughter grandchildren stepson stepdaughter cousin cousins toddler baby"},
	{ailments, "asthma diabetes adhd add anxiety depression migraines arthritis insomnia epilepsy eczema ptsd dyslexia autism hypertension anemia celiac " +
		"hypothyroidism ibs endometriosis tinnitus scoliosis"},
	{practices, "yoga pilates karate judo crossfit ballet meditation gymnastics parkour taekwondo ceramics pottery calligraphy capoeira photography stand-up improv " +
		"gardening woodworking origami crochet knitting archery zumba aikido fencing"},
	{selves, "mom mum mother dad father parent introvert extrovert christian atheist muslim jew jewish buddhist hindu catholic agnostic veteran immigrant refugee " +
		"feminist owl person foodie bookworm gamer twin widow widower orphan minimalist homebody nerd geek adoptee expat woman man"},
	{possessives, "name birthday age job profession occupation email hometown nickname pronouns height major goal dream passion hobby hobbies specialty zodiac religion " +
		"nationality car phone address employer company"},
	{marital, "married single divorced engaged widowed separated"},
	{foods, "dairy gluten meat fish eggs nuts peanuts sugar milk lactose wheat soy seafood shellfish pork beef alcohol"},
	{classes, "class classes lessons course courses"},
	{vices, "smoke smokes smoking drink drinks drinking vape vapes vaping gamble gambles gambling"},
	{singles, "name age birthday birthplace origin location occupation employer diet hometown nickname email height address job profession company residence " +
		"residency nationality gender religion 姓名 名字 年龄 生日 住址 住在 职业 工作单位 国籍 家乡 来自"},
	{placeEnds, "with for because and"},
	{dangling, "to with of about into from by"},
	{articles, "a an the some my our"},
	{polite, "ask say admit break bother interrupt see hear think know disappoint be believe tell help"},
	{counts, "a an one two three four five six seven eight nine ten several some many 2 3 4 5 6 7 8 9 10 my our another"},
	{known, "sea ocean beach outdoors outdoor mountains mountain city country countryside water snow rain sun sunshine summer winter spring autumn fall arts " +
		"theatre theater cinema opera piano guitar violin drums forest woods desert north south cold heat heights dark internet gym library park weekend " +
		"weekends holidays wild stars night moon"},
	{joining, "and or , with at in on by near around as to when during"},
	{asks, "learning exploring knowing finding getting seeing hearing trying understanding buying using making having discussing any"},
	{pointers, "it that this those these you your them him her me us yourself u how what when where why who if everything anything something nothing one ones others " +
		"all both each being having getting seeing hearing talking chatting thinking knowing the-most with around for of at in on about out up down into over " +
		"off by from so like as along more any no not such here there every few home night nights peace least myself himself herself themselves whatever " +
		"whenever someone everyone anyone each-other my-own when's well better too"},
	{heads, "idea way sound look thought suggestion option vibe vibes energy photo picture pic message question answer part role fact feeling job point start " +
		"details kind sort type best rest same other whole lot lots bit ton tons loads heaps bunch deal couple few thing things stuff time"},
	{picks, "one ones option options"},
	{trades, "nurse chef teacher student pilot cook coach clerk architect accountant consultant assistant attendant therapist surgeon vet veterinarian nanny guide " +
		"judge intern professor lecturer tutor freelancer entrepreneur ceo cto cfo dj mechanic plumber carpenter electrician musician magician librarian " +
		"paralegal realtor barista model actor actress artist writer author poet dancer singer designer developer programmer engineer manager director producer " +
		"editor photographer painter baker butcher banker broker trader driver farmer fisher firefighter police officer soldier sailor lawyer solicitor " +
		"barrister doctor counselor counsellor instructor trainer translator interpreter reporter researcher scientist supervisor administrator hairdresser " +
		"waiter waitress bartender server builder contractor caregiver carer caretaker gardener jeweler tailor potter blogger streamer youtuber videographer " +
		"filmmaker composer conductor drummer guitarist secretary receptionist analyst paramedic midwife dentist pharmacist biologist chemist physicist " +
		"economist statistician lifeguard bodyguard janitor cleaner plasterer welder roofer surveyor planner recruiter investor retiree apprentice postdoc"},
	{tradeEnds, "at for in with of from who on by and to"},
}
