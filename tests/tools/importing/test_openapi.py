from __future__ import annotations

import json
from typing import Any

import pytest

from app.tools.importing import Imported, ImportFailed, tools_from_openapi
from app.tools.tool_rules import MAX_TOOLS
from app.tools.tools_text import check_tools

PETS = """
openapi: 3.0.3
info: {title: Pets, version: 2026-01-01}
security: [{key: []}]
paths:
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, description: Its number,
         schema: {type: integer, minimum: 0, exclusiveMinimum: true}}
      - {name: lang, in: query, schema: {type: string}}
    get:
      operationId: show pet by id
      summary: Shows a pet
      description: With its owner.
      deprecated: true
      parameters:
        - $ref: '#/components/parameters/Lang'
        - {name: session, in: cookie, schema: {type: string}}
        - {name: Authorization, in: header, schema: {type: string}}
        - {name: X-Trace, in: header, schema: {type: string, nullable: true, enum: [a, b]}}
      responses:
        404: {description: none}
        200:
          content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
    put:
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: '#/components/schemas/Pet'}}
components:
  parameters:
    Lang: {name: lang, in: query, required: true, schema: {type: string, enum: [no, en]}}
  schemas:
    Named: {type: object, required: [name, id],
      properties: {name: {type: string, example: Rex}, id: {type: integer, readOnly: true}}}
    Pet:
      allOf:
        - $ref: '#/components/schemas/Named'
        - type: object
          required: [owner]
          properties:
            petId: {type: string}
            owner: {$ref: '#/components/schemas/Owner'}
    Owner:
      type: object
      x-table: owners
      discriminator: {propertyName: kind}
      properties:
        nullable: {type: boolean}
        pets: {type: array, nullable: true, items: {$ref: '#/components/schemas/Pet'}}
"""


def document(operation: Any, method: str = "post", version: str = "3.1.0", **more: Any) -> str:
    return json.dumps({"openapi": version, "paths": {"/a": {method: operation}}, **more})


def parameters(text: str) -> dict[str, Any]:
    (tool,) = tools_from_openapi(text).tools
    schema: dict[str, Any] = tool["function"]["parameters"]
    return schema


def with_body(schema: Any, kind: str = "application/json", **more: Any) -> str:
    body = {"content": {kind: {"schema": schema}}, "required": True}
    return document({"operationId": "a", "requestBody": body}, **more)


@pytest.fixture
def pets() -> Imported:
    return tools_from_openapi(PETS)


def test_each_operation_is_a_tool(pets: Imported) -> None:
    assert [each["function"]["name"] for each in pets.tools] == [
        "show_pet_by_id",
        "put_pets_petId",
    ]
    descriptions = [each["function"]["description"] for each in pets.tools]
    assert descriptions == ["Shows a pet\n\nWith its owner.", "PUT /pets/{petId}"]


def test_parameters_of_the_path_and_the_operation_are_one_object(pets: Imported) -> None:
    assert pets.tools[0]["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "petId": {"type": "integer", "exclusiveMinimum": 0, "description": "Its number"},
            "lang": {"type": "string", "enum": ["no", "en"]},
            "X-Trace": {"type": ["string", "null"], "enum": ["a", "b", None]},
        },
        "required": ["petId", "lang"],
    }


def test_the_fields_of_a_body_are_arguments_and_references_are_definitions(pets: Imported) -> None:
    schema = pets.tools[1]["function"]["parameters"]
    assert schema["properties"] == {
        "petId": {"type": "integer", "exclusiveMinimum": 0, "description": "Its number"},
        "lang": {"type": "string"},
        "name": {"type": "string", "examples": ["Rex"]},
        "body_petId": {"type": "string"},
        "owner": {"$ref": "#/$defs/Owner"},
    }
    assert schema["required"] == ["petId", "name", "owner"]
    assert schema["$defs"]["Owner"] == {
        "type": "object",
        "properties": {
            "nullable": {"type": "boolean"},
            "pets": {"type": ["array", "null"], "items": {"$ref": "#/$defs/Pet"}},
        },
    }
    assert schema["$defs"].keys() == {"Owner", "Pet", "Named"}


def test_the_first_good_answer_is_the_result(pets: Imported) -> None:
    assert pets.results["show_pet_by_id"]["$ref"] == "#/$defs/Pet"
    assert pets.results["show_pet_by_id"]["$defs"].keys() == {"Owner", "Pet", "Named"}
    assert pets.results.keys() == {"show_pet_by_id"}


def test_what_is_left_out_or_changed_is_said(pets: Imported) -> None:
    assert pets.notes == (
        'GET /pets/{petId}: cookie "session" is left out.',
        'GET /pets/{petId}: header "Authorization" is left out.',
        "show_pet_by_id is deprecated, and kept.",
        "Signing in is left out: calls are answered here, and never sent.",
        'PUT /pets/{petId}: body "petId" becomes "body_petId", since the name is taken.',
    )


