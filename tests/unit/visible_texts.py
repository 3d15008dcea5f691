"""Texts, and how people are shown them: for the core and for the console."""

MARKED = {
    "Bob\u202e 9001": "Bob[U+202E] 9001",
    "\u202apay\u202c \u2067x\u2069": "[U+202A]pay[U+202C] [U+2067]x[U+2069]",
    "a\u200bb\u200ec\u200fd\u061ce": "a[U+200B]b[U+200E]c[U+200F]d[U+061C]e",
    "a\u2060b\u2064c\ufeffd\xade": "a[U+2060]b[U+2064]c[U+FEFF]d[U+00AD]e",
    "\x00\x07\x1b[2J\x7f\x85\x9b": "[U+0000][U+0007][U+001B][2J[U+007F][U+0085][U+009B]",
    "all well\rnot": "all well[U+000D]not",
    "c\x0bd\x0ce": "c[U+000B]d[U+000C]e",
    "x\U000e0041\U000e007fy": "x[U+E0041][U+E007F]y",
    "x\U000e0100": "x[U+E0100]",
    "a\u3164b\u115fc\uffa0d\u034fe": "a[U+3164]b[U+115F]c[U+FFA0]d[U+034F]e",
    # Joiners where nothing joins: between Latin letters, at an end, and two of them.
    "ad\u200cmin": "ad[U+200C]min",
    "ad\u200dmin": "ad[U+200D]min",
    "\u0645\u200c": "\u0645[U+200C]",
    "\u0645\u200c\u200c\u06cc": "\u0645[U+200C][U+200C]\u06cc",
    "\u0645\u200d\u06cc": "\u0645[U+200D]\u06cc",
    "a\u200d\U0001f525": "a[U+200D]\U0001f525",
}
LEFT = [
    "",
    "Refund 7 EUR to José, 東京、Ελλάδα?",
    "two\nlines\r\nand a\ttab,\u2028of all\u2029kinds",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian: "I want"
    "\u0915\u094d\u200d\u0937",  # Devanagari: a half form
    "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",  # a family
    "\u2764\ufe0f\u200d\U0001f525 \U0001f44d\U0001f3fd 1\ufe0f\u20e3",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "[U+202E]",
]
