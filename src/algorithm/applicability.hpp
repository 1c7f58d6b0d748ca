#pragma once
// Checks that applies() functions of several algorithms share. Each returns true if the request is acceptable, and
// otherwise sets *why_not to the reason.

#include <string>

#include "algorithm/request.hpp"

namespace tutti::algorithm {

bool operator_commutes(const Request& request, std::string* why_not);
bool power_of_two_ranks(const Request& request, std::string* why_not);

}  // namespace tutti::algorithm
