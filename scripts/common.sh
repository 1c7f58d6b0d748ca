# shellcheck shell=bash
# Shared by ./check and ./demo: messages, packages, builds. Sourced by bash, from any working directory.

tutti_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tutti_started=$SECONDS
tutti_jobs=$(nproc)

# MPI refuses to start as root or with more ranks than cores unless these are set; both are harmless on a test
# machine.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=slot:OVERSUBSCRIBE

# The sanitizers of these compilers fail with some address space layouts of newer kernels. Sanitized programs also run
# during the build, to list their tests.
tutti_steady=()
if setarch "$(uname -m)" -R true 2>/dev/null; then tutti_steady=(setarch "$(uname -m)" -R); fi

# Clones of the repository share the results of ccache.
export CCACHE_BASEDIR=$tutti_root CCACHE_NOHASHDIR=1

# say TEXT: one line of progress, with the minutes since the start.
say() {
  local elapsed=$((SECONDS - tutti_started))
  printf '[%2d:%02d] %s\n' $((elapsed / 60)) $((elapsed % 60)) "$*"
}

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# quietly LOG COMMAND…: writes the output to LOG, and to the terminal only if the command fails.
quietly() {
  local log=$1
  shift
  mkdir -p "${log%/*}"
  "$@" >"$log" 2>&1 </dev/null && return 0
  local status=$?
  tail -n 60 "$log" >&2
  printf '(the whole of it: %s)\n' "$log" >&2
  return $status
}

# Prints 12 or 13; nothing if this is not one of these Debian releases.
debian_release() {
  local ID='' VERSION_ID=''
  # shellcheck source=/dev/null
  [[ -r /etc/os-release ]] && source /etc/os-release
  if [[ $ID == debian && $VERSION_ID =~ ^1[23]$ ]]; then echo "$VERSION_ID"; fi
}

tutti_packages() {
  local word release
  release=$(debian_release)
  while read -r word; do
    if [[ $word != *@* || ${word#*@} == "$release" ]]; then echo "${word%@*}"; fi
  done < <(sed 's/#.*//' "$tutti_root/scripts/packages.txt" | xargs -n1)
}

# Tools that other systems must provide; without those of the second list, parts are skipped.
tutti_tools=(cmake ninja c++ pkg-config python3)
tutti_more_tools=(clang++ clang-format clang-tidy shellcheck mpicc.mpich mpicc.openmpi gfortran npm verilator yosys spin)

# say_missing_tools: for systems with other package names.
say_missing_tools() {
  local tool needed=() more=()
  for tool in "${tutti_tools[@]}"; do command -v "$tool" >/dev/null || needed+=("$tool"); done
  for tool in "${tutti_more_tools[@]}"; do command -v "$tool" >/dev/null || more+=("$tool"); done
  say "this is neither Debian 12 nor 13: packages are not checked (scripts/packages.txt names Debian's)"
  if ((${#more[@]})); then say "missing, what needs them is left out: ${more[*]}"; fi
  if ((${#needed[@]})); then die "missing: ${needed[*]}"; fi
}

# Names of the packages of scripts/packages.txt that are not installed. Node.js from another source includes npm and
# conflicts with Debian's npm package.
missing_packages() {
  local package
  for package in $(tutti_packages); do
    [[ $package =~ ^(nodejs|npm)$ ]] && command -v node >/dev/null && command -v npm >/dev/null && continue
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

# Installs the missing packages.
install_packages() {
  if [[ -z $(debian_release) ]]; then
    say_missing_tools
    return
  fi
  local missing
  missing=$(missing_packages | xargs)
  # On a machine with InfiniBand, Debian starts the subnet manager when it is installed, which must not happen here.
  if [[ -e /sys/class/infiniband_mad/abi_version ]]; then
    missing=$(xargs -n1 <<<"$missing" | grep -vx opensm | xargs)
  fi
  [[ -z $missing ]] && return 0
  # shellcheck disable=SC2086
  install_named $missing
}

# install_named PACKAGE…: installs as root; otherwise prints the command for root and ends the script.
install_named() {
  if [[ $(id -u) != 0 ]]; then
    printf '%s: some packages are missing. As root, run:\n  %s\n' "${0##*/}" \
      "apt-get install -y --no-install-recommends $*" >&2
    exit 1
  fi
  say "installing: $*"
  export DEBIAN_FRONTEND=noninteractive
  quietly "$tutti_root/build/logs/apt.log" apt-get update || say "apt-get update failed; trying with the lists that are there"
  quietly "$tutti_root/build/logs/apt.log" apt-get install -y --no-install-recommends "$@" ||
    die "apt-get could not install the packages"
}

# build PRESET [TARGET…]: configures and builds into build/PRESET, with the definitions in tutti_definitions.
tutti_definitions=()
build() {
  local preset=$1
  shift
  local log=$tutti_root/build/logs/build-$preset.log launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  (cd "$tutti_root" && quietly "$log" cmake --preset "$preset" "${launcher[@]}" "${tutti_definitions[@]}") || return
  quietly "$log" "${tutti_steady[@]}" cmake --build "$tutti_root/build/$preset" -j "$tutti_jobs" ${1:+--target "$@"}
}
