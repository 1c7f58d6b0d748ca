#pragma once
// Parser for lines of PMI-1, the protocol between a process and Hydra: "cmd=NAME key=value key=value\n" (Balaji et al.,
// "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems", EuroMPI 2010). Independent of MPI.

#include <optional>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace tutti::mpi {

/// The value of `key` in `line`; nullopt: there is no such key. A value ends at the next blank.
std::optional<std::string_view> pmi_value(std::string_view line, std::string_view key);

/// Checks that the answer is `command` and no error: "rc" is 0 or missing.
base::Status check_pmi_answer(std::string_view line, std::string_view command);

/// Parses the answer to "get": the value, or nullopt for a key that was not put.
base::Result<std::optional<std::string>> pmi_get_result(std::string_view line);

}  // namespace tutti::mpi
