package write

// Words that several rules share.
const (
	pets list = " dog dogs cat cats puppy puppies kitten kittens parrot hamster hamsters rabbit rabbits bunny horse horses pony turtle turtles " +
		"tortoise fish goldfish bird birds snake snakes lizard gecko ferret chicken chickens goat goats pup hound labrador poodle corgi " +
		"retriever beagle pug tabby guinea cockatiel budgie canary iguana axolotl "
	relations list = " mom mum mother dad father parent parents sister sisters brother brothers sibling siblings son sons daughter daughters " +
		"kid kids child children baby wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée grandma grandmother grandpa " +
		"grandfather granddaughter grandson aunt uncle cousin cousins niece nephew friend friends roommate flatmate neighbor neighbour " +
		"boss manager coworker colleague mentor teacher coach therapist doctor twin stepson stepdaughter stepmother stepfather " +
		"mother-in-law father-in-law sister-in-law brother-in-law bestie buddy landlord "
	diets       list = " vegan vegetarian pescatarian gluten-free lactose dairy-free keto celiac coeliac halal kosher flexitarian plant-based teetotal sober "
	possessions list = " car bike bicycle laptop phone camera house apartment flat garden boat motorcycle motorbike truck van piano guitar " +
		"violin telescope printer tablet drone scooter cottage cabin farm greenhouse tractor sailboat caravan camper synthesizer keyboard "
	// kin are the relations that "I have a …" states.
	kin list = " sister sisters brother brothers sibling siblings son sons daughter daughters kid kids child children wife husband " +
		"girlfriend boyfriend fiance fiancé fiancee fiancée partner twin twins niece nephew nieces nephews grandson granddaughter grandchildren " +
		"stepson stepdaughter cousin cousins toddler baby "
	ailments list = " asthma diabetes adhd add anxiety depression migraines arthritis insomnia epilepsy eczema ptsd dyslexia autism hypertension " +
		"anemia celiac hypothyroidism ibs endometriosis tinnitus scoliosis "
	practices list = " yoga pilates karate judo crossfit ballet meditation gymnastics parkour taekwondo ceramics pottery calligraphy capoeira " +
		"photography stand-up improv gardening woodworking origami crochet knitting archery zumba aikido fencing "
	selves list = " mom mum mother dad father parent introvert extrovert christian atheist muslim jew jewish buddhist hindu catholic agnostic " +
		"veteran immigrant refugee feminist owl person foodie bookworm gamer twin widow widower orphan minimalist homebody " +
		"nerd geek adoptee expat woman man "
)

