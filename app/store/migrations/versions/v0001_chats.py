"""Chats as trees of messages and answers, and the pictures and clips in them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the first tables."""
    op.create_table(
        "chats",
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("title", sa.String(300)),
        sa.Column("title_folded", sa.String(300), nullable=False),
        sa.Column("first_title", sa.String(300)),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("updated", sa.Float(53), nullable=False),
        sa.Column("leaf", sa.String(32)),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("owner", "id", name="pk_chats"),
    )
    op.create_index(
        "ix_chats_owner_pinned_updated_id", "chats", ["owner", "pinned", "updated", "id"]
    )
    op.create_table(
        "nodes",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("chat_id", sa.String(64), nullable=False),
        sa.Column("parent", sa.String(32)),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("chosen", sa.String(32)),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("feedback_value", sa.String(16)),
        sa.Column("feedback_comment", sa.Text),
        sa.Column("prompt_tokens", sa.BigInteger),
        sa.Column("cached_tokens", sa.BigInteger),
        sa.Column("completion_tokens", sa.BigInteger),
        sa.Column("seconds", sa.Float(53)),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("folded", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_nodes"),
        sa.ForeignKeyConstraint(
            ["owner", "chat_id"],
            ["chats.owner", "chats.id"],
            name="fk_nodes_owner_chat_id",
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
    )
    op.create_index("ix_nodes_owner_chat_id_parent", "nodes", ["owner", "chat_id", "parent"])
    op.create_table(
        "media",
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("mime", sa.String(100), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("width", sa.Integer),
        sa.Column("height", sa.Integer),
        sa.Column("seconds", sa.Float(53)),
        sa.Column("added", sa.Float(53), nullable=False),
        sa.Column("used", sa.Float(53), nullable=False),
        sa.PrimaryKeyConstraint("owner", "hash", name="pk_media"),
    )
    op.create_index("ix_media_hash", "media", ["hash"])
    op.create_table(
        "node_media",
        sa.Column("node_id", sa.String(32), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("node_id", "hash", name="pk_node_media"),
        sa.ForeignKeyConstraint(
            ["node_id"], ["nodes.id"], name="fk_node_media_node_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_node_media_owner_hash", "node_media", ["owner", "hash"])


def downgrade() -> None:
    """Takes them away, with all that is in them."""
    for table in ("node_media", "media", "nodes", "chats"):
        op.drop_table(table)
