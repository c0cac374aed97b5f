#!/bin/sh
# The browser tests drive the system's Chromium: find it, or install it where that can be done.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
if ! command -v apt-get >/dev/null 2>&1; then
    echo "The browser tests need Chromium: install Chromium or Google Chrome so that it is on PATH, then run this again." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "The browser tests need Chromium: run 'sudo apt-get install chromium', then run this again." >&2
    exit 1
fi
echo "Installing Chromium with apt ..."
log=$(mktemp)
if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "Chromium could not be installed with apt: install it by hand, then run this again." >&2
    exit 1
fi
rm -f "$log"
