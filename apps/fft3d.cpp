// FFT3D: three-dimensional Fourier transforms of an evolving N x N x N complex field, like NAS FT.
//
// The field is distributed by z. In every step each rank evolves its planes and transforms them along y and
// x; one all-to-all exchange redistributes the field by x, and the lines along z are transformed. As in NAS
// FT the program first unpacks the received data, rank after rank.
//
// With --nonblocking the exchange is split into slabs along y, and MPI_Ialltoall transfers one slab while the
// program computes on others, before and after: the manual restructuring of a program for overlap.
//
// Every rank checks its part of the result against a sequential transform of the same field, and some coefficients
// against the defining sum.

#include "common/distribution.hpp"
#include "common/fourier.hpp"
#include "common/pipeline.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "common/report.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <vector>

namespace {

using apps::BlockRows;
using apps::Complex;
using apps::Field;
using apps::LineTransform;

struct Input {
  int side;
  std::uint64_t seed;

  Complex at(int z, int y, int x) const {
    const std::uint64_t bits = apps::random_bits(
        seed,
        static_cast<std::uint64_t>(z) * static_cast<std::uint64_t>(side) + static_cast<std::uint64_t>(y),
        static_cast<std::uint64_t>(x));
    return {apps::to_unit(bits) - 0.5, apps::to_unit(apps::mix(bits)) - 0.5};
  }

  // The factor of an element in every step: waves decay, short ones first.
  double decay(int z, int y, int x) const {
    const auto squared = [this](int k) {
      const double wave = std::min(k, side - k) / static_cast<double>(side);
      return wave * wave;
    };
    return std::exp(-(squared(z) + squared(y) + squared(x)));
  }

  // Planes of constant z, one after the other.
  template <class Function>
  auto planes(int first, int count, Function&& value) const {
    std::vector<decltype(value(0, 0, 0))> all;
    all.reserve(static_cast<std::size_t>(count * side * side));
    for (int z = first; z < first + count; ++z)
      for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) all.push_back(value(z, y, x));
    return all;
  }
};

struct Clocks {
  apps::CollectiveClock collective, use, after;
};

// Transforms a field distributed by z, [z][y][x], to one distributed by x, [y][x][z]. All blocks have the
// size of a full one, so that MPI_Alltoall works for any division of the planes; elements outside the field
// are sent as zero.
class Transform {
 public:
  Transform(const LineTransform& line, int side, int rank, int ranks, apps::Pipeline& pipeline)
      : line_(line),
        side_(side),
        ranks_(ranks),
        deal_(side, ranks),
        slabs_(side, pipeline.slabs()),
        own_count_(deal_.count(rank)),
        pipeline_(pipeline),
        outgoing_(block(side) * ranks),
        incoming_(outgoing_.size()),
        column_(side_) {}

  void operator()(Field& planes, Field& lines, Clocks& clocks) {
    for (int z = 0; z < own_count_; ++z) transform_columns(planes, z);
    for (int slab = 0; slab < pipeline_.slabs(); ++slab) {
      for (int y = slabs_.first(slab); y < slabs_.first(slab + 1); ++y) {
        send_rows(planes, slab, y);
        pipeline_.poll();
      }
      exchange(slab);
    }
    for (int slab = 0; slab < pipeline_.slabs(); ++slab) {
      pipeline_.wait(slab);
      clocks.use.time([&] { take_lines(slab, lines); });
      for (int y = slabs_.first(slab); y < slabs_.first(slab + 1); ++y) {
        pipeline_.poll();
        clocks.after.time([&] { transform_lines(lines, y); });
      }
    }
  }

 private:
  // Number of elements that one rank sends to another for `rows` rows along y.
  int block(int rows) const { return deal_.block() * deal_.block() * rows; }
  // Position of a rank's block in the buffers: by slab, then by rank, then [y][x][z].
  Complex* block_of(Field& buffer, int slab, int peer) const {
    return buffer.data() + block(slabs_.first(slab)) * ranks_ + block(slabs_.count(slab)) * peer;
  }
  Complex* run(Complex* block, int row, int x) const {
    const int width = deal_.block();
    return block + (row * width + x) * width;
  }

