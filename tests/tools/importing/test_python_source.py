from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest

from app.tools.importing.imported import Imported, ImportFailed
from app.tools.importing.python_source import MAX_SOURCE, tools_from_python
from app.tools.tools_text import check_tools


def imported(source: str) -> Imported:
    return tools_from_python(dedent(source))


def parameters(source: str) -> dict[str, Any]:
    (tool,) = imported(source).tools
    schema: dict[str, Any] = tool["function"]["parameters"]
    return schema


def of_annotation(annotation: str, before: str = "") -> Any:
    """The schema of a parameter with this annotation."""
    return parameters(f"{before}\ndef f(x: {annotation}): ...")["properties"]["x"]


def test_a_signature_and_a_docstring_make_a_tool() -> None:
    result = imported(
        '''
        async def get_weather(location: str, days: int = 3, /, *, unit: str | None = None) -> dict:
            """Get the weather
            at a place.

            It is made up.

            Args:
                location: The city, with
                    its country.
                days (int): How many days.

            Returns:
                What the sky looks like.
            """
        '''
    )
    assert result.tools == (
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "Get the weather at a place.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "location": {
                            "type": "string",
                            "description": "The city, with its country.",
                        },
                        "days": {"type": "integer", "default": 3, "description": "How many days."},
                        "unit": {"type": ["string", "null"], "default": None},
                    },
                    "required": ["location"],
                },
            },
        },
    )
    assert result.results == {
        "get_weather": {"type": "object", "description": "What the sky looks like."}
    }
    assert result.notes == ()


@pytest.mark.parametrize(
    "docstring",
    [
        "Do it.\n\n    Args:\n        a: The first.\n        b (str): The second.\n    ",
        (
            "Do it.\n\n    Parameters\n    ----------\n    a : int\n        The first.\n"
            "    b : str, optional\n        The second.\n    "
        ),
        "Do it.\n\n    :param a: The first.\n    :param str b: The second.\n    ",
        "Do it.\n    :param a: The first.\n    :param b: The second.\n    :type b: str\n    ",
    ],
    ids=["Google", "NumPy", "Sphinx", "Sphinx without a gap"],
)
def test_the_usual_styles_of_docstrings_are_read(docstring: str) -> None:
    (tool,) = imported(f'def f(a: int, b=""):\n    """{docstring}"""').tools
    function = tool["function"]
    assert function["description"] == "Do it."
    assert function["parameters"]["properties"] == {
        "a": {"type": "integer", "description": "The first."},
        "b": {"type": "string", "default": "", "description": "The second."},
    }


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        ("str", {"type": "string"}),
        ("float", {"type": "number"}),
        ("None", {"type": "null"}),
        ("Any", {}),
        ("datetime.date", {"type": "string", "format": "date"}),
        ("list", {"type": "array"}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ("typing.List[str]", {"type": "array", "items": {"type": "string"}}),
        ("Sequence[Any]", {"type": "array"}),
        ("set[str]", {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        ("tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
        (
            "tuple[int, str]",
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        ("dict[str, bool]", {"type": "object", "additionalProperties": {"type": "boolean"}}),
        ("Mapping[str, Any]", {"type": "object"}),
        ('Literal["a", "b"]', {"type": "string", "enum": ["a", "b"]}),
        ('Literal["a", 1, None]', {"type": ["string", "integer", "null"], "enum": ["a", 1, None]}),
        ("Optional[int]", {"type": ["integer", "null"]}),
        ("Union[int, str, None]", {"type": ["integer", "string", "null"]}),
        ('Literal["a"] | None', {"type": ["string", "null"], "enum": ["a", None]}),
        (
            "list[int] | str",
            {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]},
        ),
        ("int | Any", {}),
        ("tuple[()]", {"type": "array", "maxItems": 0}),
        ("list[()]", {}),
        ("Optional[()]", {}),
        ("Callable[[int], str]", {}),
        ("Annotated[int, Field(ge='1', pattern=2, description=3)]", {"type": "integer"}),
        ('"list[int]"', {"type": "array", "items": {"type": "integer"}}),
        ('Annotated[int, "How many"]', {"type": "integer", "description": "How many"}),
        (
            'Annotated[int, Field(ge=1, lt=9, description="How many")]',
            {
                "type": "integer",
                "minimum": 1,
                "exclusiveMaximum": 9,
                "description": "How many",
            },
        ),
        (
            "Annotated[list[str], Len(1, 5)]",
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 5},
        ),
        (
            'Annotated[str, Doc("A word"), MinLen(2)]',
            {"type": "string", "description": "A word", "minLength": 2},
        ),
    ],
)
def test_annotations_become_schemas(annotation: str, schema: Any) -> None:
    assert of_annotation(annotation) == schema


@pytest.mark.parametrize(
    ("before", "schema"),
    [
        ('X = Literal["a", "b"]', {"type": "string", "enum": ["a", "b"]}),
        ("X: TypeAlias = list[int]", {"type": "array", "items": {"type": "integer"}}),
        ('X = NewType("X", int)', {"type": "integer"}),
    ],
)
def test_aliases_of_the_source_are_followed(before: str, schema: Any) -> None:
    assert of_annotation("X", before) == schema


@pytest.mark.parametrize(
    ("before", "definition"),
    [
        (
            'class X(Enum):\n    """A colour."""\n    RED = "red"\n    BLUE = "blue"',
            {"description": "A colour.", "type": "string", "enum": ["red", "blue"]},
        ),
        ("class X(IntEnum):\n    A = auto()\n    B = auto()", {"type": "integer", "enum": [1, 2]}),
        (
            "class X(TypedDict, total=False):\n    a: Required[int]\n    b: str",
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                "required": ["a"],
            },
        ),
        (
            (
                "@dataclass(frozen=True)\nclass X:\n    a: int\n    b: list[int] = field("
                'default_factory=list)\n    """The b."""\n    c: ClassVar[int] = 1'
            ),
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"type": "array", "items": {"type": "integer"}, "description": "The b."},
                },
                "required": ["a"],
            },
        ),
        (
            (
                'class X(BaseModel):\n    a: str = Field(..., alias="A", min_length=1)\n'
                '    b: int = Field(2, description="The b.", le=5)'
            ),
            {
                "type": "object",
                "properties": {
                    "A": {"type": "string", "minLength": 1},
                    "b": {
                        "type": "integer",
                        "description": "The b.",
                        "maximum": 5,
                        "default": 2,
                    },
                },
                "required": ["A"],
            },
        ),
        (
            "class Y(BaseModel):\n    a: int\nclass X(Y):\n    b: int",
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"],
            },
        ),
        (
            "class X(BaseModel):\n    inner: 'list[X]' = []",
            {
                "type": "object",
                "properties": {
                    "inner": {"type": "array", "items": {"$ref": "#/$defs/X"}, "default": []}
                },
            },
        ),
    ],
)
def test_classes_of_the_source_become_definitions(before: str, definition: Any) -> None:
    schema = parameters(f"{before}\ndef f(x: X): ...")
    assert schema["properties"] == {"x": {"$ref": "#/$defs/X"}}
    assert schema["$defs"]["X"] == definition


