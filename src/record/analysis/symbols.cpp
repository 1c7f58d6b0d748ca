#include "record/analysis/symbols.hpp"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace tutti::record::analysis {

namespace {

/// Looks for separate debug information where distributions install it, not on the network.
const Dwfl_Callbacks k_callbacks = {.find_elf = dwfl_build_id_find_elf,
                                    .find_debuginfo = dwfl_standard_find_debuginfo,
                                    .section_address = dwfl_offline_section_address,
                                    .debuginfo_path = nullptr};

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// Demangled C++ names without arguments.
std::string readable(const char* symbol) {
  int status = 0;
  char* const whole = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  if (whole == nullptr) return symbol;
  std::string name(whole);
  std::free(whole);
  constexpr std::string_view k_anonymous = "(anonymous namespace)::";
  for (size_t at; (at = name.find(k_anonymous)) != std::string::npos;) name.erase(at, k_anonymous.size());
  return name.substr(0, name.find('('));
}

}  // namespace

class Symbols::Module {
 public:
  explicit Module(const std::string& path) : dwfl_(dwfl_begin(&k_callbacks)) {
    std::error_code error;
    if (dwfl_ == nullptr || !std::filesystem::is_regular_file(path, error)) return;
    dwfl_report_begin(dwfl_);
    module_ = dwfl_report_offline(dwfl_, "", path.c_str(), -1);
    dwfl_report_end(dwfl_, nullptr, nullptr);
    GElf_Addr bias = 0;
    if (module_ != nullptr && dwfl_module_getelf(module_, &bias) != nullptr) bias_ = bias;
  }
  ~Module() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  std::string function(uint64_t offset) const {
    const char* const name = module_ == nullptr ? nullptr : dwfl_module_addrname(module_, bias_ + offset);
    return name == nullptr ? std::string() : readable(name);
  }

  /// "solver.c:120"; empty: unknown.
  std::string line(uint64_t offset) const {
    Dwfl_Line* const line = module_ == nullptr ? nullptr : dwfl_module_getsrc(module_, bias_ + offset);
    int number = 0;
    const char* const file =
        line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    return file == nullptr ? std::string() : fmt::format("{}:{}", base_name(file), number);
  }

 private:
  Dwfl* dwfl_;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr bias_ = 0;
};

Symbols::Symbols() = default;
Symbols::~Symbols() = default;

std::string Symbols::name(const CodeLocation& place) {
  if (place.module.empty()) return "an unknown place";
  auto& module = modules_[place.module];
  if (module == nullptr) module = std::make_unique<Module>(place.module);
  std::string function = module->function(place.offset), line = module->line(place.offset);
  if (function.empty()) function = place.function;
  if (line.empty()) line = fmt::format("{}+{:#x}", base_name(place.module), place.offset);
  return function.empty() ? line : fmt::format("{} ({})", function, line);
}

}  // namespace tutti::record::analysis