  void transform_columns(Field& planes, int z) {
    Complex* const plane = planes.data() + z * side_ * side_;
    for (int x = 0; x < side_; ++x) {
      for (int y = 0; y < side_; ++y) column_[y] = plane[y * side_ + x];
      line_(column_.data());
      for (int y = 0; y < side_; ++y) plane[y * side_ + x] = column_[y];
    }
  }

  void send_rows(Field& planes, int slab, int y) {
    for (int z = 0; z < own_count_; ++z) {
      Complex* const row = planes.data() + (z * side_ + y) * side_;
      line_(row);
      for (int peer = 0; peer < ranks_; ++peer) {
        Complex* const target = block_of(outgoing_, slab, peer);
        for (int x = 0; x < deal_.count(peer); ++x)
          run(target, y - slabs_.first(slab), x)[z] = row[deal_.first(peer) + x];
      }
    }
  }

  void exchange(int slab) {
    const int doubles = 2 * block(slabs_.count(slab));
    Complex* const sent = block_of(outgoing_, slab, 0);
    Complex* const received = block_of(incoming_, slab, 0);
    pipeline_.start(
        slab, [&] { MPI_Alltoall(sent, doubles, MPI_DOUBLE, received, doubles, MPI_DOUBLE, MPI_COMM_WORLD); },
        [&](MPI_Request* request) {
          MPI_Ialltoall(sent, doubles, MPI_DOUBLE, received, doubles, MPI_DOUBLE, MPI_COMM_WORLD, request);
        });
  }

  void take_lines(int slab, Field& lines) {
    for (int peer = 0; peer < ranks_; ++peer) {
      Complex* const source = block_of(incoming_, slab, peer);
      for (int y = slabs_.first(slab); y < slabs_.first(slab + 1); ++y)
        for (int x = 0; x < own_count_; ++x)
          std::copy_n(run(source, y - slabs_.first(slab), x), deal_.count(peer),
                      line_at(lines, y, x) + deal_.first(peer));
    }
  }

  void transform_lines(Field& lines, int y) {
    for (int x = 0; x < own_count_; ++x) line_(line_at(lines, y, x));
  }

  Complex* line_at(Field& lines, int y, int x) const { return lines.data() + (y * own_count_ + x) * side_; }

  const LineTransform& line_;
  int side_;
  int ranks_;
  BlockRows deal_;
  BlockRows slabs_;
  int own_count_;  // planes before the exchange, values of x after it
  apps::Pipeline& pipeline_;
  Field outgoing_;
  Field incoming_;
  std::vector<Complex> column_;
};

void evolve(Field& field, const std::vector<double>& decay) {
  for (std::size_t at = 0; at < field.size(); ++at) field[at] *= decay[at];
}

Field evolved(const Input& input, int steps) {
  Field field = input.planes(0, input.side, [&](int z, int y, int x) { return input.at(z, y, x); });
  const auto decay = input.planes(0, input.side, [&](int z, int y, int x) { return input.decay(z, y, x); });
  for (int step = 0; step < steps; ++step) evolve(field, decay);
  return field;
}

// Sequential: transforms along the last of three coordinates, which then becomes the first; three times.
Field sequential_transform(Field field, const LineTransform& line, int side) {
  const int n = side;
  Field turned(field.size());
  for (int axis = 0; axis < 3; ++axis) {
    line.every_line(field);
    for (int row = 0; row < n * n; ++row)
      for (int at = 0; at < n; ++at) turned[at * n * n + row] = field[row * n + at];
    field.swap(turned);
  }
  return field;
}

Complex coefficient_by_definition(const Field& field, int side, int w, int v, int u) {
  Complex sum = 0;
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const int turn = (w * z + v * y + u * x) % side;
        const int at = (z * side + y) * side + x;
        sum += field[at] * std::polar(1.0, -2 * std::numbers::pi * turn / side);
      }
  return sum;
}

