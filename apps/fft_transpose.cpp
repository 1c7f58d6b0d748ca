// FFT_TRANSPOSE: two-dimensional Fourier transform of an N x N complex field.
//
// The field is distributed by rows. Each rank transforms its rows, the field is transposed with one
// MPI_Alltoall of square blocks, and the rows are transformed again: one all-to-all exchange of the whole
// field per transform, which limits spectral codes on large machines.
//
// Every rank checks its rows of the result against a sequential two-dimensional transform of the
// same field, and one coefficient of each of its first rows against the defining sum.

#include "common/distribution.hpp"
#include "common/fourier.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "common/report.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <utility>

namespace {

using apps::BlockRows;
using apps::Complex;
using apps::Field;  // row-major
using apps::LineTransform;

struct Input {
  int size;
  std::uint64_t seed;

  Complex at(int i, int j) const {
    const std::uint64_t bits =
        apps::random_bits(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
    return {apps::to_unit(bits) - 0.5, apps::to_unit(apps::mix(bits)) - 0.5};
  }

  Field rows(int first, int count) const {
    Field field;
    field.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(size));
    for (int i = first; i < first + count; ++i)
      for (int j = 0; j < size; ++j) field.push_back(at(i, j));
    return field;
  }
};

// The transpose of a field distributed by rows. All blocks have the size of a full one, so that MPI_Alltoall
// works for any division of the rows; elements outside the field are sent as zero.
class Transpose {
 public:
  Transpose(int size, int rank, int ranks)
      : size_(size),
        rank_(rank),
        ranks_(ranks),
        deal_(size, ranks),
        block_(static_cast<std::size_t>(deal_.block())),
        outgoing_(block_ * block_ * static_cast<std::size_t>(ranks)),
        incoming_(outgoing_.size()) {}

  void operator()(Field& field, apps::CollectiveClock& clock) {
    for (int peer = 0; peer < ranks_; ++peer)
      for (int i = 0; i < deal_.count(rank_); ++i)
        for (int j = 0; j < deal_.count(peer); ++j)
          at(outgoing_, peer, j, i) = field[index(i, deal_.first(peer) + j)];
    const int doubles = static_cast<int>(2 * block_ * block_);
    clock.time([&] {
      MPI_Alltoall(outgoing_.data(), doubles, MPI_DOUBLE, incoming_.data(), doubles, MPI_DOUBLE,
                   MPI_COMM_WORLD);
    });
    for (int peer = 0; peer < ranks_; ++peer)
      for (int i = 0; i < deal_.count(rank_); ++i)
        for (int j = 0; j < deal_.count(peer); ++j)
          field[index(i, deal_.first(peer) + j)] = at(incoming_, peer, i, j);
  }

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(j);
  }
  Complex& at(Field& blocks, int peer, int i, int j) const {
    return blocks[(static_cast<std::size_t>(peer) * block_ + static_cast<std::size_t>(i)) * block_ +
                  static_cast<std::size_t>(j)];
  }

  int size_;
  int rank_;
  int ranks_;
  BlockRows deal_;
  std::size_t block_;
  Field outgoing_;
  Field incoming_;
};

// The transposed two-dimensional transform, computed sequentially.
Field sequential_transform(const Input& input, const LineTransform& transform) {
  const int n = input.size;
  Field field = input.rows(0, n);
  transform.every_line(field);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      std::swap(field[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + j],
                field[static_cast<std::size_t>(j) * static_cast<std::size_t>(n) + i]);
  transform.every_line(field);
  return field;
}

Complex coefficient_by_definition(const Input& input, int u, int v) {
  const int n = input.size;
  Complex sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const long long turn = (static_cast<long long>(u) * i + static_cast<long long>(v) * j) % n;
      sum += input.at(i, j) * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(turn) / n);
    }
  return sum;
}

bool agrees_with_sequential(const Field& rows, const Input& input, const LineTransform& transform, int first,
                            int count) {
  constexpr int k_defined_coefficients = 4;
  const double tolerance = 1e-10 * input.size;
  const std::size_t n = static_cast<std::size_t>(input.size);
  const Field expected = sequential_transform(input, transform);
  for (std::size_t at = 0; at < rows.size(); ++at)
    if (!(std::abs(rows[at] - expected[static_cast<std::size_t>(first) * n + at]) <= tolerance)) return false;
  for (int i = 0; i < std::min(count, k_defined_coefficients); ++i) {
    const int u = (7 * i + 3) % input.size;
    const Complex value = rows[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(u)];
    if (!(std::abs(value - coefficient_by_definition(input, u, first + i)) <= tolerance)) return false;
  }
  return true;
}

// Uses exact bits: the arithmetic of every element is the same for any number of ranks.
std::uint64_t checksum_of(const Field& rows, int first, int size) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < rows.size(); ++at)
    sum += apps::random_bits(std::bit_cast<std::uint64_t>(rows[at].real()),
                             static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(size) + at,
                             std::bit_cast<std::uint64_t>(rows[at].imag()));
  return sum;
}

int solve(const Input& input, int repetitions, bool verify) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const BlockRows deal(input.size, ranks);
  const LineTransform transform(input.size);
  Transpose transpose(input.size, rank, ranks);
  const Field original = input.rows(deal.first(rank), deal.count(rank));
  Field field;

  MPI_Barrier(MPI_COMM_WORLD);
  apps::CollectiveClock clock;
  const double begin = MPI_Wtime();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    field = original;
    transform.every_line(field);
    transpose(field, clock);
    transform.every_line(field);
  }
  const double total_s = MPI_Wtime() - begin;

  const bool verified =
      verify && agrees_with_sequential(field, input, transform, deal.first(rank), deal.count(rank));
  char parameters[120];
  std::snprintf(parameters, sizeof parameters, "size=%d seed=%llu alltoalls=%d", input.size,
                static_cast<unsigned long long>(input.seed), repetitions);
  return apps::report(
      "fft_transpose", parameters,
      {total_s, clock.total_s(), 0, checksum_of(field, deal.first(rank), input.size), verify, verified});
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t log2_size = 9;
  std::int64_t seed = 1;
  std::int64_t repeat = 10;
  const apps::Option options[] = {
      {"log2-size", "logarithm of the field's side", &log2_size, 0, 14},
      {"seed", "seed of the random field", &seed, 0, 1e18},
      {"repeat", "transforms to run", &repeat, 1, 1e6},
  };
  return apps::run_program("fft_transpose", options, argc, argv, [&](bool verify) {
    return solve({1 << log2_size, static_cast<std::uint64_t>(seed)}, static_cast<int>(repeat), verify);
  });
}
