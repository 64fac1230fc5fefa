"""What is said and done in any session whatever it is about: the small talk around a made-up incident."""

from __future__ import annotations

from random import Random

from made.text import Text
from made.transcript import Step

PEOPLE = (
    "ok, continue",
    "yes please",
    "run the tests again",
    "looks good, commit it",
    "hm, not sure about that name, can you think of a better one?",
    "wait, show me the diff first",
    "and the docs?",
    "let's do that tomorrow",
    "can you explain that part again, shorter",
    "no, keep the old behaviour",
    "what else uses this?",
    "go on",
    "please don't touch the public interface",
    "good. next one",
    "how long did that take?",
    "write a test for it",
    "is there a simpler way?",
    "undo the last change",
)
AGENTS = (
    "I will look at the callers first.",
    "The tests pass. Shall I commit?",
    "I read the module; it does three things, and only the first one is ours.",
    "Nothing else uses it.",
    "Renamed, and the docs follow.",
    "Here is a smaller version of the change.",
    "Two warnings are left, both older than this change.",
    "I kept the behaviour and only moved the code.",
    "It is done; the working tree is clean.",
    "Let me check the types before I go on.",
    "The change is small: one function, one test.",
    "I would leave that as it is.",
)
COMMANDS = (
    "git status --short",
    "git diff --stat",
    "ls",
    "git log --oneline -5",
    "make test",
    "make lint",
    "wc -l src/*",
    "cat README.md",
    "git stash list",
)
OTHERS = {
    "de": ("weiter bitte", "die Tests nochmal laufen lassen", "gut, einchecken"),
    "es": ("sigue, por favor", "ejecuta las pruebas otra vez", "bien, haz el commit"),
    "zh": ("继续", "再跑一遍测试", "可以,提交吧"),
    "ja": ("続けてください", "もう一度テストしてください", "コミットしてください"),
    "ko": ("계속해 주세요", "테스트를 다시 실행해 주세요", "좋아요, 커밋해 주세요"),
    "fr": ("continue", "relance les essais", "très bien, enregistre"),
}


def chatter(rng: Random, text: Text, n: int) -> list[Step]:
    """Return `n` steps of small talk and routine commands; output is of coined words."""
    steps = []
    for _ in range(n):
        k = rng.random()
        if k < 0.25:
            steps.append(Step("user", rng.choice(PEOPLE)))
        elif k < 0.3:
            steps.append(Step("user", rng.choice(rng.choice(list(OTHERS.values())))))
        elif k < 0.6:
            steps.append(Step("assistant", rng.choice(AGENTS)))
        elif k < 0.85:
            steps.append(Step("shell", text.output(rng.randrange(120, 900)), rng.choice(COMMANDS)))
        else:
            steps.append(Step("read", text.code(rng.randrange(200, 1_200)), f"src/{rng.choice(text.names)}.py"))
    return steps
