"""What is set up for the tools of a chat, and how many calls each turn made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Adds their columns; turns from before count no calls."""
    op.add_column("chats", sa.Column("setup", sa.Text))
    op.add_column(
        "chats", sa.Column("setup_size", sa.BigInteger, nullable=False, server_default="0")
    )
    for name in ("calls", "valid_calls", "unknown_calls"):
        op.add_column("nodes", sa.Column(name, sa.Integer))
    op.create_index(
        "ix_nodes_calls",
        "nodes",
        ["owner", "chat_id", "calls", "valid_calls", "unknown_calls"],
        sqlite_where=sa.text("calls IS NOT NULL"),
        postgresql_where=sa.text("calls IS NOT NULL"),
    )


def downgrade() -> None:
    """Takes them away, with all that is in them."""
    op.drop_index("ix_nodes_calls", "nodes")
    for name in ("unknown_calls", "valid_calls", "calls"):
        op.drop_column("nodes", name)
    for name in ("setup_size", "setup"):
        op.drop_column("chats", name)
