"""The language of comments, of functions' names and of the sentences in string literals (messages, help, log lines), for
check-sources: which words they use, how they open, and how long a comment's lines are.

Documentation/Glossary.md has the words to use.
"""

import re

LONGEST_COMMENT_LINE = 120

# A doc comment opens with a verb, a noun or "Whether", not with a relative clause. So does a paragraph of it: an empty
# line is a second space here.
OPENINGS = re.compile(r"(?:^|  )(?:What|Who|Whom|Whose|Whoever|Whatever|Where|Wherever|How|Those|Of|That|Whichever)\b")
# Subjects without a name, places without a name, and a private verb.
VAGUE = re.compile(
    r"\b(?:somebody|someone|nobody|no one|anybody|everybody|whoever|whomever|whatever|whichever|a person|persons?|people"
    r"|(?:is|are|be) here|is there|(?:is |are )?told of|lets? go of|letting go of|has to do with)\b",
    re.IGNORECASE)
# "has its copy be at …": the causative. A verb or a "that" in between begins another clause.
CAUSATIVE = re.compile(
    r"\b(?:has|have|having) (?:an?|the|its|their|it|them|every|each|all|that|this)"
    r"(?: (?!(?:that|which|who|to|may|might|can|could|must|will|would|should)\b)\w+){0,3} be\b")
# Words of our own, or of other systems, for what the glossary has a term for. Only those that mean nothing else.
SYNONYMS = [
    (re.compile(r"\b(?:re)?hydrat(?:e[sd]?|ing|ion)\b|\bdownload(?:s|ed|ing)? on demand\b", re.IGNORECASE), "materialize"),
    (re.compile(r"\bdehydrat(?:e[sd]?|ing|ion)\b|\boff-?load(?:s|ed|ing)?\b", re.IGNORECASE), "evict"),
    (re.compile(r"\bdoubt(?:s|ed|ful)?\b", re.IGNORECASE), "uncertain, to revalidate"),
    (re.compile(r"^Innermost\b"), "leaf lock"),
]
# A function's name begins with its subject or its verb, not with a relative clause, and names its subject.
FUNCTION = re.compile(r"\bfunc (\w+)")
VAGUE_NAME = re.compile(
    r"^(?:what|who|whom|whose|whoever|whatever|where|how|those|that)[A-Z]"
    r"|[Ss]omebody|[Nn]obody|[Ww]hoever|^persons?[A-Z]|Persons?(?![a-z])|ToldOf|Lets?GoOf|(?:Is|Are)Here(?![a-z])")
# Any other name in code may have any words.
CODE_SPAN = re.compile(r"(`+)[^`]*\1")
# A message says what a thing is not, and names what is meant.
MESSAGE = [
    (re.compile(r"(?<!\bthere )(?<!\bThere )\b(?:is|are|was|were) no (?!longer\b|more\b)\w+"), "say “is not a”"),
    (re.compile(r"\b[Ww]hat is to be\b|\bsomething\b|\bsays nothing\b"), "name what is meant"),
]
# A statement in SQL has the names of its tables.
STATEMENT = re.compile(r"\s*(?:CREATE|INSERT|SELECT|DELETE|UPDATE|PRAGMA|DROP|ALTER)\b")
# A word of a literal that is an identifier, a path, an option or an address.
CODE_WORD = re.compile(r"\S*\w[._/:=@-]\w\S*")
MARKER = re.compile(r"(///|//|/\*+)\s?")
BLOCK_END = re.compile(r"\s*\*/$")


def blocks(comments):
    """The comments of a file, lines that belong together as one: number of the first line, marker, text.

    The lines are those of check-sources' `split`: all but the comments is blanked out.
    """
    start, kind, lines = 0, None, []
    within = False
    for number, line in enumerate(comments, 1):
        line = line.strip()
        if within:
            lines.append(BLOCK_END.sub("", line.removeprefix("* ")))
            within = not line.endswith("*/")
            continue
        found = MARKER.match(line)
        marker = found and found.group(1)
        if lines and (marker != kind or kind.startswith("/*")):
            yield start, kind, " ".join(lines)
            lines = []
        if not found:
            continue
        if not lines:
            start, kind = number, marker
        rest = line[found.end():]
        within = marker.startswith("/*") and not rest.endswith("*/")
        lines.append(BLOCK_END.sub("", rest) if marker.startswith("/*") else rest)
    if lines:
        yield start, kind, " ".join(lines)


def faults_of_words(kind, text):
    """Messages about one comment."""
    text = CODE_SPAN.sub("``", text)
    if kind == "///" and (found := OPENINGS.search(text)):
        yield f"the comment opens with “{found.group(0).strip()}”, not with a verb, a noun or “Whether”"
    for found in VAGUE.finditer(text):
        yield f"“{found.group(0)}” does not name what it means (Documentation/Glossary.md)"
    for found in CAUSATIVE.finditer(text):
        yield f"“{found.group(0)}”: say makes, causes or ensures"
    if not text.startswith("MARK:"):
        for pattern, term in SYNONYMS:
            for found in pattern.finditer(text):
                yield f"“{found.group(0)}”: the glossary's word is “{term}”"


