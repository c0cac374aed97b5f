"""What the routes say of themselves, as a page without scripts at `/docs`."""
