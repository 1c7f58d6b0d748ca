#pragma once
// Lines of PMI-1, the protocol between a process and Hydra: "cmd=NAME key=value key=value\n". (Balaji et al.,
// "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems", EuroMPI 2010.) Knows no
// MPI.

#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::mpi {

/// What `key` has in `line`; nothing where the key is not there. A value ends at the next blank.
std::optional<std::string_view> pmi_value(std::string_view line, std::string_view key);

/// The answer is `command`, and no error: "rc" is 0 or not there.
base::Status check_pmi_answer(std::string_view line, std::string_view command);

/// The answer to "get": the value, or nothing for a key that was not put.
base::Result<std::optional<std::string>> pmi_get_result(std::string_view line);

}  // namespace tutti::mpi
