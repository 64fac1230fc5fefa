"""What is known of a thread while its rollout is read, and how its records and facts are made.

Nothing is held back: a record is made of the first copy that comes (`copies`), so that a line is findable as soon as it
is written. What has to be known of earlier lines is bounded and lies in `state()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recall import frame
from recalld.model import Fact, FactName, Item, Message, Record
from recalld.sources.base import Line, SourceFile
from recalld.sources.codex import calls, copies, injected, outputs
from recalld.sources.codex.identity import named, sub_agent
from recalld.sources.jsonl import cut, epoch_ms, integer, string, text_of

Json = dict[str, Any]

TITLE_RANK = 30
"""Names that a person or the agent gave a thread; Codex has one kind only."""

INHERITED = "inherited_user_message"
"""The mark in a line's metadata that says that it was copied from the thread this one was forked from."""

_NOTHING: Sequence[Item] = ()
_COMPACTION = b"compaction"


class Thread:
    """The thread that a rollout file holds. Each method takes what one line says and returns what it makes."""

    def __init__(self, file: SourceFile, segment: str | None, state: Mapping[str, Any] | None) -> None:
        """`segment` is the part of the file's name that tells it from the thread's first file."""
        kept = state or {}
        self._segment = segment
        self._session: str = kept.get("session") or file.session or file.logical
        self._identified: bool = kept.get("identified", False)
        self._forked: bool = kept.get("forked", False)
        self.project: str | None = kept.get("project")
        self._told_project: bool = kept.get("told_project", False)
        self._moved: bool = kept.get("moved", False)
        self._branch: str | None = kept.get("branch")
        self._model: str | None = kept.get("model")
        self.time: int | None = kept.get("time")
        self._skip_below: int = kept.get("skip_below", 0)
        self._prefix: str | None = kept.get("prefix")
        self._tokens: int | None = kept.get("tokens")
        self._copies = copies.Copies(kept.get("copies"))
        self._calls = copies.Calls(kept.get("calls"), kept.get("running"))
        self._line = Line(0, 0, -1, {})
        self._ordinal: int | None = None

    def state(self) -> dict[str, Any]:
        return {
            "session": self._session,
            "identified": self._identified,
            "forked": self._forked,
            "project": self.project,
            "told_project": self._told_project,
            "moved": self._moved,
            "branch": self._branch,
            "model": self._model,
            "time": self.time,
            "skip_below": self._skip_below,
            "prefix": self._prefix,
            "tokens": self._tokens,
            "copies": self._copies.state(),
            "calls": self._calls.state(),
            "running": self._calls.running,
        }

    def begin(self, line: Line, kind: str | None) -> bool:
        """Go on to `line`, and say whether it is this thread's. A line without a time has that of the one before."""
        data = line.data
        ordinal = data.get("ordinal")
        if type(ordinal) is not int:
            ordinal = None
        elif ordinal < self._skip_below and kind != "session_meta":
            return False  # a sub-agent's file begins with its parent's history
        self._line, self._ordinal = line, ordinal
        time = epoch_ms(data.get("timestamp"))
        if time is not None:
            self.time = time
        if self._prefix is None:
            restarts = self._segment is not None and not ordinal
            self._prefix = f"@{self._segment}." if restarts else "@"
        return True

    # -- what is known of the session ----------------------------------------------------------------------------------

    def meta(self, payload: Json) -> Sequence[Item]:
        """Take the file's identity from its first session_meta; those that follow are replayed, or repeat it.

        The first one that is replayed names the original where the identity does not.
        """
        id = string(payload.get("id"))
        if self._identified and id != self._session:
            return self._forked_from(id)
        first, self._identified = not self._identified, True
        if id:
            self._session = id
        moved = self._work_in(payload)
        git = payload.get("git")
        if isinstance(git, dict) and (branch := string(git.get("branch"))):
            self._branch = branch
        return self._identity(payload) if first else moved

    def _identity(self, payload: Json) -> Sequence[Item]:
        facts: list[Item] = []
        self._skip_below = integer(payload.get("subagent_history_start_ordinal")) or 0
        if provider := string(payload.get("model_provider")):
            facts.append(self.fact("provider", provider))
        started = epoch_ms(payload.get("timestamp"))
        if started is not None and self._segment is None:
            facts.append(self.fact("started", started))
        if spawn := sub_agent(payload):
            facts.append(self.fact("sub_agent", {"type": spawn[0], "description": spawn[2], "call": None}))
            if spawn[1]:
                facts.append(self.fact("parent_session", spawn[1]))
        return [*facts, *self._forked_from(string(payload.get("forked_from_id")))]

    def _forked_from(self, original: str | None) -> Sequence[Item]:
        skipped = self._skip_below and self._ordinal is not None
        if not original or original == self._session or self._forked or skipped:
            return _NOTHING
        self._forked = True
        return [self.fact("forked_from", original)]

    def context(self, payload: Json) -> Sequence[Item]:
        """Directory and model, as a turn_context or changed settings give them."""
        if model := string(payload.get("model")):
            self._model = model
        return self._work_in(payload)

    def _work_in(self, payload: Json) -> Sequence[Item]:
        """Take the directory from here on. The first time that it changes, tell the one that the session began in:
        there may be no record of it."""
        if not (cwd := calls.directory(payload.get("cwd"))):
            return _NOTHING
        began, self.project = self.project, cwd
        told, self._told_project = self._told_project, True
        if not told or began == cwd or self._moved:
            return _NOTHING
        self._moved = True
        return [self.fact("first_project", began)] if self._segment is None else _NOTHING

    @property
    def line(self) -> Json:
        return self._line.data

    def fact(self, name: FactName, value: Any) -> Fact:
        return Fact(name, value, self._session, None, self.time, self._line.offset)

    # -- messages ------------------------------------------------------------------------------------------------------

    @property
    def place(self) -> str:
        """The id of what has none: `@` and the line's ordinal, or its number (`Line.place`)."""
        if self._ordinal is not None:
            return f"{self._prefix}{self._ordinal}"
        return f"{self._prefix}{self._line.place}"

    def emit(self, uid: str, record: Record) -> Sequence[Item]:
        uid = named(record, uid, self._segment)
        if record.role == "assistant":
            record.model = self._model
        at = (self.time, self._line.offset, self._line.length)
        metadata = self.line.get("metadata")
        inherited = metadata is not None and isinstance(metadata, dict) and metadata.get(INHERITED) is True
        return (Message(self._session, uid, None, *at, [record], self.project, self._branch, inherited),)

    def user(self, text: str, form: int, id: str | None) -> Sequence[Item]:
        """What a person said, in one of its forms."""
        text = injected.without_injected(text)
        return self.say("user", text, form, id) if text else _NOTHING

    def assistant(self, text: str, form: int, id: str | None) -> Sequence[Item]:
        """What the model said, in one of its forms."""
        text = injected.without_citations(text)
        return self.say("assistant", text, form, id) if text else _NOTHING

    def say(self, who: str, text: str, form: int, id: str | None) -> Sequence[Item]:
        clash = id is not None and self._copies.knows(id)
        if not self._copies.is_first(copies.key_of(who, text), form, id):
            return _NOTHING
        uid = self.place if id is None else f"{id}{self.place}" if clash else id
        kept, truncated = cut(text)
        return self.emit(uid, Record("user" if who == "user" else "assistant", "message", kept, truncated=truncated))

    def between_agents(self, text: str, form: int, id: str | None) -> Sequence[Item]:
        """What one agent wrote to another; no person said it, and it ends no turn."""
        text = frame.strip(text).strip()
        return self.say("agent", text, form, id) if text else _NOTHING

    def directory_in(self, content: object) -> None:
        """Take the working directory out of the environment block, where no line names it."""
        if not self._told_project and (found := injected.directory_in(text_of(content))):
            self.project = found

    def completed(self, payload: Json) -> Sequence[Item]:
        """The end of a turn, which repeats the model's last words."""
        return self.assistant(string(payload.get("last_agent_message")) or "", copies.COMPLETE, None)

    def turn_started(self, payload: Json) -> Sequence[Item]:
        self._copies.new_turn()
        return _NOTHING

    def rolled_back(self, payload: Json) -> Sequence[Item]:
        turns = integer(payload.get("num_turns"))
        self._copies.new_turn()
        return [self.fact("rolled_back", turns)] if turns and turns > 0 else _NOTHING

    # -- tools ---------------------------------------------------------------------------------------------------------

    def call(self, id: str | None, record: Record, *, response: bool, continues: str | None = None) -> Sequence[Item]:
        """A tool call, in one of its forms: the first one makes the record. `continues` names what it has go on."""
        if id is None:
            return self.emit(self.place, record)
        known = self._calls.get(id)
        if known.called:
            if not (response and known.response and known.answered):
                known.response |= response
                return _NOTHING
            known = self._calls.new(id, f"{id}{self.place}")  # answered before, and called again: the id is used anew
        known.called, known.tool, known.response = True, record.tool, response
        known.origin, ours = self._calls.continued(continues)
        known.ours = ours or calls.is_ours(record)
        record.call = known.uid
        return self.emit(known.uid, record)

    def output(self, id: str | None, result: outputs.Output) -> Sequence[Item]:
        """A tool's output, in one of its forms. A later form counts only when it knows how the command ended."""
        kept, truncated = cut(frame.strip(result.text))
        status, flag = result.ended(self._calls.get(id).tool if id is not None else None)
        record = Record("tool", "output", kept, call=id, exit_status=status, is_error=flag, truncated=truncated)
        if id is None:
            return self.emit(f"{self.place}:out", record)
        known = self._calls.get(id)
        if result.running is not None:
            self._calls.goes_on(result.running, known)
        if known.ours:
            known.answered = True
            return _NOTHING
        record.tool, record.call = known.tool, known.origin or known.uid
        uid = f"{known.uid}:out"
        if known.answered:
            if not known.unsettled or status is None:
                return _NOTHING
            uid = f"{known.uid}:exit"
        known.answered = True
        known.unsettled = status is None and flag is None and known.tool in calls.SHELL_TOOLS
        return self.emit(uid, record)

    def search(self, id: str | None, record: Record, subject: str, form: int) -> Sequence[Item]:
        """A search on the web, in one of its forms, of which not all have the call's id."""
        if id is not None and self._calls.get(id).called:
            return _NOTHING
        if not self._copies.is_first(copies.key_of("web", subject), form, None):
            if id is not None:
                self._calls.get(id).called = True
            return _NOTHING
        return self.call(id, record, response=form == copies.RESPONSE)

    def shell_of_user(self, script: str, result: outputs.Output, id: str | None, form: int) -> Sequence[Item]:
        """A command that a person ran with `!`."""
        if not script or not self._copies.is_first(copies.key_of("!", script), form, None):
            return _NOTHING
        record = calls.command(None, script, None, None)
        record.role = "user"
        return [*self.call(id or self.place, record, response=False), *self.output(id or self.place, result)]

    # -- compaction ----------------------------------------------------------------------------------------------------

    def compaction(self, form: int) -> Sequence[Item]:
        if not self._copies.is_first(_COMPACTION, form, None):
            return _NOTHING
        return [self.fact("compaction", {"before": self._tokens, "after": None, "messages": None})]

    def compacted(self, payload: Json) -> Sequence[Item]:
        found = self.compaction(copies.COMPLETE)
        text = frame.strip(string(payload.get("message")) or "").strip()
        if text:
            kept, truncated = cut(text)
            found = [*found, *self.emit(self.place, Record("system", "summary", kept, truncated=truncated))]
        return found

    def token_count(self, payload: Json) -> Sequence[Item]:
        info = payload.get("info")
        usage = info.get("last_token_usage") if isinstance(info, dict) else None
        self._tokens = (integer(usage.get("total_tokens")) if isinstance(usage, dict) else None) or self._tokens
        return _NOTHING

    def title(self, payload: Json) -> Sequence[Item]:
        name = string(payload.get("thread_name"))
        return [self.fact("title", {"text": name, "rank": TITLE_RANK, "at": self.time})] if name else _NOTHING
