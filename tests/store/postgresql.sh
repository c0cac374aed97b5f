#!/bin/sh
# The store's tests start a PostgreSQL of their own: find its programs, or install them where that can be done.
command -v postgres >/dev/null 2>&1 && exit 0
for program in /usr/lib/postgresql/*/bin/postgres; do
    [ -x "$program" ] && exit 0
done
if ! command -v apt-get >/dev/null 2>&1; then
    echo "The store's tests need PostgreSQL: install its server so that postgres is on PATH, then run this again." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "The store's tests need PostgreSQL: run 'sudo apt-get install postgresql', then run this again." >&2
    exit 1
fi
echo "Installing PostgreSQL with apt ..."
log=$(mktemp)
install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
# Only the programs are wanted: Debian's package would also make a database and serve it.
if ! {
    $as_root apt-get update &&
        $install postgresql-common &&
        $as_root sed -i 's/^#create_main_cluster = true/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf &&
        $install postgresql
} >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "PostgreSQL could not be installed with apt: install it by hand, then run this again." >&2
    exit 1
fi
rm -f "$log"
