#include "algorithm/owned_request.hpp"

#include <span>

namespace tutti::algorithm {

OwnedRequest::OwnedRequest(const Request& request) : request_(request) {
  std::span<const uint64_t>* const views[] = {
      &request_.blocks.sizes, &request_.blocks.offsets, &request_.receive_blocks.sizes,
      &request_.receive_blocks.offsets, &request_.passing_blocks.sizes};
  size_t count = 0;
  for (const auto* view : views) count += view->size();
  numbers_.reserve(count);  // the spans below stay valid: no reallocation from here on
  for (auto* view : views) {
    const size_t first = numbers_.size();
    numbers_.insert(numbers_.end(), view->begin(), view->end());
    *view = {numbers_.data() + first, view->size()};
  }
}

}  // namespace tutti::algorithm
