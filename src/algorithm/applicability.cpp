#include "algorithm/applicability.hpp"

#include "pattern/shape.hpp"

namespace tutti::algorithm {

bool operator_commutes(const Request& request, std::string* why_not) {
  if (request.commutative) return true;
  *why_not = "it combines operands out of rank order, and the operator does not commute";
  return false;
}

bool power_of_two_ranks(const Request& request, std::string* why_not) {
  if (pattern::is_power_of_two(static_cast<uint64_t>(request.rank_count))) return true;
  *why_not = "it needs a power of two of ranks, not " + std::to_string(request.rank_count);
  return false;
}

}  // namespace tutti::algorithm
