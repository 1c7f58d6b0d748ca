#include "actors/process/coverage.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>

#include "actors/loader/program_image.hpp"
#include "actors/process/program_check.hpp"
#include "base/text.hpp"

namespace tutti::actors {

using base::Status;

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return result;
}

/// True for MPI names that are not calls: variables, functions of predefined attributes, and conversions
/// between C and Fortran, which any program may contain.
bool is_no_call(const std::string& name) {
  return name.ends_with("_fn") || name.ends_with("_f90") || name.starts_with("sizeof") ||
         name.starts_with("fortran_") || name.starts_with("f_status") || name.starts_with("f08_") ||
         name == "f_sync_reg" || name == "aint_add" || name == "aint_diff" || name == "unweighted" ||
         name == "weights_empty" || name == "conversion_fn_null" || name.ends_with("query_support") ||
         (name.starts_with("query_") && name.ends_with("_support"));
}

/// Classes in the MPI's C++ header refer to these calls in every program that includes it or uses a class. A
/// program that uses a window must create it first, by another call.
bool is_of_cxx_header(const std::string& name) {
  constexpr std::string_view k_names[] = {
      "accumulate",       "comm_accept",         "comm_connect", "comm_disconnect",   "comm_remote_group",
      "comm_remote_size", "comm_spawn",          "get",          "grequest_complete", "intercomm_create",
      "intercomm_merge",  "comm_spawn_multiple", "put"};
  constexpr std::string_view k_of_windows[] = {
      "call_errhandler", "complete", "delete_attr", "fence",    "get_errhandler", "get_group",
      "get_name",        "lock",     "post",        "set_attr", "set_errhandler", "set_name",
      "start",           "test",     "unlock",      "wait"};
  return std::ranges::find(k_names, name) != std::end(k_names) ||
         (name.starts_with("win_") &&
          std::ranges::find(k_of_windows, name.substr(4)) != std::end(k_of_windows));
}

std::string as_in_the_standard(std::string call) {
  call[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(call[0])));
  return "MPI_" + call;
}

void add_uncovered(const std::string& file, const std::set<std::string>& known,
                   std::set<std::string>* missing) {
  const auto image = ProgramImage::read(file);
  if (!image) return;
  const bool is_cxx = std::ranges::any_of(image->libraries(), [](const std::string& library) {
    return library.starts_with("libmpi_cxx.so") || library.starts_with("libmpichcxx.so");
  });
  for (const std::string& symbol : image->undefined_symbols()) {
    const std::string call = call_of_symbol(symbol);
    if (call.empty() || is_no_call(call) || (is_cxx && is_of_cxx_header(call))) continue;
    if (!known.contains(call)) missing->insert(as_in_the_standard(call));
  }
}

/// The MPI's own libraries for other languages refer to all calls.
bool is_of_mpi(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.starts_with("libmpi") || name.starts_with("libtutti") || name.starts_with("libopen-");
}

}  // namespace

std::string call_of_symbol(std::string_view symbol) {
  std::string name = lower(symbol);
  if (name.starts_with("p")) name.erase(0, 1);
  const bool is_extension = name.starts_with("mpix_");
  if (!is_extension && !name.starts_with("mpi_")) return {};
  name.erase(0, is_extension ? 5 : 4);
  while (name.ends_with('_')) name.pop_back();
  for (const std::string_view end : {"_f08ts", "_f08", "_cdesc"})
    if (name.ends_with(end)) name.erase(name.size() - end.size());
  return name;
}

Status check_program(const std::string& program) {
  const auto image = ProgramImage::read(program);
  if (!image) return image.status();
  const std::string name = std::filesystem::path(program).filename().string();
  if (name.starts_with("python"))
    return Status::not_supported(base::in_quotes(program) +
                                 " cannot run as a thread: Python is not served (run it without --actors)");
  for (const std::string& library : image->libraries())
    if (library.starts_with("libtutti-"))
      return Status::not_supported(base::in_quotes(program) + " cannot run as a thread: it is linked with " +
                                   library + ", which serves processes (run it without --actors)");
  return image->can_run_as_thread();
}

std::string uncovered_text(const std::vector<LoadedProgram>& programs,
                           std::span<const std::string_view> covered) {
  std::set<std::string> seen, known, missing;
  for (const std::string_view name : covered) known.insert(lower(name));
  for (const auto& [program, begin] : programs) {
    if (seen.insert(program).second) add_uncovered(program, known, &missing);
    Dl_info info;
    link_map* map = nullptr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): programs are known by where they begin
    if (dladdr1(reinterpret_cast<void*>(begin), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
      continue;
    while (map->l_prev != nullptr) map = map->l_prev;
    for (; map != nullptr; map = map->l_next) {
      const std::string file = map->l_name;
      if (file.starts_with('/') && !is_of_mpi(file) && seen.insert(file).second)
        add_uncovered(file, known, &missing);
    }
  }
  if (missing.empty()) return {};
  constexpr size_t k_shown = 3;
  std::vector<std::string> shown(
      missing.begin(),
      std::next(missing.begin(), static_cast<std::ptrdiff_t>(std::min(k_shown, missing.size()))));
  if (missing.size() > k_shown) shown.push_back(fmt::format("{} more", missing.size() - k_shown));
  return fmt::format(
      "the program or a library of it names {}, which ranks as threads do not have: the job ends where "
      "one of them is called (run it without --actors then)",
      fmt::join(shown, ", "));
}

}  // namespace tutti::actors
