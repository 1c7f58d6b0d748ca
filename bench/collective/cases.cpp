#include "bench/collective/cases.hpp"

#include <algorithm>
#include <climits>
#include <functional>
#include <numeric>

#include "bench/collective/names.hpp"

namespace tutti::bench {

namespace {

/// The byte that rank `owner` puts at `index` of what it sends to `peer`.
unsigned char pattern(int owner, int peer, uint64_t index) {
  return static_cast<unsigned char>(owner * 31 + peer * 17 + static_cast<int>(index % 251));
}

/// A case described by four functions; keeps each collective's story in one place below.
class DescribedCase final : public Case {
 public:
  using Call = std::function<int(Buffers&, Side)>;
  using Fill = std::function<void(Buffers&)>;
  using Check = std::function<bool(const Buffers&)>;
  using Bound = std::function<double(const Buffers&, const std::vector<int>&)>;

  DescribedCase(World world, uint64_t bytes, uint64_t in_bytes, uint64_t out_bytes, Call call, Fill fill,
                Check check, Bound bound)
      : buffers_{world, bytes, PageBuffer(in_bytes), PageBuffer(out_bytes), {}},
        call_(std::move(call)),
        fill_(std::move(fill)),
        check_(std::move(check)),
        bound_(std::move(bound)) {
    BlockVectors& blocks = buffers_.blocks;
    const auto ranks = static_cast<size_t>(world.size);
    blocks.bytes.assign(ranks, buffers_.byte_count());
    blocks.elements.assign(ranks, buffers_.element_count() / world.size);
    blocks.types.assign(ranks, MPI_BYTE);
    for (size_t r = 0; r < ranks; ++r)
      blocks.places.push_back(static_cast<int>(std::min<uint64_t>(bytes * r, INT_MAX)));
  }

  int call(Side side) override { return call_(buffers_, side); }
  void reset() override {
    std::fill(buffers_.out.begin(), buffers_.out.end(), 0xEE);
    fill_(buffers_);
  }
  bool is_right() const override { return check_(buffers_); }
  double least_link_bytes(const std::vector<int>& nodes) const override {
    return nodes.size() < 2 ? 0 : bound_(buffers_, nodes);
  }
  Buffers& buffers() override { return buffers_; }

 private:
  Buffers buffers_;
  Call call_;
  Fill fill_;
  Check check_;
  Bound bound_;
};

#define TUTTI_CALL(name, ...) (side == Side::native ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

// --- data movement

bool holds(const unsigned char* data, uint64_t bytes, int owner, int peer) {
  for (uint64_t i = 0; i < bytes; ++i)
    if (data[i] != pattern(owner, peer, i)) return false;
  return true;
}

void put(unsigned char* data, uint64_t bytes, int owner, int peer) {
  for (uint64_t i = 0; i < bytes; ++i) data[i] = pattern(owner, peer, i);
}

/// The own block, the same on all ranks.
void fill_own(Buffers& b) {
  put(b.in.data(), b.bytes, b.world.rank, 0);
}

double ranks(const std::vector<int>& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), 0.0);
}

std::unique_ptr<Case> bcast(World w, uint64_t bytes) {
  return std::make_unique<DescribedCase>(
      w, bytes, 0, bytes,
      [](Buffers& b, Side side) {
        return TUTTI_CALL(Bcast, b.out.data(), b.byte_count(), MPI_BYTE, k_root, b.world.comm);
      },
      [](Buffers& b) {
        if (b.world.rank == k_root) put(b.out.data(), b.bytes, k_root, 0);
      },
      [](const Buffers& b) { return holds(b.out.data(), b.bytes, k_root, 0); },
      [](const Buffers& b, const std::vector<int>&) { return static_cast<double>(b.bytes); });
}

bool blocks_right(const Buffers& b) {
  for (int r = 0; r < b.world.size; ++r)
    if (!holds(b.out.data() + b.bytes * static_cast<uint64_t>(r), b.bytes, r, 0)) return false;
  return true;
}

