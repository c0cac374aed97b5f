"""How the tables came to be, a step a file; `app.store.database` runs what is missing."""
