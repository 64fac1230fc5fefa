"""Made-up transcripts of Claude Code."""

from __future__ import annotations

from typing import Any, ClassVar

import orjson

from made.transcript import Step, Writer, directory_name, iso, uuid4


class ClaudeWriter(Writer):
    """Claude Code: one block a line, results as user records, links by `parentUuid`."""

    agent = "claude-code"
    TOOLS: ClassVar[dict[str, str]] = {"shell": "Bash", "read": "Read", "edit": "Edit", "grep": "Grep"}
    SPILL_BYTES = 100_000
    store = "/home/dev/.claude"
    """The agent's own directory, as it names it in a transcript."""
    last: str | None = None
    version = "2.1.300"
    old = False
    """Versions before 2.1 wrote a `progress` line every other moment."""

    @property
    def path(self) -> str:
        base = f"claude/projects/{directory_name(self.cwd)}"
        return f"{base}/{self.parent}/subagents/agent-{self.session}.jsonl" if self.parent else f"{base}/{self.session}.jsonl"

    def node(self, kind: str, **more: Any) -> str:
        """Write one record of the tree and return its uuid."""
        uid = uuid4(self.rng)
        record: dict[str, Any] = {
            "parentUuid": self.last,
            "isSidechain": self.parent is not None,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.parent or self.session,
            "version": self.version,
            "gitBranch": self.branch,
            "type": kind,
        }
        if self.parent:
            record["agentId"] = self.session
        record |= more
        record["uuid"] = uid
        record["timestamp"] = self.tick()
        self.emit(record)
        self.last = uid
        return uid

    def say(self, message: str, block: dict[str, Any]) -> str:
        """Write one block of an assistant message."""
        body: dict[str, Any] = {
            "id": message,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [block],
        }
        if self.noise:
            r = self.rng.getrandbits
            body["usage"] = {
                "input_tokens": r(4),
                "cache_creation_input_tokens": r(12),
                "cache_read_input_tokens": r(17),
                "output_tokens": r(10),
                "service_tier": "standard",
            }
        return self.node("assistant", message=body, requestId=f"req_{self.rng.getrandbits(96):024x}")

    def bookkeeping(self) -> None:
        """Write what Claude Code writes between the lines."""
        r = self.rng
        if self.old and r.random() < 0.8:
            self.node(
                "progress",
                data={
                    "type": "hook_progress",
                    "hookEvent": "PostToolUse",
                    "hookName": "PostToolUse:Bash",
                    "command": "callback",
                },
                toolUseID=f"toolu_{r.getrandbits(96):024x}",
            )
        if r.random() < 0.12:
            self.node(
                "attachment",
                attachment={
                    "type": r.choice(("todo_reminder", "edited_text_file", "hook_success")),
                    "content": "reminder " * r.randrange(1, 60),
                    "itemCount": r.randrange(9),
                },
            )
        if r.random() < 0.12:
            self.emit(
                {
                    "type": "file-history-snapshot",
                    "messageId": self.last,
                    "isSnapshotUpdate": False,
                    "snapshot": {
                        "messageId": self.last,
                        "timestamp": iso(self.at),
                        "trackedFileBackups": {
                            f"src/f{k}.py": {"backupFileName": f"{r.getrandbits(64):016x}@v1", "version": 1}
                            for k in range(r.randrange(1, 9))
                        },
                    },
                }
            )

    def step(self, step: Step) -> None:
        if self.noise:
            self.bookkeeping()
        message = f"msg_{self.rng.getrandbits(96):024x}"
        if step.kind == "user":
            self.node("user", message={"role": "user", "content": step.text}, promptSource="typed")
        elif step.kind == "assistant":
            if self.noise and self.rng.random() < 0.4:
                self.say(
                    message,
                    {
                        "type": "thinking",
                        "thinking": step.text[: 40 + self.rng.getrandbits(9)],
                        "signature": f"{self.rng.getrandbits(1600):x}",
                    },
                )
            self.say(message, {"type": "text", "text": step.text})
        elif step.kind == "summary":
            before, self.last = self.last, None
            self.node(
                "system",
                subtype="compact_boundary",
                content="Conversation compacted",
                logicalParentUuid=before,
                compactMetadata={"trigger": "auto", "preTokens": 100_000 + self.rng.getrandbits(16)},
            )
            self.node(
                "user",
                isCompactSummary=True,
                isVisibleInTranscriptOnly=True,
                message={
                    "role": "user",
                    "content": "This session is being continued from a previous conversation.\n" + step.text,
                },
            )
        else:
            self.call(step, message)

    def call(self, step: Step, message: str) -> None:
        """Write a tool call and its result."""
        tool = f"toolu_{self.rng.getrandbits(96):024x}"
        inputs: dict[str, dict[str, Any]] = {
            "shell": {"command": step.target, "description": "Run a command"},
            "read": {"file_path": step.target},
            "edit": {"file_path": step.target, "old_string": step.new[: len(step.new) // 2], "new_string": step.new},
            "grep": {"pattern": step.target, "path": self.cwd},
        }
        call = self.say(message, {"type": "tool_use", "id": tool, "name": self.TOOLS[step.kind], "input": inputs[step.kind]})
        failed = step.exit_status != 0
        text = f"Exit code {step.exit_status}\n{step.text}" if failed else step.text
        result: Any = {"stdout": step.text, "stderr": "", "interrupted": False, "isImage": False}
        if step.kind == "edit":
            result = {"filePath": step.target, "newString": step.new, "structuredPatch": [], "userModified": False}
        if len(text) > self.SPILL_BYTES and self.noise and not self.parent:
            name = f"{self.session}/tool-results/{tool}.txt"
            self.side[name] = text.encode()
            spilled = f"{self.store}/projects/{directory_name(self.cwd)}/{name}"
            where = f"Output too large. Full output saved to: {spilled}"
            text = f"<persisted-output>\n{where}\n\nPreview:\n{text[:2000]}\n</persisted-output>"
            result = {"stdout": text[:2000], "stderr": "", "interrupted": False, "persistedOutputPath": spilled}
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": tool, "content": text}
        if failed:
            block["is_error"] = True
        self.node(
            "user",
            message={"role": "user", "content": [block]},
            toolUseResult=f"Error: {text}" if failed else result,
            sourceToolAssistantUUID=call,
        )

    def title(self, text: str) -> None:
        self.emit({"type": "ai-title", "aiTitle": text, "sessionId": self.session})
        self.emit({"type": "last-prompt", "leafUuid": self.last, "sessionId": self.session})

    def describe(self, description: str) -> None:
        """Say what this sub-agent was started for (its `meta.json`)."""
        self.side[f"agent-{self.session}.meta.json"] = orjson.dumps(
            {
                "agentType": "general-purpose",
                "description": description,
                "toolUseId": f"toolu_{self.rng.getrandbits(96):024x}",
                "spawnDepth": 1,
            }
        )