std::unique_ptr<Case> allgather_by(World w, uint64_t bytes, DescribedCase::Call call) {
  return std::make_unique<DescribedCase>(
      w, bytes, bytes, bytes * static_cast<uint64_t>(w.size), std::move(call), fill_own, blocks_right,
      // The node with the fewest ranks receives most.
      [](const Buffers& b, const std::vector<int>& nodes) {
        return static_cast<double>(b.bytes) * (ranks(nodes) - *std::min_element(nodes.begin(), nodes.end()));
      });
}

std::unique_ptr<Case> allgather(World w, uint64_t bytes) {
  return allgather_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Allgather, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.byte_count(),
                      MPI_BYTE, b.world.comm);
  });
}

std::unique_ptr<Case> allgatherv(World w, uint64_t bytes) {
  return allgather_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Allgatherv, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.blocks.bytes.data(),
                      b.blocks.places.data(), MPI_BYTE, b.world.comm);
  });
}

std::unique_ptr<Case> alltoall_by(World w, uint64_t bytes, DescribedCase::Call call) {
  const uint64_t all = bytes * static_cast<uint64_t>(w.size);
  return std::make_unique<DescribedCase>(
      w, bytes, all, all, std::move(call),
      [](Buffers& b) {
        for (int r = 0; r < b.world.size; ++r)
          put(b.in.data() + b.bytes * static_cast<uint64_t>(r), b.bytes, b.world.rank, r);
      },
      [](const Buffers& b) {
        for (int r = 0; r < b.world.size; ++r)
          if (!holds(b.out.data() + b.bytes * static_cast<uint64_t>(r), b.bytes, r, b.world.rank))
            return false;
        return true;
      },
      [](const Buffers& b, const std::vector<int>& nodes) {
        double most = 0;
        for (int m : nodes) most = std::max(most, m * (ranks(nodes) - m));
        return static_cast<double>(b.bytes) * most;
      });
}

std::unique_ptr<Case> alltoall(World w, uint64_t bytes) {
  return alltoall_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Alltoall, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.byte_count(), MPI_BYTE,
                      b.world.comm);
  });
}

std::unique_ptr<Case> alltoallv(World w, uint64_t bytes) {
  return alltoall_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Alltoallv, b.in.data(), b.blocks.bytes.data(), b.blocks.places.data(), MPI_BYTE,
                      b.out.data(), b.blocks.bytes.data(), b.blocks.places.data(), MPI_BYTE, b.world.comm);
  });
}

std::unique_ptr<Case> alltoallw(World w, uint64_t bytes) {
  return alltoall_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Alltoallw, b.in.data(), b.blocks.bytes.data(), b.blocks.places.data(),
                      b.blocks.types.data(), b.out.data(), b.blocks.bytes.data(), b.blocks.places.data(),
                      b.blocks.types.data(), b.world.comm);
  });
}

double to_or_from_root(const Buffers& b, const std::vector<int>& nodes) {
  return static_cast<double>(b.bytes) * (ranks(nodes) - nodes.front());  // the root is on the first node
}

std::unique_ptr<Case> gather_by(World w, uint64_t bytes, DescribedCase::Call call) {
  return std::make_unique<DescribedCase>(
      w, bytes, bytes, w.rank == k_root ? bytes * static_cast<uint64_t>(w.size) : 0, std::move(call),
      fill_own, [](const Buffers& b) { return b.world.rank != k_root || blocks_right(b); }, to_or_from_root);
}

std::unique_ptr<Case> gather(World w, uint64_t bytes) {
  return gather_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Gather, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.byte_count(), MPI_BYTE,
                      k_root, b.world.comm);
  });
}

std::unique_ptr<Case> gatherv(World w, uint64_t bytes) {
  return gather_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Gatherv, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.blocks.bytes.data(),
                      b.blocks.places.data(), MPI_BYTE, k_root, b.world.comm);
  });
}

std::unique_ptr<Case> scatter_by(World w, uint64_t bytes, DescribedCase::Call call) {
  return std::make_unique<DescribedCase>(
      w, bytes, w.rank == k_root ? bytes * static_cast<uint64_t>(w.size) : 0, bytes, std::move(call),
      [](Buffers& b) {
        if (b.world.rank != k_root) return;
        for (int r = 0; r < b.world.size; ++r)
          put(b.in.data() + b.bytes * static_cast<uint64_t>(r), b.bytes, k_root, r);
      },
      [](const Buffers& b) { return holds(b.out.data(), b.bytes, k_root, b.world.rank); }, to_or_from_root);
}

