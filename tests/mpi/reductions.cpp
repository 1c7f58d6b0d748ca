// Reductions of several types and operators, one of which does not commute. Every rank computes the right
// result itself, in rank order; all arithmetic here is exact, so the bits must be the same whatever the order
// of operations.

#include <algorithm>
#include <cstring>
#include <numeric>

#include "team.hpp"

namespace tutti::test {

namespace {

/// Composition of the maps x -> a·x + b, packed in 64 bits: associative, and almost never commutative.
uint64_t compose(uint64_t left, uint64_t right) {
  const auto a = static_cast<uint32_t>(left >> 32), b = static_cast<uint32_t>(left);
  const auto c = static_cast<uint32_t>(right >> 32), d = static_cast<uint32_t>(right);
  return uint64_t{a * c} << 32 | (a * d + b);
}

void compose_all(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* left = static_cast<const uint64_t*>(in);
  auto* right = static_cast<uint64_t*>(inout);
  for (int i = 0; i < *length; ++i) right[i] = compose(left[i], right[i]);
}

struct DoubleInt {
  double value;
  int index;
};

/// One type with one operator.
template <class T>
struct Kind {
  const char* name;
  MPI_Datatype type;
  MPI_Op op;
  T (*make)(uint32_t number, int rank);
  T (*combine)(T left, T right);
};

template <class T>
bool is_equal(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, DoubleInt>)
    return a.value == b.value && a.index == b.index;
  else
    return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
bool are_equal(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_equal<T>);
}

/// Everything about one case of one kind.
template <class T>
class Case {
 public:
  Case(const Team& team, const Kind<T>& kind, int count)
      : team_(team), kind_(kind), count_(count), own_(operand(team.rank)) {}

  void try_all(int root, bool in_place) {
    const std::vector<T> everything = prefix(team_.size);
    expect(everything, "allreduce", in_place, [&](const void* in, void* out) {
      MPI_Allreduce(in, out, count_, kind_.type, kind_.op, team_.comm);
    });
    expect(prefix(team_.rank + 1), "scan", in_place,
           [&](const void* in, void* out) { MPI_Scan(in, out, count_, kind_.type, kind_.op, team_.comm); });
    const bool has_prefix = team_.rank > 0;  // rank 0's output is left alone
    expect(has_prefix ? prefix(team_.rank) : own_, "exscan", in_place || !has_prefix,
           [&](const void* in, void* out) {
             MPI_Exscan(in_place ? MPI_IN_PLACE : (has_prefix ? in : own_.data()), out, count_, kind_.type,
                        kind_.op, team_.comm);
           });
    if (team_.rank == root)
      expect(everything, "reduce", in_place && !goes_to_native(root), [&](const void* in, void* out) {
        MPI_Reduce(in, out, count_, kind_.type, kind_.op, root, team_.comm);
      });
    else
      MPI_Reduce(own_.data(), nullptr, count_, kind_.type, kind_.op, root, team_.comm);
  }

  /// Bine trees take powers of two of ranks and operators that commute. Else the native MPI serves the call, and
  /// MPICH 4.0.2 crashes in place at another root than the first rank.
  bool goes_to_native(int root) const {
    int commutes = 0;
    MPI_Op_commutative(kind_.op, &commutes);
    return team_.reduces_with_bine && root != 0 && ((team_.size & (team_.size - 1)) != 0 || commutes == 0);
  }

  /// `count` is the length of all blocks together.
  void try_reduce_scatter(bool in_place) {
    std::vector<int> counts(static_cast<size_t>(team_.size), count_ / team_.size / 2);
    counts.back() = count_ - std::accumulate(counts.begin(), counts.end() - 1, 0);
    const auto first = std::accumulate(counts.begin(), counts.begin() + team_.rank, 0);
    expect_block(first, counts[static_cast<size_t>(team_.rank)], "reduce_scatter", in_place,
                 [&](const void* in, void* out) {
                   MPI_Reduce_scatter(in, out, counts.data(), kind_.type, kind_.op, team_.comm);
                 });
    const int block = count_ / team_.size;
    expect_block(block * team_.rank, block, "reduce_scatter_block", in_place, [&](const void* in, void* out) {
      MPI_Reduce_scatter_block(in, out, block, kind_.type, kind_.op, team_.comm);
    });
  }

