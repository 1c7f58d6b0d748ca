#include <algorithm>
#include <cmath>

#include "offload/model/parameters.hpp"

namespace tutti::offload::model {

using base::Result;
using base::Status;

namespace {

/// The engine's timers are 32-bit counters that wrap.
Status check_timers(const Parameters& parameters) {
  const double cycles = std::max(parameters.timeout_ns, parameters.backoff_ns) * parameters.clock_mhz / 1000;
  if (std::ldexp(cycles, static_cast<int>(parameters.shift_max)) < 0x1p30) return {};
  return Status::invalid_argument(
      "\"engine\": the longest delay, timeout_ns or backoff_ns times 2^shift_max, is not below 2^30 cycles");
}

Status read(std::string_view text, Parameters* into) {
  if (Status status = base::read_fields(text, base::fields_of(*into, parameter_table())); !status)
    return status;
  if (const auto topology = interconnect::make_topology(into->topology, 1); !topology)
    return topology.status();
  return check_timers(*into);
}

}  // namespace

Result<Parameters> parse_parameters(std::string_view text, const std::string& origin) {
  Parameters parameters;
  parameters.name = "custom";
  const Status status = read(text, &parameters);
  if (!status) return Status::invalid_argument(origin + ": " + status.message());
  return parameters;
}

Result<Parameters> load_parameters(const std::string& where) {
  const auto text = base::read_published(where, published_sets(), "sets");
  return text ? parse_parameters(*text, where) : text.status();
}

std::string format_parameters(const Parameters& parameters) {
  Parameters copy = parameters;
  return base::format_fields(base::fields_of(copy, parameter_table()));
}

}  // namespace tutti::offload::model
