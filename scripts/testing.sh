# shellcheck shell=bash disable=SC2154
# Counting for ./check. Each step adds to the counts; finish() prints them.

passed_count=0
failed_count=0
skipped_count=0

# Records a check that is impossible here, and the reason.
skipped() {
  skipped_count=$((skipped_count + 1))
  say "  skipped: $*"
}
passed() { passed_count=$((passed_count + 1)); }
failed() {
  failed_count=$((failed_count + 1))
  say "FAILED: $*"
}

# Each version of clang-format has its own style; the sources use that of version 14.
clang_format_14() {
  local name
  for name in clang-format-14 clang-format; do
    if [[ $("$name" --version 2>/dev/null) =~ version\ 14\. ]]; then
      echo "$name"
      return
    fi
  done
}

check_formatting() {
  say "formatting"
  local tool
  tool=$(clang_format_14)
  if [[ -z $tool ]]; then
    skipped "there is no clang-format 14"
    return
  fi
  local files
  mapfile -d '' files < <(cd "$tutti_root" && find src apps bench tests tools rtl include opensm examples \
    \( -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.h' \) -print0)
  if (cd "$tutti_root" && quietly build/logs/format.log "$tool" --dry-run --Werror "${files[@]}"); then
    passed
  else
    failed "formatting (clang-format -i mends it)"
  fi
}

# build_for_tests PRESET [TARGET…]
build_for_tests() {
  say "building: $1"
  if [[ $1 =~ ^(clang|asan|tsan|tsan_mpi)$ ]] && ! command -v clang++ >/dev/null; then
    skipped "there is no clang++"
    return 1
  fi
  if build "$@"; then
    passed
  else
    failed "build $1"
    return 1
  fi
}

# run_tests PRESET [CTEST OPTION…]: runs ctest and adds its results to the counts.
run_tests() {
  local preset=$1
  shift
  say "testing: $preset${*:+ ($*)}"
  local results=$tutti_root/build/logs/tests-$preset.xml log=$tutti_root/build/logs/tests-$preset.log
  # Two more jobs than cores: many tests wait, for launchers, subnets or sleeping threads. The random checks, which
  # take minutes, have lower priority.
  local -a ctest=("${tutti_steady[@]}" ctest --test-dir "$tutti_root/build/$preset" --no-tests=error --timeout 300
    -j $((tutti_jobs + 2)) --output-junit "$results" "$@")
  rm -f "$results"
  if [[ -t 1 ]]; then
    "${ctest[@]}" --progress 2>&1 </dev/null | tee "$log" | grep --line-buffered -F 'Test #' | show_progress
  else
    "${ctest[@]}" >"$log" 2>&1 </dev/null
  fi
  local counts
  counts=$("$tutti_root/scripts/tally.py" "$results") || {
    tail -n 30 "$log" >&2
    failed "ctest of $preset ended without results"
    return
  }
  local passed failed skipped
  read -r passed failed skipped <<<"$counts"
  passed_count=$((passed_count + passed))
  failed_count=$((failed_count + failed))
  skipped_count=$((skipped_count + skipped))
  say "  $passed passed, $failed failed${skipped:+, $skipped skipped}"
}

# test_layers PRESET LAYER…: builds and runs only these layers.
test_layers() {
  local preset=$1
  shift
  build_for_tests "$preset" "${@/#/layer_}" && run_tests "$preset" --label-regex "^($(IFS='|' && echo "$*"))\$"
}

# Rewrites one line of the terminal with the last completed test.
show_progress() {
  local line
  while IFS= read -r line; do printf '\r\033[K%.*s' "${COLUMNS:-100}" "$line"; done
  printf '\r\033[K'
}

check_scripts() {
  say "scripts"
  if ! command -v shellcheck >/dev/null; then
    skipped "there is no shellcheck"
    return
  fi
  if (cd "$tutti_root" && quietly build/logs/shellcheck.log shellcheck -x check demo .ci/run scripts/*.sh packaging/debian/try); then
    passed
  else
    failed "shellcheck"
  fi
}

check_tidy() {
  say "clang-tidy"
  if ! command -v clang-tidy >/dev/null; then
    skipped "there is no clang-tidy"
    return
  fi
  # Builds only the generated headers.
  build tidy tutti_mpi_versions_mpich_h tutti_mpi_versions_openmpi_h || failed "build tidy"
  local list=$tutti_root/build/logs/tidy.list
  (cd "$tutti_root" && find src -name '*.cpp' -print0 >"$list")
  if (cd "$tutti_root" && quietly build/logs/tidy.log xargs -0 -a "$list" -n 4 -P "$tutti_jobs" \
    clang-tidy -p build/tidy --quiet); then
    passed
  else
    failed "clang-tidy"
  fi
}

# check_elsewhere SYSTEM: adds the results of ./check in another system to the counts.
check_elsewhere() {
  say "testing in another system: $1"
  local log=$tutti_root/build/logs/on-${1/:/-}.log passed failed
  check_on "$1" --jobs "$tutti_jobs" 2>&1 | tee "$log"
  read -r passed failed < <(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")
  if [[ -z ${failed:-} ]]; then
    failed "./check --on $1 ended without results"
    return
  fi
  passed_count=$((passed_count + passed))
  failed_count=$((failed_count + failed))
}

# A part of --full, from begin_part to end_part NAME, which adds a line about it to build/logs/full.txt.
begin_part() {
  part_began=$SECONDS
  part_passed=$passed_count
  part_failed=$failed_count
}
end_part() {
  local commit
  commit=$(git -C "$tutti_root" rev-parse --short HEAD 2>/dev/null || echo unknown)
  printf '%s %s --full=%s: %d passed, %d failed, %d min\n' "$(date +%F)" "$commit" "$1" \
    $((passed_count - part_passed)) $((failed_count - part_failed)) $(((SECONDS - part_began + 59) / 60)) \
    >>"$tutti_root/build/logs/full.txt"
}

# Prints the counts as the last line and ends the script.
finish() {
  if ((skipped_count > 0)); then say "$skipped_count skipped (build/logs has the reasons)"; fi
  say "done; logs are in build/logs"
  printf '%d passed, %d failed\n' "$passed_count" "$failed_count"
  exit $((failed_count > 0 ? 1 : 0))
}
