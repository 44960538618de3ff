"""The texts that the table is fitted on: WordNet's glosses and examples,
utterances of people who chat, and questions made by templates."""
import collections
import json
import random
import re
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")


def glosses(wordnet):
    """WordNet's definitions, half of them behind their word, and examples."""
    dice = random.Random(0)
    texts = set()
    for part in PARTS:
        for line in open(Path(wordnet) / f"data.{part}", encoding="latin1"):
            if line.startswith(" "):
                continue
            head, gloss = line.split(" | ")[0].split(), line.split(" | ")[1].strip()
            definition, *examples = [p.strip(' ";') for p in gloss.replace('; "', "\n").split("\n")]
            word = head[4].replace("_", " ")
            texts.add(f"{word}: {definition}" if dice.random() < 0.5 else definition)
            texts.update(x for x in examples if len(x.split()) > 3)
    return shuffled(texts, dice)


def utterances(conversations):
    """What one speaker says before the other does, of 6 to 45 words."""
    texts = set()
    for talk in json.load(open(conversations, encoding="utf-8")).values():
        for turn in talk["messages"]:
            said = [" ".join(m["text"].split()) for m in turn]
            said = [m if m[-1] in ".!?" else m + "." for m in said if m]
            text = " ".join(said)
            if 6 <= len(text.split()) <= 45 and re.search("[a-z]{3}", text):
                texts.add(text)
    return shuffled(texts, random.Random(1))


def shuffled(texts, dice):
    texts = sorted(texts)
    dice.shuffle(texts)
    return texts


# {p} a person, {q} whose; the person is often left out, as a search leaves it
# out of its query. {v} {d} {g} verbs, {n} {m} {o} nouns, {a} an adjective.
TEMPLATES = """
When did {p} {v} the {n}?
What {n} does {p} like?
Where did {p} get {q} {n}?
How long has {p} been {g}?
Why did {p} {v} {q} {n}?
What is {q} favorite {n}?
What does {p} think about {n}?
Who did {p} {v} with?
What kind of {n} does {p} have?
What did {p} {v} after the {n}?
Which {n} did {p} {v} in the {m}?
How many {n} does {p} have?
What {a} {n} did {p} {v}?
How did {p} feel about the {a} {n}?
What are {q} plans for the {n}?
Does {p} {v} {n} or {m}?
What {n} and {m} has {p} {d}?
What inspired {p} to {v} {n}?
When is {p} going to {v} the {n}?
What advice did {p} give about {n}?
Would {p} be considered {a}?
Would {p} likely enjoy {g} {n}?
What was the name of the {n} that {p} {d}?
What activities does {p} do with {q} {n}?
What did I say about my {n}?
Can you remind me of the {a} {n} you recommended?
How much did I pay for the {n}?
Which {n} did I {v} first, the {m} or the {o}?
How many days ago did I {v} the {n}?
What {n} do I use for {g}?
What happened at the {n}?
Where does {p} keep {q} {n}?
What problem did {p} have with the {n}?
What job does {p} have?
I {d} a {a} {n} last week.
I've been {g} lately, and I love the {n}.
My {n} is so {a}!
We {d} the {n} together yesterday.
I'm planning to {v} a {n} next month.
I started {g} a few years ago because of my {n}.
Have you ever tried {g} {n}?
I can't believe the {n} was so {a}.
My favorite is the {a} {n}.
I need a new {n} for my {m}.
""".strip().split("\n")


def templated(wordnet, count):
    dice = random.Random(2)
    nouns, verbs, adjectives = (attested(wordnet, part) for part in PARTS[:3])
    texts = set()
    while len(texts) < count:
        template = dice.choice(TEMPLATES)
        person, whose = dice.choice([("she", "her"), ("he", "his"), ("they", "their"), ("", ""), ("", ""), ("", "")])
        text = template.format(
            p=person, q=whose, v=dice.choice(verbs), g=participle(dice.choice(verbs)), d=past(dice.choice(verbs)),
            n=dice.choice(nouns), m=dice.choice(nouns), o=dice.choice(nouns), a=dice.choice(adjectives))
        texts.add(" ".join(text.split()))
    return shuffled(texts, dice)


def attested(wordnet, part):
    """Words that WordNet has seen in its tagged texts."""
    words = collections.Counter()
    for line in open(Path(wordnet) / f"index.{part}"):
        if not line.startswith(" "):
            field = line.split()
            words[field[0]] = int(field[4 + int(field[3]) + 1])
    return sorted(w.replace("_", " ") for w, n in words.items() if n > 0 and re.fullmatch("[a-z_]+", w))


def participle(verb):
    word, *rest = verb.split()
    word = word[:-1] + "ing" if re.search("[^eoy]e$", word) else word + "ing"
    return " ".join([word, *rest])


def past(verb):
    word, *rest = verb.split()
    word = word + "d" if word.endswith("e") else word[:-1] + "ied" if re.search("[^aeiou]y$", word) else word + "ed"
    return " ".join([word, *rest])


def mixed(wordnet, conversations, count):
    """count texts: of ten, five glosses, four utterances and one template, so
    that any beginning of the list has all kinds."""
    gloss, said = iter(glosses(wordnet)), iter(utterances(conversations))
    made = iter(templated(wordnet, count // 10 + 1))
    kinds = [gloss, said, gloss, said, gloss, made, gloss, said, gloss, said]
    return [next(kinds[i % 10]) for i in range(count)]
