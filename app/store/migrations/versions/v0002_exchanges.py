"""What was asked of the model server for each answer, and what came on the wire."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes their table; answers from before have none."""
    op.create_table(
        "exchanges",
        sa.Column("node_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("wire", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("node_id", "number", name="pk_exchanges"),
        sa.ForeignKeyConstraint(
            ["node_id"], ["nodes.id"], name="fk_exchanges_node_id", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    """Takes it away, with all that is in it."""
    op.drop_table("exchanges")
