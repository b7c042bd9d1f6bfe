"""Words that questions are built with, by language. Invariant: lists hold words as `text.words` gives them."""

from __future__ import annotations

from collections.abc import Mapping

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

# Written with `е` for `ё`, as the terms of an analysed text are.
_RUSSIAN = """
в во на с со к ко о об обо от ото по за из изо у до для без при про над под
и а но или либо да если что чтобы то как так тогда когда хотя потому поэтому
не ни ли же бы уж уже еще ну вот ведь лишь только даже разве нет тоже также
я меня мне мной мы нас нам нами ты тебя тебе вы вас вам вами он она оно они его ее ей ему им их ими нее ней него них
мой моя мое мои наш наша наше наши ваш ваша ваше ваши свой своя свое свои себя себе
это этот эта эти этого этой этом этому этих тот та те того той том
кто кого кому чей чего чему чем какая какое какие какого какому каком какой какую каких каким какими
где куда откуда зачем почему сколько скольких
быть был была было были буду будет будут есть может могу можно ли надо нужно
"""

STOP_WORDS_BY_LANG: Mapping[str, frozenset[str]] = {
    lang: frozenset(words(text)) for lang, text in (("en", _ENGLISH), ("bn", _BANGLA), ("ru", _RUSSIAN))
}
"""Stop words per language code, for the languages that have a list."""
