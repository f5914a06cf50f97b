#!/usr/bin/env bash
# install.sh SUMMA FOLDER: copies the program to FOLDER/bin and what it needs with it below FOLDER/lib/summa and FOLDER/share/doc/summa.
# Also for a program that `cargo install` has put there: then only the rest is copied.
set -euo pipefail
program=$1 folder=$2
home=$(cd "$(dirname "$0")/.." && pwd)

mkdir -p "$folder/bin" "$folder/lib/summa" "$folder/share/doc/summa"
[ "$program" -ef "$folder/bin/summa" ] || install -m 755 "$program" "$folder/bin/summa"
# Under the name that the program asks for.
install -m 755 "$home"/third_party/z3/lib/libz3.so.* "$folder/lib/summa/"
install -m 644 "$home/LICENSE" "$home/NOTICE" "$folder/share/doc/summa/"
echo "installed: $folder/bin/summa"
