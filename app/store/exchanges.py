"""The requests behind the answers of a chat, with the wire of each: written once, read rarely."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.chat.exchange import Exchange
from app.chat.request import Options
from app.store.database import StoreError
from app.store.payloads import read_parts, written_parts
from app.store.schema import AnyRow, exchanges, nodes
from app.store.texts import storable


async def add_exchange(connection: AsyncConnection, node_id: str, exchange: Exchange) -> int:
    """Keeps one more request of a turn; returns the bytes that this takes."""
    number = await connection.scalar(
        select(func.count()).select_from(exchanges).where(exchanges.c.node_id == node_id)
    )
    row = exchange_row(node_id, number or 0, exchange)
    await connection.execute(insert(exchanges).values(row))
    return exchange_size(row)


def exchange_row(node_id: str, number: int, exchange: Exchange) -> dict[str, Any]:
    """The row of a turn's request of this number, from 0."""
    return {
        "node_id": node_id,
        "number": number,
        "record": _written(exchange),
        "wire": exchange.wire,
    }


def exchange_size(row: Mapping[str, Any]) -> int:
    """The bytes that a row takes."""
    return len(row["record"].encode()) + len(row["wire"])


async def read_exchanges(
    connection: AsyncConnection, owner: str, chat: str, node_id: str
) -> tuple[Exchange, ...]:
    """The requests of one turn of the owner's chat, in their order; often none.

    Raises StoreError naming the turn where one cannot be read.
    """
    found = await connection.execute(
        select(exchanges.c.record, exchanges.c.wire)
        .join(nodes, nodes.c.id == exchanges.c.node_id)
        .where(nodes.c.owner == owner, nodes.c.chat_id == chat, nodes.c.id == node_id)
        .order_by(exchanges.c.number)
    )
    return tuple(read_exchange(node_id, row) for row in found.all())


def read_exchange(node_id: str, row: AnyRow) -> Exchange:
    """The request in a row with its record and its wire. Raises StoreError naming the turn."""
    try:
        return _read(row)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise StoreError(
            f"The request of the answer {node_id} cannot be read from the database: {error}"
        ) from error


def _written(exchange: Exchange) -> str:
    values: dict[str, Any] = {
        "options": msgspec.to_builtins(exchange.options),
        "digest": exchange.digest,
        "base": written_parts(exchange.base),
        "is_cut": exchange.is_cut,
    }
    return storable(json.dumps(values, ensure_ascii=False, separators=(",", ":")))


def _read(row: AnyRow) -> Exchange:
    values = json.loads(row.record)
    return Exchange(
        options=msgspec.convert(values["options"], Options),
        digest=values["digest"],
        base=read_parts(values["base"]),
        wire=row.wire,
        is_cut=values["is_cut"],
    )
