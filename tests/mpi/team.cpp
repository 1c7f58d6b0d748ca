#include "team.hpp"

#include <cstring>

namespace tutti::test {

int& failure_count() {
  static int count = 0;
  return count;
}

void check(bool is_right, const Team& team, const char* what) {
  if (is_right) return;
  if (++failure_count() <= 5)
    std::fprintf(stderr, "%s: wrong on rank %d of %d, case %u\n", what, team.rank, team.size, team.seed);
}

Layout::Layout(int kind) {
  switch (kind % k_kinds) {
    case 0:  // dense
      PMPI_Type_contiguous(2, MPI_UINT32_T, &type_);
      break;
    case 1:  // a gap inside and one behind
      offsets_[1] = 12;
      extent_ = 20;
      break;
    case 2:  // dense, and yet not in the order of the signature
      offsets_[0] = 4;
      offsets_[1] = 0;
      break;
    case 3:  // starts before its address
      offsets_[0] = -8;
      offsets_[1] = 4;
      extent_ = 16;
      break;
    case 4:  // its extent ends inside it, and elements interleave
      offsets_[1] = 12;
      extent_ = 8;
      break;
  }
  if (type_ == MPI_DATATYPE_NULL) {
    int lengths[] = {1, 1};
    MPI_Aint places[] = {offsets_[0], offsets_[1]};
    MPI_Datatype indexed = MPI_DATATYPE_NULL;
    PMPI_Type_create_hindexed(2, lengths, places, MPI_UINT32_T, &indexed);
    PMPI_Type_create_resized(indexed, 0, extent_, &type_);
    PMPI_Type_free(&indexed);
  }
  PMPI_Type_commit(&type_);
}

Layout::~Layout() {
  PMPI_Type_free(&type_);
}

Buffer::Buffer(const Layout& layout, int64_t elements)
    : layout_(layout),
      memory_(2 * k_guard_bytes + static_cast<size_t>(elements * layout.extent()), 0xA5),
      expected_(memory_) {}

void Buffer::put(std::vector<unsigned char>& memory, int64_t element,
                 const uint32_t (&words)[Layout::k_words]) {
  for (int word = 0; word < Layout::k_words; ++word)
    std::memcpy(memory.data() + static_cast<ptrdiff_t>(k_guard_bytes) + layout_.place(element, word),
                &words[word], sizeof words[word]);
}

void Buffer::set(int64_t element, const uint32_t (&words)[Layout::k_words]) {
  put(memory_, element, words);
  put(expected_, element, words);
}

void Buffer::expect(int64_t element, const uint32_t (&words)[Layout::k_words]) {
  put(expected_, element, words);
}

}  // namespace tutti::test
