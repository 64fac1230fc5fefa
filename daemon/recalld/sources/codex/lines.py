"""What each type of line, event, turn item and response item says of the thread.

The tables at the end name every type that is known; None is known and holds nothing to index. What is in none of them
is counted and left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from recalld.model import Item
from recalld.sources.codex import calls, outputs
from recalld.sources.codex.copies import EVENT, ITEM, RESPONSE
from recalld.sources.codex.injected import kinds_of, said
from recalld.sources.codex.thread import Json, Thread
from recalld.sources.jsonl import integer, string, text_of

Handler = Callable[[Thread, Json], Sequence[Item]]
Table = Mapping[str, Handler | None]

# -- response items ----------------------------------------------------------------------------------------------------

_USER_SHELL = re.compile(
    r"\s*<user_shell_command>\s*<command>\n?(.*?)\n?</command>\s*"
    r"<result>\n?(.*?)\n?</result>\s*</user_shell_command>\s*",
    re.DOTALL,
)


def _message(thread: Thread, p: Json) -> Sequence[Item]:
    role, content = p.get("role"), p.get("content")
    if role == "assistant":
        return thread.assistant(said(content, None), RESPONSE, string(p.get("id")))
    if role != "user":
        return ()  # developer and system: nobody said it
    thread.directory_in(content)
    text = said(content, kinds_of(p, thread.line))
    if "<user_shell_command>" in text and (shell := _USER_SHELL.fullmatch(text)):
        return thread.shell_of_user(shell[1].strip(), outputs.output(shell[2]), None, RESPONSE)
    return thread.user(text, RESPONSE, string(p.get("id")))


def _id(p: Json) -> str | None:
    return string(p.get("call_id")) or string(p.get("id"))


def _function_call(thread: Thread, p: Json) -> Sequence[Item]:
    name = calls.tool_name(p.get("name"), p.get("namespace"))
    more = outputs.continued(name, p.get("arguments"))
    return thread.call(_id(p), calls.call(name, p.get("arguments"), thread.project), response=True, continues=more)


def _custom_call(thread: Thread, p: Json) -> Sequence[Item]:
    name = calls.tool_name(p.get("name"), p.get("namespace"))
    return thread.call(_id(p), calls.call(name, p.get("input"), thread.project), response=True)


def _call_output(thread: Thread, p: Json) -> Sequence[Item]:
    return thread.output(string(p.get("call_id")), outputs.output(p.get("output")))


def _local_shell(thread: Thread, p: Json) -> Sequence[Item]:
    action = p.get("action")
    return thread.call(_id(p), calls.call("local_shell", action, thread.project), response=True)


def _web_search(form: int) -> Handler:
    """A search on the web, as a response item, an item or an event."""

    def told(thread: Thread, p: Json) -> Sequence[Item]:
        action = p.get("action")
        asked = action if isinstance(action, dict) else {"query": string(p.get("query"))}
        record = calls.call("web_search", asked, None)
        subject = string(p.get("query")) or next((found for key in _ASKED if (found := string(asked.get(key)))), None)
        if subject is None and asked.keys() - {"type"}:
            subject = record.text
        return thread.search(_id(p), record, subject, form) if subject else ()

    return told


_ASKED = ("query", "url", "pattern")
"""What tells one search from another, in whatever form."""


def _image(thread: Thread, p: Json) -> Sequence[Item]:
    prompt = string(p.get("revised_prompt"))
    return thread.call(_id(p), calls.call("image_generation", prompt, None), response=False) if prompt else ()


def _tool_search(thread: Thread, p: Json) -> Sequence[Item]:
    return thread.call(_id(p), calls.call("tool_search", p.get("arguments"), None), response=True)


def _agent_to_agent(thread: Thread, p: Json) -> Sequence[Item]:
    return thread.between_agents(text_of(p.get("content")), RESPONSE, string(p.get("id")))


# -- turn items --------------------------------------------------------------------------------------------------------


def _user_item(thread: Thread, p: Json) -> Sequence[Item]:
    return thread.user(said(p.get("content"), kinds_of(p, thread.line)), ITEM, string(p.get("id")))


def _agent_item(thread: Thread, p: Json) -> Sequence[Item]:
    return thread.assistant(said(p.get("content"), None) or string(p.get("text")) or "", ITEM, string(p.get("id")))


def _failed(p: Json) -> bool | None:
    return {"completed": False, "failed": True, "declined": True}.get(str(p.get("status")))


def _printed(p: Json) -> str:
    return "\n".join(text for name in ("stdout", "stderr") if (text := string(p.get(name))))


def _command(thread: Thread, p: Json) -> Sequence[Item]:
    """A command that has ended, as an item or as an exec_command_end."""
    script = calls.shell_script(p.get("command"))
    text = string(p.get("aggregated_output")) or _printed(p) or string(p.get("formatted_output")) or ""
    status, failed = integer(p.get("exit_code")), _failed(p)
    if status is not None and not failed:
        failed = None  # it has come to its end: the status says to which
    result = outputs.Output(text, status, failed)
    if p.get("source") in ("user_shell", "userShell"):
        return thread.shell_of_user(script, result, _id(p), ITEM)
    if not script:
        return thread.output(_id(p), result)
    called = calls.command("exec_command", script, calls.directory(p.get("cwd")), thread.project)
    return [*thread.call(_id(p), called, response=False), *thread.output(_id(p), result)]


def _file_change(thread: Thread, p: Json) -> Sequence[Item]:
    """A patch that was applied, or not: as an item or as a patch_apply_end."""
    edit = calls.changed(p.get("changes"))
    found = thread.call(_id(p), edit, response=False) if edit else ()
    success = p.get("success")
    flag = not success if isinstance(success, bool) else _failed(p)
    text = _printed(p)
    if not text and flag is None:
        return found
    return [*found, *thread.output(_id(p), outputs.Output(text, None, flag))]


def _mcp(thread: Thread, p: Json) -> Sequence[Item]:
    """A call of an MCP server's tool and its result: as an item or as an mcp_tool_call_end."""
    invocation = p.get("invocation")
    asked = invocation if isinstance(invocation, dict) else p
    name = calls.tool_name(asked.get("tool"), f"mcp__{asked.get('server')}")
    found = thread.call(_id(p), calls.call(name, asked.get("arguments"), None), response=False)
    result, error = p.get("result"), p.get("error")
    if result is None and error is None:
        failed = _failed(p)
        return [*found, *thread.output(_id(p), outputs.Output("", None, failed))] if failed else found
    told = outputs.mcp_result(error if result is None else result)
    if told.failed is None:
        told = told._replace(failed=_failed(p))
    return [*found, *thread.output(_id(p), told)]


