#include "data.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "calls.hpp"

namespace torture {

namespace {

struct Pair {
  uint32_t a, b;
};

struct Located {
  int32_t value, where;
};

MPI_Datatype named(Element element) {
  switch (element) {
    case Element::int32:
      return MPI_INT;
    case Element::int64:
      return MPI_INT64_T;
    case Element::float64:
      return MPI_DOUBLE;
    case Element::byte:
      return MPI_BYTE;
    case Element::located:
      return MPI_2INT;
    case Element::pair:
      break;
  }
  return MPI_DATATYPE_NULL;
}

Pair apply(Operator op, Pair left, Pair right) {
  if (op == Operator::add_pairs) return {left.a + right.a, left.b + right.b};
  return {left.a * right.a, left.b * right.a + right.b};  // x → a x + b, one after the other
}

template <Operator op>
void reduce_pairs(const void* in, void* inout, int64_t count, MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  for (int64_t i = 0; i < count; ++i) {
    Pair left, right;
    const auto* from = static_cast<const std::byte*>(in) + i * extent;
    auto* to = static_cast<std::byte*>(inout) + i * extent;
    std::memcpy(&left, from, sizeof left);
    std::memcpy(&right, to, sizeof right);
    right = apply(op, left, right);
    std::memcpy(to, &right, sizeof right);
  }
}

template <Operator op>
void reduce_pairs_int(void* in, void* inout, int* count, MPI_Datatype* type) {
  reduce_pairs<op>(in, inout, *count, *type);
}

#ifdef MPICH
template <Operator op>
void reduce_pairs_count(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  reduce_pairs<op>(in, inout, *count, *type);
}
#endif

uint64_t contribution(uint64_t key, int source, int target, int64_t index) {
  uint64_t x = key + static_cast<uint64_t>(source) * 0x9E3779B97F4A7C15U +
               static_cast<uint64_t>(target) * 0xC2B2AE3D27D4EB4FU +
               static_cast<uint64_t>(index) * 0x165667B19E3779F9U;
  x *= 0xD6E8FEB86659FD93U;
  return x ^ (x >> 32);
}

template <typename T>
T value_from(uint64_t bits, int) {
  return static_cast<T>(static_cast<int64_t>(bits % 2001) - 1000);
}
template <>
std::byte value_from(uint64_t bits, int) {
  return static_cast<std::byte>(bits);
}
template <>
Pair value_from(uint64_t bits, int) {
  return {static_cast<uint32_t>(bits) | 1, static_cast<uint32_t>(bits >> 24)};
}
template <>
Located value_from(uint64_t bits, int source) {
  return {static_cast<int32_t>(bits % 5), source};
}

template <typename T>
T combine(Operator op, T left, T right) {
  if (op == Operator::max) return std::max(left, right);
  if constexpr (std::is_integral_v<T>)
    if (op == Operator::bxor) return left ^ right;
  return left + right;
}
template <>
std::byte combine(Operator, std::byte left, std::byte right) {
  return left ^ right;
}
template <>
Pair combine(Operator op, Pair left, Pair right) {
  return apply(op, left, right);
}
template <>
Located combine(Operator, Located left, Located right) {
  if (left.value != right.value) return left.value > right.value ? left : right;
  return left.where < right.where ? left : right;
}

template <typename T>
void paint_block(std::byte* image, const Block& block, uint64_t key, Operator op) {
  const Content& content = block.content;
  for (int64_t i = 0; i < block.elements; ++i) {
    const int64_t index = content.first_index + i;
    T value = value_from<T>(contribution(key, content.source, content.target, index), content.source);
    for (int source = content.source + 1; source <= content.last; ++source)
      value = combine<T>(op, value, value_from<T>(contribution(key, source, content.target, index), source));
    std::memcpy(image + block.base + block.layout->offset(i), &value, sizeof value);
  }
}

void paint_any(std::byte* image, const Block& block, uint64_t key, Operator op) {
  if (block.elements == 0) return;
  switch (block.layout->element()) {
    case Element::int32:
      return paint_block<int32_t>(image, block, key, op);
    case Element::int64:
      return paint_block<int64_t>(image, block, key, op);
    case Element::float64:
      return paint_block<double>(image, block, key, op);
    case Element::byte:
      return paint_block<std::byte>(image, block, key, op);
    case Element::pair:
      return paint_block<Pair>(image, block, key, op);
    case Element::located:
      return paint_block<Located>(image, block, key, op);
  }
}

/// A datatype of the program's, made of `count` of `old`.
MPI_Datatype contiguous(int count, MPI_Datatype old, bool with_large_count) {
  MPI_Datatype made;
#ifdef MPICH
  if (with_large_count) {
    CALL(MPI_Type_contiguous_c(count, old, &made));
    return made;
  }
#endif
  static_cast<void>(with_large_count);
  CALL(MPI_Type_contiguous(count, old, &made));
  return made;
}

MPI_Datatype base_type(Element element) {
  return element == Element::pair ? contiguous(2, MPI_UINT32_T, false) : named(element);
}

/// Elements at multiples of their size, each place once.
MPI_Datatype scattered(std::vector<int64_t>& places, MPI_Datatype base, int64_t size, bool in_bytes,
                       Random& random) {
  random.shuffle(places);
  const auto count = static_cast<int>(places.size());
  MPI_Datatype made;
  if (in_bytes) {
    std::vector<MPI_Aint> displacements;
    for (const int64_t place : places) displacements.push_back(place * size);
    CALL(MPI_Type_create_hindexed_block(count, 1, displacements.data(), base, &made));
  } else {
    const std::vector<int> displacements(places.begin(), places.end());
    CALL(MPI_Type_create_indexed_block(count, 1, displacements.data(), base, &made));
  }
  return made;
}

MPI_Datatype vector_type(int count, int length, int stride, MPI_Datatype base, bool with_large_count) {
  MPI_Datatype made;
#ifdef MPICH
  if (with_large_count) {
    CALL(MPI_Type_vector_c(count, length, stride, base, &made));
    return made;
  }
#endif
  static_cast<void>(with_large_count);
  CALL(MPI_Type_vector(count, length, stride, base, &made));
  return made;
}

MPI_Datatype resized(MPI_Datatype old, MPI_Aint extent) {
  MPI_Datatype made;
  CALL(MPI_Type_create_resized(old, 0, extent, &made));
  return made;
}

}  // namespace

size_t bytes_of(Element element) {
  return element == Element::int32 ? 4 : element == Element::byte ? 1 : 8;
}

Layout& Layout::operator=(Layout&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(is_own_, other.is_own_);
  std::swap(element_, other.element_);
  std::swap(extent_, other.extent_);
  std::swap(offsets_, other.offsets_);
  return *this;
}

void Layout::take(MPI_Datatype made) {
  type_ = made;
  is_own_ = true;
  CALL(MPI_Type_commit(&type_));
}

void Layout::drop() {
  if (std::exchange(is_own_, false)) CALL(MPI_Type_free(&type_));
}

Layout Layout::plain(Element element, bool has_gap) {
  Layout layout;
  layout.element_ = element;
  layout.offsets_ = {0};
  layout.extent_ = static_cast<int64_t>(bytes_of(element));
  layout.type_ = named(element);
  if (element != Element::pair) return layout;
  MPI_Datatype base = base_type(element);
  if (!has_gap) {
    layout.take(base);
    return layout;
  }
  layout.extent_ *= 2;
  layout.take(resized(base, layout.extent_));
  CALL(MPI_Type_free(&base));
  return layout;
}

int64_t Layout::count_for(int64_t elements) const {
  return elements / static_cast<int64_t>(offsets_.size());
}

int elements_of_type(const std::vector<int64_t>& blocks, Random& random) {
  int count = random.percent(30) ? 1 : random.between(2, 12);
  while (std::any_of(blocks.begin(), blocks.end(), [&](int64_t block) { return block % count != 0; }))
    --count;
  return count;
}

Layout Layout::any(Element element, int per_type, Random& random) {
  const auto size = static_cast<int64_t>(bytes_of(element));
  const bool with_large_count = random.percent(25);
  const int kind = random.below(10);
  if (per_type == 1 && kind < 6 && element != Element::pair) return plain(element, false);
  MPI_Datatype base = base_type(element), made;
  Layout layout;
  layout.element_ = element;
  std::vector<int64_t>& places = layout.offsets_;
  for (int i = 0; i < per_type; ++i) places.push_back(i);
  int64_t extent = per_type;
  if (kind < 5) {
    made = contiguous(per_type, base, with_large_count);
  } else if (kind < 7) {  // every second one
    for (int64_t& place : places) place *= 2;
    extent = 2 * per_type - 1;
    made = vector_type(per_type, 1, 2, base, with_large_count);
  } else if (kind < 8) {  // in another order, without gaps
    made = scattered(places, base, size, with_large_count, random);
  } else {  // with gaps inside and behind
    for (int64_t& place : places) place = 2 * place + 1;
    extent = 2 * per_type + 3;
    MPI_Datatype inner = scattered(places, base, size, with_large_count, random);
    made = resized(inner, extent * size);
    CALL(MPI_Type_free(&inner));
  }
  for (int64_t& place : places) place *= size;
  layout.extent_ = extent * size;
  layout.take(made);
  if (element == Element::pair) CALL(MPI_Type_free(&base));
  return layout;
}

MPI_Op make_operator(Operator op, bool with_large_count) {
  if (op == Operator::sum) return MPI_SUM;
  if (op == Operator::max) return MPI_MAX;
  if (op == Operator::bxor) return MPI_BXOR;
  if (op == Operator::maxloc) return MPI_MAXLOC;
  MPI_Op made;
  const int commutes = op == Operator::add_pairs;
#if defined MPICH && !defined TORTURE_COVERED
  if (with_large_count) {
    CALL(MPI_Op_create_c(
        commutes ? reduce_pairs_count<Operator::add_pairs> : reduce_pairs_count<Operator::compose>, commutes,
        &made));
    return made;
  }
#endif
  static_cast<void>(with_large_count);
  CALL(MPI_Op_create(commutes ? reduce_pairs_int<Operator::add_pairs> : reduce_pairs_int<Operator::compose>,
                     commutes, &made));
  return made;
}

void Buffer::paint(std::vector<std::byte>& image, const std::vector<Block>& blocks, uint64_t key,
                   Operator op) {
  std::fill(image.begin(), image.end(), std::byte{0xA5});
  for (const Block& block : blocks) paint_any(image.data() + k_guard, block, key, op);
}

void Buffer::fill(const std::vector<Block>& blocks, uint64_t key, Operator op) {
  paint(bytes_, blocks, key, op);
}

std::string Buffer::compare(const std::vector<Block>& blocks, uint64_t key, Operator op,
                            int64_t unspecified_from) const {
  std::vector<std::byte> image(bytes_.size());
  paint(image, blocks, key, op);
  const size_t from = k_guard + static_cast<size_t>(unspecified_from), to = bytes_.size() - k_guard;
  if (from < to)
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(from), to - from,
                image.begin() + static_cast<std::ptrdiff_t>(from));
  if (std::memcmp(image.data(), bytes_.data(), image.size()) == 0) return {};
  size_t first = 0, last = image.size() - 1, count = 0;
  while (image[first] == bytes_[first]) ++first;
  while (image[last] == bytes_[last]) --last;
  for (size_t i = 0; i < image.size(); ++i) count += image[i] != bytes_[i];
  std::array<char, 200> text;
  std::snprintf(text.data(), text.size(),
                "%zu bytes differ, from %td to %td of %td; first is %02x instead of %02x", count,
                static_cast<std::ptrdiff_t>(first - k_guard), static_cast<std::ptrdiff_t>(last - k_guard),
                static_cast<std::ptrdiff_t>(size()), static_cast<unsigned>(bytes_[first]),
                static_cast<unsigned>(image[first]));
  return text.data();
}

uint64_t Buffer::digest(int64_t bytes) const {
  uint64_t sum = static_cast<uint64_t>(bytes);
  const std::byte* at = bytes_.data() + k_guard;
  for (int64_t i = 0; i + 8 <= bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, at + i, sizeof word);
    sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
    sum ^= sum >> 29;
  }
  return sum;
}

}  // namespace torture
