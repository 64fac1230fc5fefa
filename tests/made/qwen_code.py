"""Made-up transcripts of Qwen Code."""

from __future__ import annotations

from typing import Any, ClassVar

import orjson

from made.transcript import Step, Writer, directory_name, iso, uuid4


class QwenWriter(Writer):
    """Qwen Code: parts in one message, results as `tool_result`, telemetry in the chain of links."""

    agent = "qwen-code"
    TOOLS: ClassVar[dict[str, str]] = {
        "shell": "run_shell_command",
        "read": "read_file",
        "edit": "edit",
        "grep": "grep_search",
    }
    last: str | None = None

    @property
    def path(self) -> str:
        base = f"qwen/projects/{directory_name(self.cwd)}"
        return (
            f"{base}/subagents/{self.parent}/agent-{self.session}.jsonl"
            if self.parent
            else f"{base}/chats/{self.session}.jsonl"
        )

    def node(self, kind: str, **more: Any) -> str:
        """Write one record and return its uuid."""
        uid = uuid4(self.rng)
        record: dict[str, Any] = {
            "uuid": uid,
            "parentUuid": self.last,
            "sessionId": self.parent or self.session,
            "timestamp": self.tick(),
            "type": kind,
            "cwd": self.cwd,
            "version": "0.24.4",
            "gitBranch": self.branch,
        }
        if self.parent:
            record |= {"isSidechain": True, "agentId": self.session}
        self.emit(record | more)
        self.last = uid
        return uid

    def telemetry(self, name: str) -> None:
        """Write one `ui_telemetry` line."""
        if self.noise:
            r = self.rng.getrandbits
            self.node(
                "system",
                subtype="ui_telemetry",
                systemPayload={
                    "uiEvent": {
                        "event.name": name,
                        "event.timestamp": iso(self.at),
                        "model": self.model,
                        "duration_ms": r(13),
                        "status_code": 200,
                        "input_token_count": r(16),
                        "output_token_count": r(10),
                        "prompt_id": f"{self.session}########{r(6)}",
                    }
                },
            )

    def step(self, step: Step) -> None:
        if step.kind == "user":
            self.node("user", provenance="real_user", message={"role": "user", "parts": [{"text": step.text}]})
        elif step.kind == "assistant":
            parts: list[dict[str, Any]] = [{"text": step.text}]
            if self.noise and self.rng.random() < 0.5:
                parts.insert(0, {"text": step.text[:200], "thought": True})
            self.node(
                "assistant",
                model=self.model,
                message={"role": "model", "parts": parts},
                usageMetadata={
                    "promptTokenCount": self.rng.getrandbits(16),
                    "candidatesTokenCount": self.rng.getrandbits(10),
                },
            )
            self.telemetry("qwen-code.api_response")
        elif step.kind == "summary":
            self.node(
                "system",
                subtype="chat_compression",
                systemPayload={
                    "info": {"originalTokenCount": 90_000, "newTokenCount": 9_000, "compressionStatus": 1},
                    "compressedHistory": [{"role": "user", "parts": [{"text": step.text}]}],
                },
            )
        else:
            self.call(step)

    def call(self, step: Step) -> None:
        """Write a tool call and its result."""
        call, name = f"call_{self.rng.getrandbits(96):024x}", self.TOOLS[step.kind]
        args: dict[str, dict[str, Any]] = {
            "shell": {"command": step.target, "is_background": False},
            "read": {"file_path": step.target},
            "edit": {"file_path": step.target, "old_string": step.new[: len(step.new) // 2], "new_string": step.new},
            "grep": {"pattern": step.target, "path": self.cwd},
        }
        self.node(
            "assistant",
            model=self.model,
            message={"role": "model", "parts": [{"functionCall": {"id": call, "name": name, "args": args[step.kind]}}]},
        )
        self.telemetry("qwen-code.api_response")
        text = (
            step.text
            if step.exit_status == 0
            else f"Command: {step.target}\nOutput: {step.text}\nExit Code: {step.exit_status}"
        )
        self.node(
            "tool_result",
            message={
                "role": "user",
                "parts": [{"functionResponse": {"id": call, "name": name, "response": {"output": text}}}],
            },
            toolCallResult={
                "callId": call,
                "status": "error" if step.exit_status else "success",
                "resultDisplay": text[:500],
            },
        )
        self.telemetry("qwen-code.tool_call")

    def title(self, text: str) -> None:
        self.node("system", subtype="custom_title", systemPayload={"customTitle": text})

    def describe(self, description: str) -> None:
        """Say what this sub-agent was started for (its `meta.json`)."""
        self.side[f"agent-{self.session}.meta.json"] = orjson.dumps(
            {
                "agentType": "general-purpose",
                "description": description,
                "parentSessionId": self.parent,
                "status": "completed",
                "depth": 1,
            }
        )
