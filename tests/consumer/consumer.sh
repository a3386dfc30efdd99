#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: consumer.sh install|cmake|pkgconfig|cxx, with BUILD, CMAKE, CONFIG, CC, CXX, FLAGS and LIBDIR
# from CTest. Everything happens in $BUILD/consumer.
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$BUILD/consumer
prefix=$work/moved
export PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig

skip() {
    echo "skipped: $1"
    exit 77
}

fail() {
    echo "failed: $1"
    exit 1
}

install_and_move() {
    rm -rf "$work"
    DESTDIR='' "$CMAKE" --install "$BUILD" --config "$CONFIG" --prefix "$work/first"
    mv "$work/first" "$prefix"
    # Nothing installed may know the build or the first prefix, nor targets that are not installed.
    if grep -rIlF -e "$BUILD" -e "$work/first" -e mco_options "$prefix"; then
        fail "the files above name a folder or a target of the build"
    fi
    "$prefix/bin/mco" --version
}

# Flags of the sanitizers contain no blanks: they split into words on purpose.
# shellcheck disable=SC2086
build_with_pkg_config() {
    local compiler=$1 standard=$2 source=$3 output=$4
    local -a library
    read -ra library <<< "$(pkg-config --cflags --libs --static mco)"
    "$compiler" -std="$standard" $FLAGS -Wall -Wpedantic -Werror "$source" -o "$output" "${library[@]}"
    "$output"
}

case $1 in
install)
    install_and_move
    ;;
cmake)
    "$CMAKE" -S "$source_dir/project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$FLAGS"
    "$CMAKE" --build "$work/cmake"
    "$work/cmake/consumer"
    ;;
pkgconfig)
    command -v pkg-config > /dev/null || skip "no pkg-config"
    [ "$(pkg-config --modversion mco)" = "$(sed -n 's/.*MCO_VERSION "\(.*\)"/\1/p' "$prefix/include/mco/version.h")" ] ||
        fail "mco.pc and mco/version.h differ in the version"
    build_with_pkg_config "$CC" c17 "$source_dir/main.c" "$work/with_pkg_config"
    ;;
cxx)
    command -v pkg-config > /dev/null || skip "no pkg-config"
    [ -x "$CXX" ] || skip "no C++ compiler of the family of $(basename "$CC")"
    build_with_pkg_config "$CXX" c++20 "$source_dir/main.cpp" "$work/with_cxx"
    ;;
esac