def _dynamic(thread: Thread, p: Json) -> Sequence[Item]:
    name = calls.tool_name(p.get("tool"), p.get("namespace"))
    found = thread.call(_id(p), calls.call(name, p.get("arguments"), None), response=False)
    text = text_of(p.get("content_items")) or string(p.get("error")) or ""
    success = p.get("success")
    flag = not success if isinstance(success, bool) else _failed(p)
    return [*found, *thread.output(_id(p), outputs.Output(text, None, flag))] if text or flag is not None else found


def _plan(thread: Thread, p: Json) -> Sequence[Item]:
    text = string(p.get("text"))
    return thread.call(_id(p), calls.call("plan", text, None), response=False) if text else ()


def _collaboration(thread: Thread, p: Json) -> Sequence[Item]:
    asked = {name: p.get(name) for name in ("prompt", "receiver_thread_ids") if p.get(name)}
    return thread.call(_id(p), calls.call(string(p.get("tool")) or "agent", asked, None), response=False)


def _image_view(thread: Thread, p: Json) -> Sequence[Item]:
    path = calls.directory(p.get("path"))
    return thread.call(_id(p), calls.call("view_image", {"path": path}, None), response=False) if path else ()


# -- events and other lines --------------------------------------------------------------------------------------------


def _user_message(thread: Thread, p: Json) -> Sequence[Item]:
    if p.get("kind") not in (None, "plain"):
        return ()  # the oldest versions wrote what they injected as events of other kinds
    return thread.user(string(p.get("message")) or "", EVENT, None)