 private:
  std::vector<T> operand(int rank) const {
    std::vector<T> values;
    for (int i = 0; i < count_; ++i)
      values.push_back(
          kind_.make(hash(team_.seed, static_cast<uint32_t>(rank), static_cast<uint32_t>(i)), rank));
    return values;
  }

  /// Operands of ranks 0 … end-1 combined in this order.
  std::vector<T> prefix(int end) const {
    std::vector<T> result = operand(0);
    for (int r = 1; r < end; ++r) {
      const std::vector<T> next = operand(r);
      for (size_t i = 0; i < result.size(); ++i) result[i] = kind_.combine(result[i], next[i]);
    }
    return result;
  }

  template <class Call>
  void expect(const std::vector<T>& expected, const char* what, bool in_place, Call call) {
    const std::vector<T> before = own_;
    std::vector<T> output = in_place ? own_ : std::vector<T>(own_.size());
    call(in_place ? MPI_IN_PLACE : static_cast<const void*>(own_.data()), output.data());
    report(are_equal(output, expected) && are_equal(own_, before), what);
  }

  template <class Call>
  void expect_block(int first, int count, const char* what, bool in_place, Call call) {
    const std::vector<T> all = prefix(team_.size);
    const std::vector<T> expected(all.begin() + first, all.begin() + first + count);
    std::vector<T> output = in_place ? own_ : std::vector<T>(static_cast<size_t>(count) + 1);
    call(in_place ? MPI_IN_PLACE : static_cast<const void*>(own_.data()), output.data());
    output.resize(static_cast<size_t>(count));
    report(are_equal(output, expected), what);
  }

  void report(bool is_right, const char* what) {
    check(is_right, team_, (std::string(what) + " of " + kind_.name).c_str());
  }

  const Team& team_;
  const Kind<T>& kind_;
  int count_;
  std::vector<T> own_;
};

template <class T>
void try_kind(Team team, const Kind<T>& kind) {
  for (const int count : {1, team.size + 1, 300, 5000}) {
    ++team.seed;
    const int root = static_cast<int>(hash(team.seed, 1) % static_cast<uint32_t>(team.size));
    const bool in_place = hash(team.seed, 2) % 2 == 0;
    Case<T> one(team, kind, count);
    one.try_all(root, in_place);
    one.try_reduce_scatter(in_place);
  }
}

}  // namespace

void try_reductions(Team team) {
  try_kind<int32_t>(team,
                    {"int", MPI_INT32_T, MPI_SUM, [](uint32_t n, int) { return static_cast<int32_t>(n); },
                     [](int32_t a, int32_t b) { return static_cast<int32_t>(uint32_t(a) + uint32_t(b)); }});
  // Below 128: where an entry refuses and the native MPI serves the call, MPICH 4.0.2 compares these bytes as
  // signed.
  try_kind<uint8_t>(
      team, {"bytes", MPI_UINT8_T, MPI_MAX, [](uint32_t n, int) { return static_cast<uint8_t>(n % 128); },
             [](uint8_t a, uint8_t b) { return std::max(a, b); }});
  try_kind<double>(team,
                   {"double", MPI_DOUBLE, MPI_SUM, [](uint32_t n, int) { return static_cast<double>(n); },
                    [](double a, double b) { return a + b; }});
  try_kind<DoubleInt>(team, {"pairs", MPI_DOUBLE_INT, MPI_MAXLOC,
                             [](uint32_t n, int rank) {
                               return DoubleInt{static_cast<double>(n % 4), rank};
                             },
                             [](DoubleInt a, DoubleInt b) { return b.value > a.value ? b : a; }});
  MPI_Op composition = MPI_OP_NULL;
  MPI_Op_create(compose_all, 0, &composition);
  try_kind<uint64_t>(team, {"maps", MPI_UINT64_T, composition,
                            [](uint32_t n, int) { return uint64_t{n | 1} << 32 | n; }, compose});
  MPI_Op_free(&composition);
}

}  // namespace tutti::test
