#!/bin/sh
# The tests of exported code run it: they need curl. Find it, or install it where that can be done.
command -v curl >/dev/null 2>&1 && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "The tests of exported code need curl: install it so that it is on PATH, then run this again." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "The tests of exported code need curl: run 'sudo apt-get install curl', then run this again." >&2
    exit 1
fi
echo "Installing curl with apt ..."
log=$(mktemp)
if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates curl; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "curl could not be installed with apt: install it by hand, then run this again." >&2
    exit 1
fi
rm -f "$log"
