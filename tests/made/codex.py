"""Made-up rollouts of Codex."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson

from made.transcript import Step, Writer, iso


class CodexWriter(Writer):
    """Codex CLI: every turn twice. `legacy` is the form before 0.149 (`user_message`), else `item_completed`."""

    agent = "codex"
    legacy = False
    instructions = "You are a coding agent."
    ordinal = 0

    @property
    def path(self) -> str:
        t = datetime.fromtimestamp(self.started // 1000, UTC)
        return f"codex/sessions/{t:%Y/%m/%d}/rollout-{t:%Y-%m-%dT%H-%M-%S}-{self.session}.jsonl"

    def put(self, kind: str, payload: dict[str, Any], wait: int = 6_000) -> None:
        """Write one line."""
        record: dict[str, Any] = {"timestamp": self.tick(1, wait), "type": kind, "payload": payload}
        if not self.legacy:
            record["ordinal"] = self.ordinal
            self.ordinal += 1
        self.emit(record)

    def begin(self) -> None:
        """Write the lines every rollout starts with."""
        if self.lines:
            return
        source: Any = {"subagent": {"thread_spawn": {"parent_thread_id": self.parent, "depth": 1}}} if self.parent else "cli"
        meta: dict[str, Any] = {
            "id": self.session,
            "session_id": self.parent or self.fork_of or self.session,
            "timestamp": iso(self.at),
            "cwd": self.cwd,
            "originator": "codex_cli_rs",
            "cli_version": "0.142.0" if self.legacy else "0.171.0",
            "source": source,
            "model_provider": "openai",
            "history_mode": "legacy" if self.legacy else "paginated",
            "git": {"branch": self.branch, "commit_hash": f"{self.rng.getrandbits(160):040x}"},
        }
        if self.fork_of:
            meta["forked_from_id"] = self.fork_of
        if self.noise:
            meta["base_instructions"] = {"text": self.instructions}
        self.put("session_meta", meta)
        if self.noise:
            self.message("developer", "<permissions instructions>\nSandboxed.\n</permissions instructions>")
        self.message("user", f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>")

    def message(self, role: str, text: str) -> None:
        """Write a `response_item` message."""
        part = "output_text" if role == "assistant" else "input_text"
        self.put("response_item", {"type": "message", "role": role, "content": [{"type": part, "text": text}]}, 3)

    def item(self, item: dict[str, Any]) -> None:
        """Write an `item_completed` event."""
        self.put(
            "event_msg",
            {
                "type": "item_completed",
                "thread_id": self.session,
                "turn_id": f"{self.rng.getrandbits(64):016x}",
                "item": {"id": f"item_{self.rng.getrandbits(64):016x}"} | item,
            },
            3,
        )

    def step(self, step: Step) -> None:
        self.begin()
        if step.kind == "user":
            if self.noise:
                self.put(
                    "turn_context",
                    {
                        "cwd": self.cwd,
                        "model": self.model,
                        "approval_policy": "on-request",
                        "effort": "medium",
                        "sandbox_policy": {"type": "workspace-write"},
                        "summary": "auto",
                    },
                )
            self.message("user", step.text)
            if self.legacy:
                self.put("event_msg", {"type": "user_message", "message": step.text, "images": []}, 3)
            else:
                self.item({"type": "UserMessage", "content": [{"type": "text", "text": step.text}]})
        elif step.kind == "assistant":
            if self.noise:
                self.put(
                    "response_item",
                    {"type": "reasoning", "summary": [], "encrypted_content": f"{self.rng.getrandbits(2400):x}"},
                )
            self.message("assistant", step.text)
            if self.legacy:
                self.put("event_msg", {"type": "agent_message", "message": step.text}, 3)
            else:
                self.item({"type": "AgentMessage", "content": [{"type": "Text", "text": step.text}]})
        elif step.kind == "summary":
            self.put("compacted", {"message": step.text, "replacement_history": []})
        else:
            self.call(step)
        if self.noise and self.rng.random() < 0.3:
            r = self.rng.getrandbits
            usage = {"input_tokens": r(17), "cached_input_tokens": r(16), "output_tokens": r(10), "total_tokens": r(18)}
            self.put("event_msg", {"type": "token_count", "info": {"total_token_usage": usage, "last_token_usage": usage}}, 3)

    def call(self, step: Step) -> None:
        """Write a tool call and its output."""
        call = f"call_{self.rng.getrandbits(96):024x}"
        if step.kind == "edit":
            path = step.target.removeprefix(self.cwd + "/")
            body = "\n".join("+" + line for line in step.new.split("\n"))
            self.put(
                "response_item",
                {
                    "type": "custom_tool_call",
                    "status": "completed",
                    "name": "apply_patch",
                    "call_id": call,
                    "input": f"*** Begin Patch\n*** Update File: {path}\n@@\n{body}\n*** End Patch\n",
                },
            )
            self.put("response_item", {"type": "custom_tool_call_output", "call_id": call, "output": step.text})
            return
        command = {"shell": step.target, "read": f"sed -n '1,200p' {step.target}", "grep": f"rg -n '{step.target}'"}[step.kind]
        if self.legacy:
            arguments: dict[str, Any] = {"command": ["bash", "-lc", command], "workdir": self.cwd}
            output = orjson.dumps(
                {"output": step.text, "metadata": {"exit_code": step.exit_status, "duration_seconds": 0.4}}
            ).decode()
        else:
            arguments = {"cmd": command, "workdir": self.cwd}
            head = f"Chunk ID: {self.rng.getrandbits(24):06x}\nWall time: 0.4 seconds"
            output = f"{head}\nProcess exited with code {step.exit_status}\nOutput:\n{step.text}"
        self.put(
            "response_item",
            {
                "type": "function_call",
                "name": "shell" if self.legacy else "exec_command",
                "arguments": orjson.dumps(arguments).decode(),
                "call_id": call,
            },
        )
        if not self.legacy and self.noise:
            self.item(
                {
                    "type": "CommandExecution",
                    "command": ["bash", "-lc", command],
                    "cwd": self.cwd,
                    "aggregated_output": step.text,
                    "exit_code": step.exit_status,
                }
            )
        self.put("response_item", {"type": "function_call_output", "call_id": call, "output": output})
