#pragma once
// Computes the expected result of a collective, without any engine, network or time.

#include <cstdint>
#include <string>
#include <vector>

#include "offload/model/workload.hpp"

namespace tutti::tests {

using Operands = std::array<uint64_t, offload::k_most_elements>;

/// The result of collective `which`: the descriptors' rounds, carried out in step by all nodes at once.
/// `wrong` gets a line when the nodes do not agree, or when, for whatever may be combined in any order
/// without another result, it is not that of all operands one after the other.
Operands expected_result(const offload::model::Workload& of, uint32_t which, std::string* wrong);

}  // namespace tutti::tests
