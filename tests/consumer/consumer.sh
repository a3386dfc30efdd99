#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Usage: consumer.sh install|find_package|pkg_config|add_subdirectory|fetch_content, with the variables that CMakeLists.txt
# sets. Everything happens in $BUILD/consumer.
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

# run PROGRAM: the program must solve an instance and write a result file.
run() {
    rm -f "$1.json"
    "$1" "$1.json"
    grep -q '"outcome": "optimal"' "$1.json" || fail "$1 wrote no result"
}

configure() {
    local source=$1 build=$2
    shift 2
    rm -rf "$build"
    "$CMAKE" -S "$source" -B "$build" -G "$GENERATOR" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$FLAGS" "$@"
}

install_and_move() {
    rm -rf "$work"
    DESTDIR='' "$CMAKE" --install "$BUILD" --config "$CONFIG" --prefix "$work/first"
    mv "$work/first" "$prefix"
    # Nothing installed may name the build or the first prefix, or targets that are not installed.
    ! grep -rIlF -e "$BUILD" -e "$work/first" "$prefix" || fail "the files above name a folder of the build"
    ! grep -rwE 'mco_(options|internal|objects)' "$prefix/$LIBDIR/cmake" || fail "targets that are not installed, above"
    "$prefix/bin/mco" --version
    local -a hardened=("$prefix/bin/mco")
    [[ " $LIBRARIES " != *" shared "* ]] || hardened+=("$prefix/$LIBDIR/libmco.so")
    [ -z "$READELF" ] || bash "$SOURCE/tests/library/hardening.sh" "${hardened[@]}"
}

with_find_package() {
    local languages=C program
    [ ! -x "$CXX" ] || languages="C;CXX"
    configure "$source_dir/project" "$work/project" -DCMAKE_PREFIX_PATH="$prefix" -DLANGUAGES="$languages" \
        -DLIBRARIES="${LIBRARIES// /;}" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$FLAGS"
    "$CMAKE" --build "$work/project"
    for program in "$work"/project/*_C "$work"/project/*_CXX; do
        run "$program"
    done
}

# with_pkg_config LIBRARY COMPILER STANDARD SOURCE
with_pkg_config() {
    local library=$1 compiler=$2 standard=$3 source=$4 output
    local -a flags
    output=$work/pkg_config_${library}_${source##*.}
    if [ "$library" = shared ]; then
        read -ra flags <<< "$(pkg-config --cflags --libs mco) -Wl,-rpath,$prefix/$LIBDIR"
        [[ " ${flags[*]} " != *" -lm "* ]] || fail "users of the shared library are linked with what it uses"
    else
        read -ra flags <<< "$(pkg-config --cflags --libs --static mco)"
        flags=("${flags[@]/#-lmco/-l:libmco.a}")  # or the linker would take the shared library
    fi
    # Flags of the sanitizers contain no blanks, so they are split into words on purpose.
    # shellcheck disable=SC2086
    "$compiler" -std="$standard" $FLAGS -Wall -Wextra -Wpedantic -Werror "$source_dir/$source" -o "$output" "${flags[@]}"
    run "$output"
}

# Compiles portable code without optimisation, which saves half a minute.
embed() {
    configure "$source_dir/embedded" "$work/$1" -DSOURCE="$SOURCE" -DMCO_CUDA=OFF -DMCO_SIMD=PORTABLE "${@:2}"
    "$CMAKE" --install "$work/$1" --prefix "$work/$1/prefix"
    [ ! -e "$work/$1/prefix" ] || fail "$work/$1/prefix was installed"
}

case $1 in
install)
    install_and_move
    ;;
find_package)
    with_find_package
    ;;
pkg_config)
    command -v pkg-config > /dev/null || skip "no pkg-config"
    [ "$(pkg-config --modversion mco)" = "$VERSION" ] || fail "mco.pc has another version"
    for library in $LIBRARIES; do
        with_pkg_config "$library" "$CC" c17 main.c
        [ ! -x "$CXX" ] || with_pkg_config "$library" "$CXX" c++11 main.cpp
    done
    ;;
add_subdirectory)
    embed add_subdirectory
    "$CMAKE" --build "$work/add_subdirectory" --parallel 2
    run "$work/add_subdirectory/mco"
    ;;
fetch_content)
    embed fetch_content -DFETCH=ON -DBUILD_SHARED_LIBS=ON
    ;;
esac