std::unique_ptr<Case> scatter(World w, uint64_t bytes) {
  return scatter_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Scatter, b.in.data(), b.byte_count(), MPI_BYTE, b.out.data(), b.byte_count(), MPI_BYTE,
                      k_root, b.world.comm);
  });
}

std::unique_ptr<Case> scatterv(World w, uint64_t bytes) {
  return scatter_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Scatterv, b.in.data(), b.blocks.bytes.data(), b.blocks.places.data(), MPI_BYTE,
                      b.out.data(), b.byte_count(), MPI_BYTE, k_root, b.world.comm);
  });
}

// --- reductions: sums of doubles that are whole numbers, hence exact in any order

double operand(int rank, uint64_t index) {
  return static_cast<double>((rank + 1) * (1 + static_cast<int>(index % 97)));
}

double sum_of_ranks(int count) {
  return count * (count + 1) / 2.0;
}

void fill_operand(Buffers& b) {
  auto* values = reinterpret_cast<double*>(b.in.data());
  for (uint64_t i = 0; i < b.in.size() / sizeof(double); ++i) values[i] = operand(b.world.rank, i);
}

/// Checks `count` results that start at element `first` of the vector; `sum` is the sum of (rank + 1) of
/// those in it.
bool sums_right(const Buffers& b, uint64_t first, uint64_t count, double sum) {
  const auto* values = reinterpret_cast<const double*>(b.out.data());
  for (uint64_t i = 0; i < count; ++i)
    if (values[i] != sum * (1 + static_cast<int>((first + i) % 97))) return false;
  return true;
}

uint64_t elements(const Buffers& b) {
  return b.bytes / sizeof(double);
}

std::unique_ptr<Case> allreduce(World w, uint64_t bytes) {
  return std::make_unique<DescribedCase>(
      w, bytes, bytes, bytes,
      [](Buffers& b, Side side) {
        return TUTTI_CALL(Allreduce, b.in.data(), b.out.data(), b.element_count(), MPI_DOUBLE, MPI_SUM,
                          b.world.comm);
      },
      fill_operand,
      [](const Buffers& b) { return sums_right(b, 0, elements(b), sum_of_ranks(b.world.size)); },
      [](const Buffers& b, const std::vector<int>& nodes) {
        const double n = static_cast<double>(nodes.size());
        return 2 * (n - 1) / n * static_cast<double>(b.bytes);
      });
}

std::unique_ptr<Case> reduce(World w, uint64_t bytes) {
  return std::make_unique<DescribedCase>(
      w, bytes, bytes, bytes,
      [](Buffers& b, Side side) {
        return TUTTI_CALL(Reduce, b.in.data(), b.out.data(), b.element_count(), MPI_DOUBLE, MPI_SUM, k_root,
                          b.world.comm);
      },
      fill_operand,
      [](const Buffers& b) {
        return b.world.rank != k_root || sums_right(b, 0, elements(b), sum_of_ranks(b.world.size));
      },
      [](const Buffers& b, const std::vector<int>&) { return static_cast<double>(b.bytes); });
}

std::unique_ptr<Case> reduce_scatter_by(World w, uint64_t bytes, DescribedCase::Call call) {
  if (bytes % (sizeof(double) * static_cast<uint64_t>(w.size)) != 0) return nullptr;
  return std::make_unique<DescribedCase>(
      w, bytes, bytes, bytes / static_cast<uint64_t>(w.size), std::move(call), fill_operand,
      [](const Buffers& b) {
        const uint64_t own = elements(b) / static_cast<uint64_t>(b.world.size);
        return sums_right(b, own * static_cast<uint64_t>(b.world.rank), own, sum_of_ranks(b.world.size));
      },
      // A node sends what belongs to others: all but its own share.
      [](const Buffers& b, const std::vector<int>& nodes) {
        const double share = *std::min_element(nodes.begin(), nodes.end()) / ranks(nodes);
        return static_cast<double>(b.bytes) * (1 - share);
      });
}