def literals(text, code, comments):
    """The text of a file's string literals: number of the first line, text. Lines without code in between belong together.

    A literal is all that is neither code nor a comment. An interpolation in it counts as one word.
    """
    start, parts = 0, []
    for number, (line, own, comment) in enumerate(zip(text.splitlines(), code, comments), 1):
        words = "".join(
            "\0" if mine != " " or remark != " " else letter
            for letter, mine, remark in zip(line, own.ljust(len(line)), comment.ljust(len(line))))
        words = re.sub(r"\\\([^)]*\)|\\[nt\"\\]", " … ", words)
        pieces = [piece for piece in re.split(r"\0[\s\0]*|\"+", words)]
        whole = len(pieces) == 1
        if parts and not whole:
            yield start, " ".join(parts)
            parts = []
        if whole and pieces[0].strip():
            if not parts:
                start = number
            parts.append(pieces[0].strip())
        elif not whole:
            for piece in pieces:
                if " " in piece.strip():
                    yield number, piece.strip()
    if parts:
        yield start, " ".join(parts)


def faults_of_sentences(text):
    """Messages about one literal. One that is a single word is no sentence."""
    if STATEMENT.match(text):
        return
    text = CODE_WORD.sub("", text)
    if " " not in text.strip():
        return
    for found in VAGUE.finditer(text):
        yield f"“{found.group(0)}” in a message does not name what it means (Documentation/Glossary.md)"
    for found in CAUSATIVE.finditer(text):
        yield f"“{found.group(0)}” in a message: say makes, causes or ensures"
    for pattern, term in SYNONYMS:
        for found in pattern.finditer(text):
            yield f"“{found.group(0)}” in a message: the glossary's word is “{term}”"
    for pattern, advice in MESSAGE:
        for found in pattern.finditer(text):
            yield f"“{found.group(0)}” in a message: {advice}"


def faults_of_messages(text, code, comments):
    """Sentences in string literals that are not in the language of the glossary."""
    if text.startswith("// Generated by "):
        return
    for number, words in literals(text, code, comments):
        for message in faults_of_sentences(words):
            yield number, message


def faults_of_language(text, code, comments):
    """Comments that are not in the language of the glossary, and their lines that are too long."""
    if text.startswith("// Generated by "):
        return
    lines = text.splitlines()
    for number, comment in enumerate(comments, 1):
        if len(comment) > LONGEST_COMMENT_LINE and comment.strip() and not code[number - 1].strip():
            yield number, f"{len(lines[number - 1])} columns; a line of a comment has at most {LONGEST_COMMENT_LINE}"
    for number, kind, words in blocks(comments):
        for message in faults_of_words(kind, words):
            yield number, message
    for number, line in enumerate(code, 1):
        for found in FUNCTION.finditer(line):
            if VAGUE_NAME.search(found.group(1)):
                yield number, f"“{found.group(1)}” does not name its subject"


def self_test(split):
    """What the rules must find, and what they must not; `split` is check-sources' own."""
    def messages(source):
        code, comments = split(source)
        return [message for _, message in faults_of_language(source, code, comments)]

    harmless = [
        "/// Whether the item is local.\n/// How it came is of no account.",
        "// What is open stays open.",
        'let nobody = "somebody is here" // Names and literals.',
        "/// Returns `nobody` for ``Doubt/somebody``.",
        "// MARK: Doubts",
        "// A client has the item.\n\n/* It may be dirty. */",
        "let a = 1 // " + "x" * 120,
        "// Generated by a script: nobody reads it.",
        "/// It has a size that may be unknown.",
        "func whatever() {}\nfunc personalData() {}\nfunc showsItems() {}",
    ]
    harmful = [
        "/// What was said.", "/// A.\n\n/// Where it lies.", "/// A.\n///\n/// What it is.", "    /// Of the file.", "// No client, nobody at all.",
        "/* Someone\n * waits. */",
        "/// The process is told\n/// of the change.", "// It lets go of the lock.", "// It stays, whatever its name.", "// Contents are here.", "let a = b // for people",
        "/// Has no effect, but has the copy be at its place.", "// A hydrated file.", "// The item is in doubt.", "// Innermost.",
        "// " + "x" * 118, "/* a */\n// Nobody.", "#if A\n/*\n   A person.\n */\n#endif",
        "@Test func whatIsSetIsKept() {}", "func closedByPerson() {}", "func readersOfWhoeverWrites() {}", "func aFileIsHere() {}",
    ]
    for source in harmless:
        assert not messages(source), (source, messages(source))
    for source in harmful:
        assert len(messages(source)) == 1, (source, messages(source))
    plain = [
        'let a = "somebody"', 'throw E("there is no such item") // nobody', 'run("SELECT nobody FROM doubts")', 'f("public.person is a type")',
        'let a = "it is no longer open"', 'let b = """\n    The item is\n    not local.\n    """', 'f("\\(nobody) is open")', "f(#\"a \\d+ b\"#)",
    ]
    faulty = [
        'let a = "somebody waits"', 'throw E("\\(name) is no file")', 'let b = """\n    The process is told\n    of the change.\n    """',
        'f("a", "the item is in doubt")', 'f("it lets go of the lock")', 'f("which items? what is to be found")', 'f("has the copy be at its place")',
    ]
    for source in plain:
        assert not list(faults_of_messages(source, *split(source))), (source, list(faults_of_messages(source, *split(source))))
    for source in faulty:
        assert len(list(faults_of_messages(source, *split(source)))) == 1, (source, list(faults_of_messages(source, *split(source))))
    code, comments = split("let a = 1\n\n// One.\n// Somebody.\n")
    assert [number for number, _ in faults_of_language("", code, comments)] == [3]