bool agrees_with_sequential(const Field& lines, const Input& input, int steps, const LineTransform& line,
                            int first, int count) {
  const int n = input.side;
  const double tolerance = 1e-10 * n * n;
  const Field field = evolved(input, steps);
  const Field expected = sequential_transform(field, line, n);  // [z][y][x]
  int at = 0;
  for (int y = 0; y < n; ++y)
    for (int x = first; x < first + count; ++x)
      for (int z = 0; z < n; ++z) {
        const int there = (z * n + y) * n + x;
        if (!(std::abs(lines[at++] - expected[there]) <= tolerance)) return false;
      }
  if (count == 0) return true;
  const int z = 3 % n;  // of this rank's first line
  return std::abs(lines[z] - coefficient_by_definition(field, n, z, 0, first)) <= tolerance;
}

// Uses exact bits: the arithmetic of every element is the same for any number of ranks.
std::uint64_t checksum_of(const Field& lines, const BlockRows& deal, int rank, int side) {
  std::uint64_t sum = 0;
  const int width = deal.count(rank) * side;
  const int all = side * side;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const int place = at / width * all + deal.first(rank) * side + at % width;
    sum += apps::random_bits(std::bit_cast<std::uint64_t>(lines[at].real()), place,
                             std::bit_cast<std::uint64_t>(lines[at].imag()));
  }
  return sum;
}

struct Options {
  std::int64_t log2_side = 6;
  std::int64_t seed = 1;
  std::int64_t repeat = 4;
  bool nonblocking = false;
  std::int64_t slabs = 4;
};

int solve(const Options& options, bool verify) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Input input{1 << options.log2_side, static_cast<std::uint64_t>(options.seed)};
  const int repeat = static_cast<int>(options.repeat);
  const BlockRows deal(input.side, ranks);
  const LineTransform line(input.side);
  Clocks clocks;
  apps::Pipeline pipeline(static_cast<int>(options.slabs), options.nonblocking, clocks.collective);
  Transform transform(line, input.side, rank, ranks, pipeline);
  const int first = deal.first(rank);
  const int count = deal.count(rank);
  Field field = input.planes(first, count, [&](int z, int y, int x) { return input.at(z, y, x); });
  const auto decay = input.planes(first, count, [&](int z, int y, int x) { return input.decay(z, y, x); });
  Field planes(field.size());
  Field lines(field.size());

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < repeat; ++step) {
    evolve(field, decay);
    std::ranges::copy(field, planes.begin());
    transform(planes, lines, clocks);
  }
  const double total_s = MPI_Wtime() - begin;

  const bool verified = verify && agrees_with_sequential(lines, input, repeat, line, first, count);
  char parameters[120];
  std::snprintf(parameters, sizeof parameters, "side=%d seed=%llu steps=%d slabs=%d", input.side,
                static_cast<unsigned long long>(input.seed), repeat, pipeline.slabs());
  return apps::report(
      "fft3d", parameters,
      {total_s, clocks.collective.total_s(), 0, checksum_of(lines, deal, rank, input.side), verify, verified,
       clocks.use.total_s(), clocks.use.total_s() + clocks.after.total_s()});
}

}  // namespace

int main(int argc, char** argv) {
  Options chosen;
  const apps::Option options[] = {
      {"log2-side", "logarithm of the field's side", &chosen.log2_side, 0, 9},
      {"seed", "seed of the random field", &chosen.seed, 0, 1e18},
      {"repeat", "steps to run", &chosen.repeat, 1, 1e6},
      {"nonblocking", "compute while slabs of the exchange travel", &chosen.nonblocking},
      {"slabs", "of an exchange that is nonblocking", &chosen.slabs, 1, 512},
  };
  return apps::run_program("fft3d", options, argc, argv, [&](bool verify) { return solve(chosen, verify); });
}
