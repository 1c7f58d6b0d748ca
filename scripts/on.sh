# shellcheck shell=bash disable=SC2016,SC2154
# ./check --on debian:13: creates another system in a folder, from this system's mirror, and runs a command in it.

tutti_systems=${TUTTI_SYSTEMS:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tutti/systems}
unset TUTTI_SYSTEMS # tutti would report it as an unknown setting
declare -A tutti_code_names=([debian:12]=bookworm [debian:13]=trixie)

# mirror_of_apt: prints the source of this system's packages; nothing if it is unknown.
mirror_of_apt() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m 1 '/debian/\?$'
}

# make_system SYSTEM FOLDER: removes the rest of an interrupted run first.
make_system() {
  command -v mmdebstrap >/dev/null || install_named mmdebstrap
  say "making a system: $1 in $2"
  rm -rf "$2.part"
  mkdir -p "${2%/*}"
  local mirror
  mirror=$(mirror_of_apt)
  quietly "$tutti_root/build/logs/system.log" mmdebstrap --variant=minbase --include=ca-certificates \
    "${tutti_code_names[$1]}" "$2.part" ${mirror:+"$mirror"} || die "mmdebstrap could not make $1"
  mv "$2.part" "$2"
}

# folder_of SYSTEM: the folder of its builds on this system; /tutti/build in the other system.
folder_of() { echo "$tutti_root/build/on/${1/:/-}"; }

# in_system SYSTEM COMMAND…: runs the command in a system like debian:13, which is created if it does not exist. The
# source tree is at /tutti. The mounts end with the command.
in_system() {
  local system=$1
  shift
  [[ -n ${tutti_code_names[$system]:-} ]] || die "--on takes one of: ${!tutti_code_names[*]}"
  [[ $(id -u) == 0 ]] || die "--on $system makes a system of its own, which takes root"
  local root=$tutti_systems/${system/:/-} built
  built=$(folder_of "$system")
  [[ -d $root ]] || make_system "$system" "$root"
  mkdir -p "$root/tutti" "$built"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
  unshare --mount --propagation private bash -euc '
    root=$1 source=$2 built=$3
    shift 3
    mount --bind "$root" "$root"
    cd "$root"
    for folder in proc sys dev; do mount --rbind "/$folder" "$root/$folder"; done
    mount --bind "$source" "$root/tutti"
    mount --bind "$built" "$root/tutti/build"
    # Changes the root of the mount namespace, not only of this process: processes that enter the namespace get it,
    # too.
    pivot_root . .
    umount --lazy .
    exec chroot . env -u XDG_CACHE_HOME -u TUTTI_SYSTEMS HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
  ' bash "$root" "$tutti_root" "$built" "$@"
}

# check_on SYSTEM [OPTION…]: runs ./check in it. If its MPIs are newer, it also tests the preload libraries built
# here.
check_on() {
  local system=$1 libraries release
  shift
  local -a options=("$@")
  release=$(debian_release)
  if [[ -n $release && $release -lt ${system#*:} ]]; then
    install_packages
    build_for_tests release tutti_mpi_mpich tutti_mpi_openmpi || return
    libraries=$(folder_of "$system")/libraries
    mkdir -p "$libraries"
    cp "$tutti_root"/build/release/lib/libtutti-{mpich,openmpi,ucx}.so "$libraries" || return
    options+=(--libraries /tutti/build/libraries)
  fi
  in_system "$system" /tutti/check "${options[@]}"
}
