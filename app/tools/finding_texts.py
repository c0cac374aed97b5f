"""What is said about declared tools, in English: one table, by keys that translations share.

`{path}` is a JSON path of the value, as in `$[0].function.name`; the other values are what stands
there, as JSON, and names and numbers. None of them is ever translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

JSON_MISTAKES: Final[Mapping[str, str]] = {
    "empty": "There is nothing yet: write a tool, or import one.",
    "too_long": "The text has {length} characters, and at most {most} are taken: shorten it.",
    "too_deep": "Here the JSON is nested deeper than {most} levels: make it flatter.",
    "not_json": "The text {why}: mend it there.",
    "code_fence": "Remove the code fence (```) around the JSON, here and at the end.",
    "ends_early": (
        "The text ends too early: the {opened} of line {line}, column {column} lacks its {right}."
    ),
    "text_not_closed": 'The text that begins here lacks its closing double quote (").',
    "line_break_in_text": (
        'The text that begins here is not closed on its line: add the double quote ("), or write '
        "\\n for a line break."
    ),
    "control_character": (
        "The control character {code} cannot stand in a text: remove it, or write it as an escape."
    ),
    "bad_escape": 'JSON has no escape {escape}: write \\\\ for a backslash, or \\" for a quote.',
    "trailing_comma": "Remove this comma: nothing follows it before the {bracket}.",
    "missing_comma": "A comma is missing here, before what follows.",
    "missing_colon": "A colon is missing here, after the key “{name}”.",
    "wrong_bracket": (
        "Here stands {found}, but the {opened} of line {line}, column {column} is closed by "
        "{right}: change or move it."
    ),
    "single_quotes": "JSON wants double quotes: write \" in place of '.",
    "curly_quotes": 'JSON wants plain double quotes: write " in place of {name}.',
    "comment": "JSON has no comments: remove this one.",
    "unquoted_key": 'Keys stand in double quotes: write "{name}".',
    "unquoted_text": 'Texts stand in double quotes: write "{name}", or true, false or null.',
    "other_language": "JSON writes {right}, not {name}: change it.",
    "no_number": "{name} is no JSON value: write a number, or null.",
    "bad_number": "JSON does not write numbers as {number}: write them as in 0.5, -3 or 1e9.",
    "number_too_large": "The number {number} is too large or too long: write a smaller one.",
    "half_character": "This text holds half of a surrogate pair, which is no text: remove it.",
    "duplicate_key": (
        "The key “{name}” stands twice in this object, first in line {line}: remove one of them."
    ),
    "several_values": "The JSON ends before this: put several tools into one array, [ … , … ].",
    "extra_text": "The JSON ends before this: remove what follows.",
    "expected_key": "Here stands {found}, where a key in double quotes is wanted: mend it.",
    "expected_value": "Here stands {found}, where a value is wanted: mend it.",
}
"""The mistakes of `json_scan`, and the limits of `json_text`."""

REFUSALS: Final[Mapping[str, str]] = {
    "form": (
        "{path} must be an array of tools, one tool, one function or a JSON Schema, not {value}."
    ),
    "form.set": (
        "{path} is a whole tool set or request: paste the array of its tools alone, or import it."
    ),
    "form.unknown": (
        "{path} is neither a tool, nor a function with a name, nor a JSON Schema: write "
        '{"name": …, "description": …, "parameters": …}.'
    ),
    "not_an_array": "{path} must be an array of tools, not {value}.",
    "no_tools": (
        "{path} is an empty array, which the server refuses; declare a tool, or send no tools."
    ),
    "too_many_tools": "{path} holds {count} tools; at most {most} are taken.",
    "same_name": "{path} is {value}, as is {first}; give each tool its own name.",
    "not_a_tool": "{path} must be a tool, an object, not {value}.",
    "kind": '{path} must be "function", not {value}.',
    "no_function": "{path} must be an object with a name, a description and parameters.",
    "flat_tool": (
        "{path} must be an object with a name, a description and parameters: move them into it, "
        "chat completions want them there."
    ),
    "no_name": "{path} is missing; give the tool a name.",
    "name_kind": "{path} must be a text; give the tool a name.",
    "description_kind": "{path} must be a text, not {value}.",
    "strict_kind": "{path} must be true or false, not {value}.",
    "parameters_kind": "{path} must be a JSON Schema, an object, not {value}.",
    "properties_array": "{path} must be an object, not an array; write {}.",
    "property_constant": "{path} is {value}, which the server refuses; write {} for any value.",
    "property_kind": "{path} must be a JSON Schema, an object, not {value}.",
    "property_type": "{path} cannot be {value}; the types are {types}.",
    "enum_empty": "{path} is empty; list its values, or leave it out.",
}
"""What the server would refuse; and names that could not be told apart."""

WARNINGS: Final[Mapping[str, str]] = {
    "name_form": (
        "{path} is {value}: other servers and clients take letters, digits, _ and - alone, at most "
        "64; rename the tool."
    ),
    "no_description": "{path} is missing: say what the tool does, the model goes by it.",
    "no_parameters": (
        "{path} is missing: the model may call the tool with any arguments; write "
        '{"type": "object", "properties": {}} for none.'
    ),
    "mcp_form": "{path} is what MCP calls parameters, and means nothing here: import the text.",
    "strict": (
        "{path} changes nothing on this server; other servers refuse it unless every property is "
        "required and additionalProperties is false."
    ),
    "root_type": (
        '{path} should have "type": "object": arguments are an object, and other servers refuse '
        "the tool."
    ),
    "required_unknown": "{path} requires {value}, which is not among the properties: declare it.",
    "reference_lost": "{path} leads nowhere: {value} is not in this schema; mend it.",
    "reference_outside": (
        "{path} leads out of the schema to {value}, and is never fetched: copy it into $defs."
    ),
    "nullable": '{path} means nothing in JSON Schema: write "type": ["string", "null"] instead.',
    "pattern_unread": (
        "{path} is no pattern that can be checked here (a mistake, or lookaround): calls are not "
        "held against it."
    ),
    "schema_type": (
        "{path} cannot be {value}, the types are {types}: calls cannot be checked against it."
    ),
    "schema_kind": ("{path} must be {kinds}, not {value}: calls cannot be checked against it."),
    "schema_value": "{path} cannot be {value}: calls cannot be checked against it.",
    "schema_unusable": "{path} cannot be used to check calls: {why}.",
}
"""What the server takes, and what others, or a person who reads the calls, will trip over."""

BESIDE: Final[Mapping[str, str]] = {
    "answer_form": "{path} must be a JSON Schema, an object, not {value}.",
    "answer_type": "{path} cannot be {value}; the types are {types}.",
    "answer_kind": "{path} must be {kinds}, not {value}.",
    "answer_value": "{path} cannot be {value}: mend it there.",
    "answer_unusable": "{path} cannot be used to check answers: {why}.",
    "rule": "{sentence}",
}
"""Mistakes of what stands beside the tools: the schema of an answer, and the rules."""

FINDINGS: Final[Mapping[str, str]] = {**JSON_MISTAKES, **REFUSALS, **WARNINGS, **BESIDE}