std::unique_ptr<Case> reduce_scatter(World w, uint64_t bytes) {
  return reduce_scatter_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Reduce_scatter, b.in.data(), b.out.data(), b.blocks.elements.data(), MPI_DOUBLE,
                      MPI_SUM, b.world.comm);
  });
}

std::unique_ptr<Case> reduce_scatter_block(World w, uint64_t bytes) {
  return reduce_scatter_by(w, bytes, [](Buffers& b, Side side) {
    return TUTTI_CALL(Reduce_scatter_block, b.in.data(), b.out.data(), b.blocks.elements.front(), MPI_DOUBLE,
                      MPI_SUM, b.world.comm);
  });
}

/// `is_inclusive`: a rank's own operand counts. Rank 0 gets nothing otherwise.
std::unique_ptr<Case> scan_by(World w, uint64_t bytes, bool is_inclusive, DescribedCase::Call call) {
  return std::make_unique<DescribedCase>(
      w, bytes, bytes, bytes, std::move(call), fill_operand,
      [is_inclusive](const Buffers& b) {
        const int operands = b.world.rank + (is_inclusive ? 1 : 0);
        return operands == 0 || sums_right(b, 0, elements(b), sum_of_ranks(operands));
      },
      // Every node but that of rank 0 needs the sum of operands from elsewhere.
      [](const Buffers& b, const std::vector<int>&) { return static_cast<double>(b.bytes); });
}

std::unique_ptr<Case> scan(World w, uint64_t bytes) {
  return scan_by(w, bytes, true, [](Buffers& b, Side side) {
    return TUTTI_CALL(Scan, b.in.data(), b.out.data(), b.element_count(), MPI_DOUBLE, MPI_SUM, b.world.comm);
  });
}

std::unique_ptr<Case> exscan(World w, uint64_t bytes) {
  return scan_by(w, bytes, false, [](Buffers& b, Side side) {
    return TUTTI_CALL(Exscan, b.in.data(), b.out.data(), b.element_count(), MPI_DOUBLE, MPI_SUM,
                      b.world.comm);
  });
}

std::unique_ptr<Case> barrier(World w, uint64_t bytes) {
  return std::make_unique<DescribedCase>(
      w, bytes, 0, 0, [](Buffers& b, Side side) { return TUTTI_CALL(Barrier, b.world.comm); },
      [](Buffers&) {}, [](const Buffers&) { return true; },
      [](const Buffers&, const std::vector<int>&) { return 0.0; });
}

#undef TUTTI_CALL

struct Entry {
  std::string name;
  std::unique_ptr<Case> (*make)(World, uint64_t);
  bool needs_doubles = false;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {{"barrier", barrier},
                                         {"bcast", bcast},
                                         {"reduce", reduce, true},
                                         {"allreduce", allreduce, true},
                                         {"reduce_scatter", reduce_scatter, true},
                                         {"reduce_scatter_block", reduce_scatter_block, true},
                                         {"scan", scan, true},
                                         {"exscan", exscan, true},
                                         {"allgather", allgather},
                                         {"allgatherv", allgatherv},
                                         {"alltoall", alltoall},
                                         {"alltoallv", alltoallv},
                                         {"alltoallw", alltoallw},
                                         {"gather", gather},
                                         {"gatherv", gatherv},
                                         {"scatter", scatter},
                                         {"scatterv", scatterv}};
  return all;
}

}  // namespace

const std::vector<std::string>& case_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Entry& entry : entries()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

std::unique_ptr<Case> make_case(const std::string& name, uint64_t bytes, MPI_Comm comm) {
  World world{.comm = comm};
  PMPI_Comm_rank(comm, &world.rank);
  PMPI_Comm_size(comm, &world.size);
  for (const Entry& entry : entries()) {
    if (entry.name != name) continue;
    if (entry.needs_doubles && bytes % sizeof(double) != 0) return nullptr;
    return entry.make(world, bytes);
  }
  return nullptr;
}

}  // namespace tutti::bench
