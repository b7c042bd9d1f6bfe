"""Words → terms of an index or a query. Invariant: every word is indexed; stop words leave the query only."""

from __future__ import annotations

from evidencedesk.text.words import words

_ENGLISH = """
a an the this that these those some any such
and or but nor so if then than as because while whether though although
of in on at by to from for with without into onto over under about between among during through per via within
after before since until upon against across along around toward towards
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones someone somebody anyone anybody something anything
who whom whose which what when where why how
is am are was were be been being do does did doing done have has had having
can could may might must shall should will would ought need
not no yes please there here also just only very too
get gets got getting let lets
s t d m ll re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn cannot
"""

_BANGLA = """
আমি আমার আমাকে আমরা আমাদের তুমি তোমার আপনি আপনার আপনাদের সে তার তাকে তারা তাদের এটা এটি ওটা এই ওই সেই এর যে যা যদি
কি কী কে কার কাকে কোন কোনো কোথায় কখন কবে কেন কেমন কীভাবে কিভাবে কত কয়
এবং ও আর বা কিন্তু তবে তাই না নয় নেই হয় হবে হয়ে হলে আছে ছিল করে করা করতে করি করব করবো করেন পারি পারব পারবো পারে পারেন
জন্য থেকে দিয়ে সঙ্গে সাথে মধ্যে উপর পরে আগে পর্যন্ত হতে একটি একটা টি টা
"""

STOP_WORDS: frozenset[str] = frozenset(words(_ENGLISH + _BANGLA))
"""English and Bangla words that a question is built with, not about."""


def index_terms(text: str) -> list[str]:
    """All words of `text`, in order and with repetitions."""
    return words(text)


def query_terms(text: str) -> list[str]:
    """The distinct words of a question in order of first occurrence, without stop words."""
    return [word for word in dict.fromkeys(words(text)) if word not in STOP_WORDS]