def _agent_message(thread: Thread, p: Json) -> Sequence[Item]:
    return thread.assistant(string(p.get("message")) or "", EVENT, None)


def _settings(thread: Thread, p: Json) -> Sequence[Item]:
    settings = p.get("thread_settings")
    return thread.context(settings) if isinstance(settings, dict) else ()


def _communication(thread: Thread, p: Json) -> Sequence[Item]:
    return thread.between_agents(text_of(p.get("content")), ITEM, string(p.get("id")))


RESPONSES: Table = {
    "message": _message,
    "function_call": _function_call,
    "function_call_output": _call_output,
    "custom_tool_call": _custom_call,
    "custom_tool_call_output": _call_output,
    "local_shell_call": _local_shell,
    "local_shell_call_output": _call_output,
    "web_search_call": _web_search(RESPONSE),
    "image_generation_call": _image,
    "tool_search_call": _tool_search,
    "agent_message": _agent_to_agent,
    "compaction": lambda thread, p: thread.compaction(RESPONSE),
    "context_compaction": lambda thread, p: thread.compaction(RESPONSE),
    "compaction_summary": lambda thread, p: thread.compaction(RESPONSE),
    "reasoning": None,
    "tool_search_output": None,
    "additional_tools": None,
    "compaction_trigger": None,
    "ghost_snapshot": None,
    "other": None,
}

ITEMS: Table = {
    "UserMessage": _user_item,
    "AgentMessage": _agent_item,
    "CommandExecution": _command,
    "FileChange": _file_change,
    "McpToolCall": _mcp,
    "DynamicToolCall": _dynamic,
    "CollabAgentToolCall": _collaboration,
    "WebSearch": _web_search(ITEM),
    "ImageView": _image_view,
    "ImageGeneration": _image,
    "Plan": _plan,
    "ContextCompaction": lambda thread, p: thread.compaction(ITEM),
    "Reasoning": None,
    "HookPrompt": None,
    "SubAgentActivity": None,
    "Sleep": None,
    "EnteredReviewMode": None,
    "ExitedReviewMode": None,
}

_IGNORED_EVENTS = """
agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break background_event
collab_agent_interaction_begin collab_agent_interaction_end collab_agent_spawn_begin collab_agent_spawn_end
collab_close_begin collab_close_end
collab_resume_begin collab_resume_end collab_waiting_begin collab_waiting_end deprecation_notice
dynamic_tool_call_request dynamic_tool_call_response entered_review_mode error exec_command_begin
exec_command_output_delta exited_review_mode guardian_assessment guardian_warning hook_completed hook_started
image_generation_begin item_started item_updated mcp_tool_call_begin model_reroute model_verification patch_apply_begin
patch_apply_updated plan_delta plan_update session_configured shutdown_complete stream_error sub_agent_activity
thread_goal_updated turn_aborted turn_diff turn_moderation_metadata undo_completed undo_started view_image_tool_call
warning web_search_begin
""".split()  # noqa: SIM905  # one name a line would fill a page

EVENTS: Table = {
    "user_message": _user_message,
    "agent_message": _agent_message,
    "task_complete": Thread.completed,
    "turn_complete": Thread.completed,
    "task_started": Thread.turn_started,
    "turn_started": Thread.turn_started,
    "thread_rolled_back": Thread.rolled_back,
    "thread_settings_applied": _settings,
    "thread_name_updated": Thread.title,
    "token_count": Thread.token_count,
    "exec_command_end": _command,
    "patch_apply_end": _file_change,
    "mcp_tool_call_end": _mcp,
    "web_search_end": _web_search(EVENT),
    "image_generation_end": _image,
    "context_compacted": lambda thread, p: thread.compaction(EVENT),
    **dict.fromkeys(_IGNORED_EVENTS),
}

LINES: Table = {
    "session_meta": Thread.meta,
    "turn_context": Thread.context,
    "compacted": Thread.compacted,
    "inter_agent_communication": _communication,
    "inter_agent_communication_metadata": None,
    "world_state": None,
    "token_usage_record": None,
    "retained_context": None,
}