// predicates are the rules for what follows a subject, the more telling first.
// At most one rule of an attribute fires at a place.
var predicates = []rule{
	{pattern: "am allergic to {}", attribute: Allergy, split: true},
	{pattern: "have an? allergy to {}", attribute: Allergy, split: true},
	{pattern: "am intolerant to {}", attribute: Allergy, split: true},

	{pattern: "am not a? big|huge|much? fan of {}", attribute: Dislikes, split: true},
	{pattern: "am not into|fond {}", attribute: Dislikes, split: true},
	{pattern: "can not stand|bear|abide {}", attribute: Dislikes, split: true},
	{pattern: "could not stand {}", attribute: Dislikes, split: true},
	{pattern: "do not like|enjoy|love {}", attribute: Dislikes, split: true},
	{pattern: "do not care for {}", attribute: Dislikes, split: true},
	{pattern: "hate|dislike|despise|detest|loathe {}", attribute: Dislikes, split: true},
	{pattern: "no longer like|love|enjoy {}", attribute: Likes, ends: true, split: true},

	{pattern: "am a? big|huge|massive? fan of {}", attribute: Likes, split: true},
	{pattern: "am into {}", attribute: Likes, split: true},
	{pattern: "am all about {}", attribute: Likes, split: true},
	{pattern: "am fond of {}", attribute: Likes, split: true},
	{pattern: "am keen on {}", attribute: Likes, split: true},
	{pattern: "am passionate about {}", attribute: Likes, split: true},
	{pattern: "am obsessed with {}", attribute: Likes, split: true},
	{pattern: "am crazy|nuts|mad about {}", attribute: Likes, split: true},
	{pattern: "love|like|enjoy|adore {}", attribute: Likes, split: true},
	{pattern: "am interested in {}", attribute: "interest", split: true},
	{pattern: "prefer {}", attribute: "preference"},

	{pattern: "am afraid|scared|terrified of {}", attribute: "fear"},
	{pattern: "am originally? from {}", attribute: Origin, capital: true},
	{pattern: "come from {}", attribute: Origin, capital: true},
	{pattern: "grew up in {}", attribute: "grew up in", capital: true},
	{pattern: "was born in {}", attribute: "birthplace", capital: true},
	{pattern: "was born on {}", attribute: "birthday"},
	{pattern: "live|reside|living in|at|near {}", attribute: Location},
	{pattern: "have lived in|at|near {}", attribute: Location, capital: true, lasting: true},
	{pattern: "am living|staying|based in {}", attribute: Location, capital: true},
	{pattern: "moved|relocated|moving back? to {}", attribute: Location, capital: true},
	{pattern: "live|living with {}", attribute: "lives with"},

	{pattern: "am {}", attribute: Relationship, first: " married single divorced engaged widowed separated "},
	{pattern: "have been {}", attribute: Relationship, first: " married single divorced engaged widowed separated "},
	{pattern: "am no longer {}", attribute: Diet, first: diets, ends: true},
	{pattern: "am a|an? strict|strictly? {}", attribute: Diet, first: diets},
	{pattern: "have been a|an? {}", attribute: Diet, first: diets},
	{pattern: "went|became {}", attribute: Diet, first: diets},
	{pattern: "do not eat {}", attribute: "does not eat", split: true},
	{pattern: "can not eat|have {}", attribute: "does not eat", holds: " dairy gluten meat fish eggs nuts peanuts sugar milk lactose wheat soy seafood shellfish pork beef alcohol ", split: true},
	{pattern: "do not drink {}", attribute: "does not drink", split: true},
	{pattern: "no longer eat {}", attribute: "does not eat", split: true},

	{pattern: "work as a|an|the? {}", attribute: Occupation},
	{pattern: "am|became a|an {}", attribute: Occupation, trade: true},
	{pattern: "have been a|an {}", attribute: Occupation, trade: true},
	{pattern: "have been working as a|an? {}", attribute: Occupation},
	{pattern: "was|got|been promoted to {}", attribute: Occupation},
	{pattern: "have been promoted to {}", attribute: Occupation},
	{pattern: "am working as a|an? {}", attribute: Occupation},
	{pattern: "work|working at|for {}", attribute: Employer},
	{pattern: "am working at|for {}", attribute: Employer},
	{pattern: "have worked at|for {}", attribute: Employer, lasting: true},
	{pattern: "work in {}", attribute: "field"},
	{pattern: "got|started|landed|accepted a new? job|position|role at|with {}", attribute: Employer},
	{pattern: "got|started|landed|accepted a new? job|position|role as a|an? {}", attribute: Occupation},
	{pattern: "got|started|landed|accepted a new? job|position|role at|with {} as a|an {}", attribute: Occupation},
	{pattern: "work at|for {} as a|an {}", attribute: Occupation},
	{pattern: "am no longer a|an {}", attribute: Occupation, trade: true, ends: true},
	{pattern: "am not a|an {} anymore", attribute: Occupation, trade: true, ends: true},
	{pattern: "joined {} as a|an", attribute: Employer, capital: true},
	{pattern: "run|own a|an|my|our {}", attribute: "possession"},
	{pattern: "drive a|an {}", attribute: "possession"},
	{pattern: "volunteer at|for|with|in {}", attribute: "volunteering"},
	{pattern: "am volunteering at|for|with|in {}", attribute: "volunteering"},

	{pattern: "no longer play|do|practice|practise {}", attribute: Hobby, ends: true},
	{pattern: "quit playing|doing|practicing|practising|learning? {}", attribute: Hobby, ends: true},
	{pattern: "stopped|dropped playing|doing|practicing|practising|learning {}", attribute: Hobby, ends: true},
	{pattern: "gave up on? playing|doing|practicing|learning? {}", attribute: Hobby, ends: true},
	{pattern: "have given up|quit|stopped playing|doing? {}", attribute: Hobby, ends: true},
	{pattern: "do not play|do|practice {} anymore", attribute: Hobby, ends: true},
	{pattern: "do not play|do|practice {} any", attribute: Hobby, ends: true},
	{pattern: "used to play|practice {}", attribute: Hobby, ends: true},
	{pattern: "play {}", attribute: Hobby, split: true},
	{pattern: "have been playing|practicing {}", attribute: Hobby, split: true},
	{pattern: "started playing|learning|practicing {}", attribute: Hobby, split: true},
	{pattern: "practice|practise|collect {}", attribute: Hobby, split: true},
	{pattern: "took up {}", attribute: Hobby, split: true},
	{pattern: "do {}", attribute: Hobby, first: practices, split: true},
	{pattern: "started|tried? {}", attribute: Hobby, first: practices},
	{pattern: "am learning to? how? to? {}", attribute: "learning"},
	{pattern: "have been learning to? how? to? {}", attribute: "learning"},
	{pattern: "am taking {}", attribute: "learning", holds: " class classes lessons course courses "},

	{pattern: "speak {}", attribute: "language", capital: true, split: true},
	{pattern: "study {} at|in", attribute: "studies"},
	{pattern: "study {}", attribute: "studies"},
	{pattern: "am studying {}", attribute: "studies"},
	{pattern: "am majoring in {}", attribute: "studies"},
	{pattern: "majored in {}", attribute: "studies"},
	{pattern: "graduated from {}", attribute: "education", capital: true},
	{pattern: "have a degree in {}", attribute: "education"},

	{pattern: "have {}", attribute: Pet, holds: pets, counted: true},
	{pattern: "adopted|got a|an|two|three {}", attribute: Pet, holds: pets},
	{pattern: "have {}", attribute: Family, holds: kin, counted: true},
	{pattern: "have {}", attribute: "health", holds: ailments},
	{pattern: "suffer from {}", attribute: "health"},
	{pattern: "was diagnosed with {}", attribute: "health"},
	{pattern: "own {}", attribute: "possession"},
	{pattern: "have {}", attribute: "possession", holds: possessions, counted: true},

	{pattern: "am|go by|called|named {}", attribute: Name, capital: true},
	{pattern: "am a|an {}", attribute: "identity", holds: selves},
	{pattern: "identify as a|an? {}", attribute: "identity"},
	{pattern: "am a member of {}", attribute: "member of"},
	{pattern: "believe in {}", attribute: "belief"},
	{pattern: "want|hope|dream|aspire|plan to|of become|be|becoming|being a|an {}", attribute: "goal"},
	{pattern: "am saving up? for|to {}", attribute: "goal"},
	{pattern: "use {}", attribute: "uses", capital: true},
	{pattern: "have been using {}", attribute: "uses", capital: true},
	{pattern: "support|root for? {}", attribute: "supports", capital: true},
}

// possessives are the rules for what follows "my", where the attribute is the
// noun itself.
const possessives list = " name birthday age job profession occupation email hometown nickname pronouns height major goal dream passion " +
	"hobby hobbies specialty zodiac religion nationality car phone address employer company "
