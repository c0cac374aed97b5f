"""What was set up for the tools of a chat, as a case file holds it.

Texts that can be read are the file's `tools`, `results` and `mocks`; the file's `setup` has the
others as they were typed, and what else was set up.
"""

from __future__ import annotations

import json
from typing import Any

from msgspec import UNSET, convert, to_builtins

from app.chat.setup import ToolSetup
from app.export.case_form import ChoiceForm, NamedToolForm, SetupForm
from app.tools.errors import ToolSetError
from app.tools.mocks import Mocks, written_rule
from app.tools.tools_text import check_tools
from app.tools.toolset import ToolSet, parse_mocks


def tool_set_of(setup: ToolSetup) -> ToolSet:
    """What the texts of a setup declare; nothing where one cannot be read."""
    tools, rules = check_tools(setup.tools).tools, _rules(setup.rules)
    # Results are for tools: without any, a file takes none.
    if rules is None or (rules.results and not tools):
        return ToolSet(tools)
    return ToolSet(tools, rules.results, rules.rules)


def setup_of(tool_set: ToolSet) -> ToolSetup | None:
    """The setup that has a tool set in its texts, laid out for reading; None for an empty set."""
    if tool_set == ToolSet():
        return None
    return ToolSetup(tools=_tools_text(tool_set), rules=_rules_text(tool_set))


def setup_form(setup: ToolSetup, tool_set: ToolSet) -> SetupForm:
    """What a file says of a setup beside its tool set."""
    declared = tool_set_of(setup)
    are_tools_said = bool(declared.tools) and declared.tools == tool_set.tools
    rules = (declared.mocks, declared.results)
    are_rules_said = any(rules) and rules == (tool_set.mocks, tool_set.results)
    return SetupForm(
        tools=UNSET if are_tools_said else setup.tools,
        rules=UNSET if are_rules_said else setup.rules,
        off=list(setup.off),
        choice=convert(setup.choice, ChoiceForm),
        parallel=setup.parallel,
        auto=setup.auto,
        max_steps=setup.max_steps,
        answer_schema=setup.answer_schema,
    )


def setup_from(form: SetupForm, tool_set: ToolSet) -> ToolSetup:
    """The setup of a file; texts that it leaves out are those of the file's tool set."""
    return ToolSetup(
        tools=_tools_text(tool_set) if form.tools is UNSET else form.tools,
        off=tuple(form.off),
        choice=to_builtins(form.choice) if isinstance(form.choice, NamedToolForm) else form.choice,
        parallel=form.parallel,
        rules=_rules_text(tool_set) if form.rules is UNSET else form.rules,
        auto=form.auto,
        max_steps=form.max_steps,
        answer_schema=form.answer_schema,
    )


def _rules(text: str) -> Mocks | None:
    try:
        return parse_mocks(text, {})
    except ToolSetError:
        return None


def _tools_text(tool_set: ToolSet) -> str:
    return _laid_out(tool_set.tools) if tool_set.tools else ""


def _rules_text(tool_set: ToolSet) -> str:
    rules = [written_rule(mock) for mock in tool_set.mocks]
    if tool_set.results:
        return _laid_out({"mocks": rules, "results": tool_set.results})
    return _laid_out(rules) if rules else ""


def _laid_out(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
