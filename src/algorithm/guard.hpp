#pragma once
// Reasons to refuse a request that several algorithms share. Each returns true when the request is fine, and
// otherwise explains itself in *why_not.

#include <string>

#include "algorithm/request.hpp"

namespace tutti::algorithm {

bool operator_commutes(const Request& request, std::string* why_not);
bool power_of_two_ranks(const Request& request, std::string* why_not);

}  // namespace tutti::algorithm