def test_what_is_imported_can_be_sent(pets: Imported) -> None:
    assert check_tools(json.dumps(pets.tools)).errors == ()


@pytest.mark.parametrize(
    ("schema", "properties"),
    [
        (
            {"type": "array", "items": {"type": "string"}},
            {"body": {"type": "array", "items": {"type": "string"}}},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "object"}]},
            {"body": {"oneOf": [{"type": "string"}, {"type": "object"}]}},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"body": {"type": "object", "additionalProperties": {"type": "string"}}},
        ),
        (
            {"properties": {"a": {"type": ["string", "null"], "const": "x"}, "b": True}},
            {"a": {"type": ["string", "null"], "const": "x"}, "b": {}},
        ),
        ({"type": "object"}, {}),
        ({"$ref": "https://example.com/pet.json"}, {"body": {}}),
        ({"$ref": "#/components/schemas/Nope"}, {"body": {}}),
        ({"$ref": "#/components/schemas/Loop"}, {"body": {"$ref": "#/$defs/Loop"}}),
    ],
)
def test_a_body_that_is_no_plain_object_is_one_argument(schema: Any, properties: Any) -> None:
    loop = {"allOf": [{"$ref": "#/components/schemas/Loop"}]}
    components = {"schemas": {"Loop": loop}}
    assert parameters(with_body(schema, components=components))["properties"] == properties


def test_a_body_of_another_kind_is_said_to_be_one() -> None:
    result = tools_from_openapi(with_body({"type": "string"}, "text/plain"))
    assert result.notes == ("POST /a: the body is text/plain, and becomes the argument body.",)


def test_a_reference_that_leads_nowhere_is_said_to() -> None:
    result = tools_from_openapi(with_body({"items": {"$ref": "#/nope"}}))
    assert result.notes == ("#/nope leads nowhere in the document: anything goes there.",)


def test_nothing_is_required_of_a_body_that_may_be_left_out() -> None:
    content = {"application/json": {"schema": {"properties": {"a": {}}, "required": ["a"]}}}
    assert "required" not in parameters(document({"requestBody": {"content": content}}))


def test_operations_of_one_name_are_told_apart() -> None:
    paths = {"/a": {"get": {"operationId": "x"}, "post": {"operationId": "x"}}}
    result = tools_from_openapi(json.dumps({"openapi": "3.0.0", "paths": paths}))
    assert [each["function"]["name"] for each in result.tools] == ["x", "x_2"]


def test_no_more_are_taken_than_can_be_sent() -> None:
    paths = {f"/{n}": {"get": {}} for n in range(MAX_TOOLS + 2)}
    result = tools_from_openapi(json.dumps({"openapi": "3.1.0", "paths": paths}))
    assert len(result.tools) == MAX_TOOLS
    assert result.notes == ("Of 130 operations the first 128 are taken, which is the most.",)


def test_schemas_that_refer_to_too_many_are_refused() -> None:
    schemas = {f"S{n}": {"items": {"$ref": f"#/components/schemas/S{n + 1}"}} for n in range(3_000)}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
    paths = {f"/{n}": {"post": {"requestBody": body}} for n in range(100)}
    value = {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}
    with pytest.raises(ImportFailed, match="refer to too many schemas: paste the paths that you"):
        tools_from_openapi(json.dumps(value))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("swagger: '2.0'", '$.swagger is "2.0": convert the document to OpenAPI 3 first.'),
        ("openapi: 4.0.0", '$.openapi is "4.0.0": only OpenAPI 3 documents are read.'),
        ("openapi: 3.1.0\npaths: {}", "has no operation under $.paths: paste them too."),
        ("- a", "An OpenAPI document is an object, not an array: paste it whole."),
        ("openapi: a: b", "In line 1, column 11 of the YAML: mapping values are not"),
        ("openapi: [a,\n b", "In line 3, column 1 of the YAML: while parsing a flow"),
        ('{"openapi": "3.1.0",}', "In line 1, column 20 of the JSON: Remove this comma"),
        ("openapi: &a [*a]", "The YAML is nested deeper than 64 levels"),
        ("openapi: " + "[" * 100_000, "exceeded maximum nesting depth; mend it there."),
        ("a: !!python/object:os.system x", "could not determine a constructor for the tag"),
        ("#" * 2_000_001, "has 2,000,001 characters, and at most 2,000,000 are taken"),
        (
            "a: &a0 [1]\n" + "".join(f"b{n}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(30)),
            "The YAML holds more than 500,000 values, at $: make it simpler.",
        ),
    ],
)
def test_what_cannot_be_imported_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ImportFailed) as caught:
        tools_from_openapi(text)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")
