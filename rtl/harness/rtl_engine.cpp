#include "rtl_engine.hpp"

#include <fmt/format.h>

#include <array>

namespace tutti::rtl {

using offload::nic::EngineConfiguration;

namespace {

AssertionFailures failures;

}  // namespace

base::Status check(const EngineConfiguration& configuration) {
  const EngineConfiguration built;  // the defaults are those of be_engine's parameters
  const auto sizes = [](const EngineConfiguration& of) {
    return std::array{of.contexts,  of.rounds,   of.peers,     of.value_words, of.ids,       of.hdq_words,
                      of.sdq_depth, of.fw_depth, of.rxq_depth, of.rxp_depth,   of.txq_depth, of.txp_depth,
                      of.wr_depth,  of.lat_copy, of.lat_int,   of.lat_fcmp,    of.lat_fadd};
  };
  if (sizes(configuration) != sizes(built))
    return base::Status::invalid_argument(
        "the RTL is built with the default sizes of the engine, and no others");
  if (configuration.damq_depth < 1 || configuration.damq_depth > built.damq_depth)
    return base::Status::invalid_argument(
        fmt::format("the RTL has 1 to {} entries in the request DAMQ, not {}", built.damq_depth,
                    configuration.damq_depth));
  return {};
}

AssertionFailures assertion_failures() {
  return failures;
}

void forget_assertion_failures() {
  failures = {};
}

}  // namespace tutti::rtl

/// Verilator calls it after an assertion has failed and said so.
void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
  std::string name = file != nullptr ? file : "";
  if (const size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
  ++tutti::rtl::failures.count;
  tutti::rtl::failures.last = fmt::format("{}:{}", name, line);
}
