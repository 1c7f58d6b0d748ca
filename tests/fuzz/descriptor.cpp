// Descriptors as bytes: a bad one gets one line; a good one is written as the same bytes. Damage behind the
// checksum is tried too: as many whole words as there are, with length and checksum made right.

#include "offload/descriptor_text.hpp"
#include "offload/descriptor_words.hpp"
#include "offload/lower.hpp"
#include "target.hpp"

using namespace tutti;

namespace {

void decode(const std::vector<uint64_t>& words) {
  const auto descriptor = offload::decode(words);
  if (!descriptor) {
    fuzz::require_message(descriptor.status().message());
    return;
  }
  fuzz::require(offload::check(*descriptor).is_ok(), "what is decoded is sound");
  const auto again = offload::encode(*descriptor);
  fuzz::require(again && *again == words, "a descriptor is written as the same words");
  fuzz::require(!offload::format_text(*descriptor).empty(), "a descriptor can be printed");
  if (descriptor->nodes <= 1U << 30)
    fuzz::require(offload::lower(*descriptor).is_ok(), "a descriptor can be carried out");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  if (const auto words = offload::from_bytes(bytes))
    decode(*words);
  else
    fuzz::require_message(words.status().message());

  auto words = offload::from_bytes(bytes.substr(0, size / 8 * 8)).value();
  if (words.size() < offload::k_header_words) return 0;
  words[1] = (words[1] & ~uint64_t{0xffff}) | (words.size() & 0xffff);
  words[3] = (words[3] & 0xffffffff) | uint64_t{offload::checksum(words)} << 32;
  decode(words);
  return 0;
}
