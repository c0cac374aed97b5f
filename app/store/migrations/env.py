"""What Alembic runs: the steps, in the connection and the transaction that it is given."""

from __future__ import annotations

from alembic import context

from app.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
