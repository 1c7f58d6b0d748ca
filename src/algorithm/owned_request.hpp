#pragma once
// A request that owns the arrays that its spans refer to.

#include <vector>

#include "algorithm/request.hpp"

namespace tutti::algorithm {

/// Owns copies of all arrays. Moving it does not invalidate spans.
class OwnedRequest {
 public:
  OwnedRequest() = default;
  explicit OwnedRequest(const Request& request);
  OwnedRequest(OwnedRequest&&) = default;
  OwnedRequest& operator=(OwnedRequest&&) = default;
  OwnedRequest(const OwnedRequest&) = delete;
  OwnedRequest& operator=(const OwnedRequest&) = delete;

  const Request& get() const { return request_; }
  /// Memory beyond the object itself.
  size_t footprint_bytes() const { return numbers_.capacity() * sizeof(uint64_t); }

 private:
  Request request_;  // its spans point into numbers_
  std::vector<uint64_t> numbers_;
};

}  // namespace tutti::algorithm
