from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import FastAPI, Header, Query
from pydantic import BaseModel, Field

from app.docs.operations import Group, Operation, read_groups


class Person(BaseModel):
    """Who asks."""

    name: str = Field(max_length=1_000, description="As it is written.")


class Order(BaseModel):
    """What is ordered."""

    size: Literal["small", "large"]
    people: list[Person] = Field(min_length=1)
    note: str | None = None
    price: float = Field(0.5, gt=0, le=9.75)


def groups_of(app: FastAPI) -> tuple[Group, ...]:
    return read_groups(app.openapi())


def order_route() -> Operation:
    app = FastAPI()

    @app.post("/orders/{order_id}", tags=["orders"], status_code=201)
    async def take_order(
        order_id: str,
        body: Order,
        x_owner: Annotated[str, Header()],
        state: Annotated[str, Query(pattern="^[a-z]+$")],
        limit: Annotated[int, Query(ge=1, le=2_000)] = 50,
    ) -> dict[str, Any]:
        """Takes an order."""
        return {}

    (group,) = groups_of(app)
    (operation,) = group.operations
    return operation


def test_a_route_is_told_with_what_it_does() -> None:
    operation = order_route()
    assert (operation.method, operation.path) == ("POST", "/orders/{order_id}")
    assert operation.description == "Takes an order."
    assert operation.answers[0].status == "201"
    assert operation.answers[0].description == "What was made."


def test_parameters_have_their_place_default_and_limits_and_the_owner_is_none_of_them() -> None:
    told = [
        (field.name, field.place, field.type, field.required, field.default, field.limits)
        for field in order_route().parameters
    ]
    assert told == [
        ("order_id", "path", "string", True, None, ""),
        ("state", "query", "string", True, None, "Matches `^[a-z]+$`."),
        ("limit", "query", "integer", False, "50", "At least 1, at most 2,000."),
    ]


def test_a_body_is_told_to_the_bottom() -> None:
    told = [
        (field.name, field.type, field.required, field.default, field.limits)
        for field in order_route().body
    ]
    assert told == [
        ("size", '"small" or "large"', True, None, ""),
        ("people", "array of object", True, None, "1 or more items."),
        ("people[].name", "string", True, None, "At most 1,000 characters."),
        ("note", "string or null", False, None, ""),
        ("price", "number", False, "0.5", "More than 0, at most 9.75."),
    ]


def test_the_command_line_names_what_the_reader_sets_and_sends_what_is_required() -> None:
    assert order_route().curl == (
        'curl -s "$BASE/orders/$ORDER?state=$STATE" \\\n'
        '  -H "X-Owner: $OWNER" \\\n'
        "  -H 'Content-Type: application/json' \\\n"
        """  -d '{"size": "small", "people": [{"name": "text"}]}'"""
    )


def test_routes_are_grouped_and_those_without_a_tag_left_out() -> None:
    app = FastAPI()

    async def nothing() -> None:
        """Does nothing."""

    for path, tag in (("/a", "one"), ("/b", "two"), ("/c", "one"), ("/hidden", None)):
        app.get(path, tags=[tag] if tag else None)(nothing)
    told = [(group.name, [each.path for each in group.operations]) for group in groups_of(app)]
    assert told == [("one", ["/a", "/c"]), ("two", ["/b"])]
