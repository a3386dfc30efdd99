# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For sourcing: asks the package manager for what is missing, and only for that.

# has_header NAME: succeeds if the C compiler finds the header.
has_header() {
    command -v gcc > /dev/null && echo "#include <$1>" | gcc -E - > /dev/null 2>&1
}

# missing_of PACKAGE...: prints the packages whose command or header is not there.
missing_of() {
    local package
    for package in "$@"; do
        case $package in
        libc6-dev) has_header stdio.h ;;
        libcmocka-dev) has_header cmocka.h ;;
        libmetis-dev) has_header metis.h ;;
        zlib1g-dev) has_header zlib.h ;;
        libzip-dev) has_header zip.h ;;
        libprotobuf-c-dev) has_header protobuf-c/protobuf-c.h ;;
        libhdf5-dev) has_header hdf5.h || has_header hdf5/serial/hdf5.h ;;
        coinor-libclp-dev) has_header coin/Clp_C_Interface.h ;;
        coinor-libcbc-dev) has_header coin/Cbc_C_Interface.h ;;
        libzmq3-dev) has_header zmq.h ;;
        libopenmpi-dev) command -v mpicc > /dev/null ;;
        openmpi-bin) command -v mpirun > /dev/null ;;
        protobuf-c-compiler) command -v protoc-c > /dev/null ;;
        *) command -v "$package" > /dev/null ;;
        esac || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

apt_install() {
    command -v apt-get > /dev/null || return 1
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo > /dev/null; then return 1; fi
    echo "installing: $*"
    as_root apt-get update -qq || echo "the package lists could not be brought up to date"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# want PACKAGE...: installs what is missing if that is possible; false if something is still missing.
want() {
    local -a missing
    mapfile -t missing < <(missing_of "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    apt_install "${missing[@]}" || true
    mapfile -t missing < <(missing_of "$@")
    [ "${#missing[@]}" -eq 0 ]
}

# need PACKAGE...: does the same, and stops with a message if something is still missing.
need() {
    want "$@" && return 0
    echo "These Debian packages (or what they hold) are missing and could not be installed:" >&2
    missing_of "$@" | sed 's/^/    /' >&2
    echo "Install them as root, with apt-get or the package manager of this system, and start again." >&2
    exit 1
}
