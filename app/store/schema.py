"""The tables, for SQLite and PostgreSQL alike; `migrations` makes them, a test compares the two."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    String,
    Table,
    Text,
)

TITLE_CHARACTERS: Final = 300
"""The longest title that a person may give a chat."""

AnyRow: TypeAlias = Row[*tuple[Any, ...]]
"""A row of whatever columns were asked for."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

chats = Table(
    "chats",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("id", String(64), primary_key=True),
    # `title` is what a person wrote; without one the chat is called by its first message.
    Column("title", String(TITLE_CHARACTERS)),
    Column("title_folded", String(TITLE_CHARACTERS), nullable=False),
    Column("first_title", String(TITLE_CHARACTERS)),
    Column("pinned", Boolean, nullable=False),
    Column("created", Float(53), nullable=False),
    Column("updated", Float(53), nullable=False),
    # The end of the active path; null where that is empty.
    Column("leaf", String(32)),
    # Bytes of all its nodes: 0 is a chat in which nothing was ever said.
    Column("size", BigInteger, nullable=False),
    # What is set up for its tools, as JSON, null where nothing ever was; and the bytes of that.
    Column("setup_size", BigInteger, nullable=False, server_default="0"),
    Column("setup", Text),
)
Index(None, chats.c.owner, chats.c.pinned, chats.c.updated, chats.c.id)

nodes = Table(
    "nodes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(64), nullable=False),
    Column("chat_id", String(64), nullable=False),
    Column("parent", String(32)),
    # Its place among those that follow the same node, from 1; and along its path, from 1.
    Column("number", Integer, nullable=False),
    Column("depth", Integer, nullable=False),
    # Which of those that follow it is shown.
    Column("chosen", String(32)),
    Column("kind", String(8), nullable=False),
    Column("created", Float(53), nullable=False),
    Column("feedback_value", String(16)),
    Column("feedback_comment", Text),
    Column("prompt_tokens", BigInteger),
    Column("cached_tokens", BigInteger),
    Column("completion_tokens", BigInteger),
    Column("seconds", Float(53)),
    Column("size", BigInteger, nullable=False),
    # Long texts come last: SQLite reads a row from its beginning. `folded` is `text` without case.
    Column("folded", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("payload", Text, nullable=False),
    # Of a turn that made calls; null else, and where a person changed it.
    Column("calls", Integer),
    Column("valid_calls", Integer),
    Column("unknown_calls", Integer),
    ForeignKeyConstraint(
        ["owner", "chat_id"], ["chats.owner", "chats.id"], ondelete="CASCADE", onupdate="CASCADE"
    ),
)
Index(None, nodes.c.owner, nodes.c.chat_id, nodes.c.parent)
# Has all that counting calls asks for: in SQLite their columns stand behind the long texts.
Index(
    "ix_nodes_calls",
    nodes.c.owner,
    nodes.c.chat_id,
    nodes.c.calls,
    nodes.c.valid_calls,
    nodes.c.unknown_calls,
    sqlite_where=nodes.c.calls.is_not(None),
    postgresql_where=nodes.c.calls.is_not(None),
)

media = Table(
    "media",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("name", Text, nullable=False),
    Column("mime", String(100), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("width", Integer),
    Column("height", Integer),
    Column("seconds", Float(53)),
    Column("added", Float(53), nullable=False),
    Column("used", Float(53), nullable=False),
)
Index(None, media.c.hash)

node_media = Table(
    "node_media",
    metadata,
    Column("node_id", ForeignKey("nodes.id", ondelete="CASCADE"), primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("owner", String(64), nullable=False),
)
Index(None, node_media.c.owner, node_media.c.hash)

exchanges = Table(
    "exchanges",
    metadata,
    # A turn that was gone on with has one for each request, from 0.
    Column("node_id", ForeignKey("nodes.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("record", Text, nullable=False),
    Column("wire", LargeBinary, nullable=False),
)

usage = Table(
    "usage",
    metadata,
    # Days since 1970, in UTC; the visitor by a digest.
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("visitor", String(64), primary_key=True),
    Column("tokens", BigInteger, nullable=False),
    Column("upload_bytes", BigInteger, nullable=False),
)
