#include "message.hpp"

#include <string>

#include "calls.hpp"

namespace torture {

MessageSpec::MessageSpec(const Op& op, int first_half, int size) : tag(first_half % 32000) {
  Random random(op.seed);
  source = random.below(size);
  target = random.below(size);
  element = static_cast<Element>(random.below(6));
  const int kind = random.below(100);
  const int64_t kib = kind < 75 ? random.between(1, 60) : kind < 95 ? random.between(128, 700) : 4096;
  elements =
      kind < 35 ? random.between(0, 40) : kib * 1024 / static_cast<int64_t>(bytes_of(element)) / 12 * 12;
}

Message::Message(const MessageSpec& spec, bool is_receiver, Random& random)
    : spec_(spec), layout_(Layout::any(spec.element, elements_of_type({spec.elements}, random), random)) {
  blocks_ = {{.base = 0,
              .elements = spec.elements,
              .layout = &layout_,
              .content = {.source = spec.source, .target = spec.target}}};
  buffer_.resize(layout_.count_for(spec.elements) * layout_.extent());
  buffer_.fill(is_receiver ? std::vector<Block>{} : blocks_, static_cast<uint64_t>(spec.tag), Operator::sum);
}

uint64_t Message::check_sent() const {
  const auto key = static_cast<uint64_t>(spec_.tag);
  const std::string wrong = buffer_.compare(blocks_, key, Operator::sum, INT64_MAX / 2);
  if (!wrong.empty()) fail("message with tag " + std::to_string(spec_.tag) + ": " + wrong);
  return mix(key, buffer_.digest(buffer_.size()));
}

uint64_t Message::check(const MPI_Status& status) const {
  int bytes = 0;
  CALL(MPI_Get_count(&status, MPI_BYTE, &bytes));
  const auto expected = static_cast<int>(spec_.elements * static_cast<int64_t>(bytes_of(spec_.element)));
  if (status.MPI_SOURCE != spec_.source || status.MPI_TAG != spec_.tag || bytes != expected)
    fail("message from " + std::to_string(spec_.source) + " with tag " + std::to_string(spec_.tag) + " and " +
         std::to_string(expected) + " bytes has a status of rank " + std::to_string(status.MPI_SOURCE) +
         ", tag " + std::to_string(status.MPI_TAG) + ", " + std::to_string(bytes) + " bytes");
  return check_sent();
}

}  // namespace torture
