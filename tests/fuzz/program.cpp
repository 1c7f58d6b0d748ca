// Programs that are to run as threads: a damaged file gets one line; of a good one a copy can be made, or one line
// says why not.

#include "actors/loader/program_copy.hpp"
#include "target.hpp"

using namespace tutti;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  const auto image = actors::ProgramImage::parse("file", {bytes, bytes + size});
  if (!image) {
    fuzz::require_message(image.status().message());
    return 0;
  }
  const base::Status possible = image->can_run_as_thread();
  if (!possible) {
    fuzz::require_message(possible.message());
    return 0;
  }
  const auto copy = actors::ProgramCopy::make(
      *image, {.first_libraries = {"/guest.so"}, .libraries = {{"libc.so.6", "/c"}}});
  if (!copy) fuzz::require_message(copy.status().message());
  return 0;
}