def test_defaults_are_kept_where_they_are_json() -> None:
    schema = parameters(
        """
        class Color(Enum):
            RED = "red"

        def f(a=1, b=[1, {"c": None}], c=Color.RED, d=now(), e=..., g: Color = None): ...
        """
    )
    assert schema["required"] == ["e"]
    assert {key: each.get("default", "none") for key, each in schema["properties"].items()} == {
        "a": 1,
        "b": [1, {"c": None}],
        "c": "red",
        "d": "none",
        "e": "none",
        "g": None,
    }
    assert schema["properties"]["g"]["anyOf"] == [{"$ref": "#/$defs/Color"}, {"type": "null"}]


def test_methods_are_tools_and_what_cannot_be_told_is_said() -> None:
    result = imported(
        """
        class Shop:
            def find(self, query: str, *rest, **more): ...
            @staticmethod
            def open(day: pandas.Timestamp): ...
            @property
            def name(self): ...
            def _secret(self): ...

        class Library:
            def find(self, title): ...
        """
    )
    assert [each["function"]["name"] for each in result.tools] == ["find", "open", "Library_find"]
    assert result.notes == (
        "find: self is left out.",
        "find: *rest is left out: a call names each argument.",
        "find: **more is left out: a call names each argument.",
        "open: the type pandas.Timestamp of day is not known, anything goes.",
        "Library_find: self is left out.",
        "Library_find: title has no type, anything goes.",
        "Left out as private: _secret.",
    )


def test_a_private_function_alone_is_meant() -> None:
    (tool,) = imported("def _f(): ...").tools
    assert tool["function"] == {"name": "_f", "parameters": {"type": "object", "properties": {}}}


def test_a_list_of_tools_in_the_source_is_taken_as_it_is() -> None:
    declared = [{"type": "function", "function": {"name": "a", "parameters": {"z": 1, "b": True}}}]
    result = imported(f"client = OpenAI()\nTOOLS = {declared!r}\n\ndef main(): ...\n")
    assert json.dumps(result.tools) == json.dumps(declared)
    assert result.notes == ("The tools are those of the list TOOLS.",)


def test_what_is_imported_can_be_sent() -> None:
    source = (
        "def f(a: int, b: list['X'] = []): 'Do.'\nclass X(BaseModel):\n    c: 'X | None' = None"
    )
    result = check_tools(json.dumps(imported(source).tools))
    assert (result.errors, result.warnings) == ((), ())


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("x = 1", "The Python source defines no function: paste one with its def line."),
        ("def f(:\n", "The Python source has a mistake in line 1, column 7: invalid syntax."),
        ("def f(): ...\0", "cannot be read: source code string cannot contain null bytes."),
        ("#" * (MAX_SOURCE + 1), "has 200,001 characters, and at most 200,000 are taken"),
        ("tools = [{'type': 'function', 'function': make()}]", "line 1 holds more than plain"),
        ("tools = [{'type': 'function'}]", "The list tools in line 1: $[0].function must be"),
        ("-" * 50_000 + "1", "The Python source is nested too deep: make it simpler."),
        ("x = " + "not " * 40_000 + "1", "The Python source is nested too deep"),
        ("def f(a: " + "int | " * 30_000 + "int): ...", "The Python source is nested too deep"),
        (
            "".join(f"A{n} = Union[list[A{n + 1}], set[A{n + 1}]]\n" for n in range(40))
            + "A40 = int\ndef f(a: A0): ...",
            "lead to too many others: paste less at a time.",
        ),
        (
            "".join(f"class A{n}(A{n + 1}, B{n + 1}): ...\n" for n in range(60))
            + "".join(f"class B{n}(A{n + 1}, B{n + 1}): ...\n" for n in range(60))
            + "def f(a: A0): ...",
            "lead to too many others: paste less at a time.",
        ),
    ],
)
def test_what_cannot_be_imported_is_one_sentence(source: str, sentence: str) -> None:
    with pytest.raises(ImportFailed) as caught:
        tools_from_python(source)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")


def test_nothing_of_the_source_is_run() -> None:
    (tool,) = imported("raise SystemExit\ndef f(a=exit()): ...").tools
    assert tool["function"]["name"] == "f"
