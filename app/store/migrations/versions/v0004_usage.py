"""What each visitor took in a day, for the limits of a server that is open to the public."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "usage",
        sa.Column("day", sa.Integer, nullable=False),
        sa.Column("visitor", sa.String(64), nullable=False),
        sa.Column("tokens", sa.BigInteger, nullable=False),
        sa.Column("upload_bytes", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("day", "visitor", name="pk_usage"),
    )


def downgrade() -> None:
    """Takes it away: everybody begins the day anew."""
    op.drop_table("usage")
