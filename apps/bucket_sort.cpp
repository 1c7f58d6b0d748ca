// BUCKET_SORT: sorts integers like NAS IS.
//
// Keys are distributed over the ranks; most have values in the middle of their range. In every step each rank
// counts its keys by bucket, all ranks agree by MPI_Allreduce on the owner of each bucket, exchange the
// numbers of keys by MPI_Alltoall and the keys by MPI_Alltoallv, and rank the received keys by counting.
//
// With --nonblocking the keys are split into slabs, and MPI_Ialltoallv transfers one slab while others are
// put into buckets and counted: the manual restructuring of a program for overlap.
//
// Every rank checks its part of the sorted keys against its own sequential sort of all keys.

#include "common/distribution.hpp"
#include "common/pipeline.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "common/report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

namespace {

using apps::BlockRows;
using Key = std::int32_t;
using Counts = std::vector<int>;

struct Options {
  std::int64_t log2_keys = 16;
  std::int64_t log2_range = 11;
  std::int64_t seed = 1;
  std::int64_t repeat = 4;
  bool nonblocking = false;
  std::int64_t slabs = 4;
};

struct Input {
  int log2_range;
  std::uint64_t seed;

  // The mean of four random numbers.
  Key key(int at) const {
    const std::uint64_t bits = apps::random_bits(seed, static_cast<std::uint64_t>(at), 0);
    std::uint64_t sum = 0;
    for (int draw = 0; draw < 4; ++draw) sum += bits >> (16 * draw) & 0xffff;
    return static_cast<Key>(sum << log2_range >> 18);
  }
  std::vector<Key> keys(int first, int count) const {
    std::vector<Key> all(count);
    for (int at = 0; at < count; ++at) all[at] = key(first + at);
    return all;
  }
};

// Keys with the same leading bits.
struct Buckets {
  static constexpr int k_log2_most = 10;

  explicit Buckets(int log2_range)
      : shift(std::max(0, log2_range - k_log2_most)), count(1 << (log2_range - shift)) {}

  int of(Key key) const { return key >> shift; }
  Key first_key(int bucket) const { return bucket << shift; }

  int shift;
  int count;
};

// A rank's received keys: the number of each key from `first` on.
struct Ranked {
  Key first = 0;
  std::int64_t keys_before = 0;  // on lower ranks
  Counts of_key;

  std::vector<Key> sorted() const {
    std::vector<Key> keys;
    for (std::size_t at = 0; at < of_key.size(); ++at)
      keys.insert(keys.end(), of_key[at], first + static_cast<Key>(at));
    return keys;
  }
};

struct Clocks {
  apps::CollectiveClock collective, use, after;
};

class BucketSort {
 public:
  BucketSort(std::span<const Key> keys, const Buckets& buckets, int rank, int ranks, apps::Pipeline& pipeline,
             Clocks& clocks)
      : keys_(keys),
        buckets_(buckets),
        rank_(rank),
        ranks_(ranks),
        deal_(static_cast<int>(keys.size()), pipeline.slabs()),
        pipeline_(pipeline),
        clocks_(clocks),
        in_bucket_(pipeline.slabs(), Counts(buckets.count)),
        outgoing_(keys.size()) {}

  void operator()(Ranked& ranked) {
    count_buckets();
    share_buckets(ranked);
    agree_on_counts();
    for (int slab = 0; slab < pipeline_.slabs(); ++slab) {
      fill_buckets(slab);
      exchange(slab);
    }
    for (int slab = 0; slab < pipeline_.slabs(); ++slab) {
      pipeline_.wait(slab);
      count_keys(slab, ranked);
    }
    // Position of each key among all keys: its rank in the terms of NAS IS.
    clocks_.after.time([&] {
      starts_.resize(ranked.of_key.size());
      std::exclusive_scan(ranked.of_key.begin(), ranked.of_key.end(), starts_.begin(), ranked.keys_before);
    });
  }

 private:
  std::span<const Key> slab_keys(int slab) const {
    return keys_.subspan(deal_.first(slab), deal_.count(slab));
  }
  // The part of a list with one number for each slab and rank.
  int* of_slab(Counts& list, int slab) const { return list.data() + slab * ranks_; }

  void count_buckets() {
    for (int slab = 0; slab < pipeline_.slabs(); ++slab) {
      Counts& counts = in_bucket_[slab];
      std::ranges::fill(counts, 0);
      for (const Key key : slab_keys(slab)) ++counts[buckets_.of(key)];
    }
  }

  // Assigns adjacent buckets to each rank such that all ranks get nearly as many keys.
  void share_buckets(Ranked& ranked) {
    std::vector<std::int64_t> all(buckets_.count);
    for (const Counts& counts : in_bucket_)
      for (int bucket = 0; bucket < buckets_.count; ++bucket) all[bucket] += counts[bucket];
    clocks_.collective.time([&] {
      MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_INT64_T, MPI_SUM,
                    MPI_COMM_WORLD);
    });
    const std::int64_t total = std::reduce(all.begin(), all.end());
    first_bucket_.assign(ranks_ + 1, buckets_.count);
    first_bucket_[0] = 0;
    std::int64_t before = 0;
    int next = 1;
    for (int bucket = 0; bucket < buckets_.count; ++bucket) {
      while (next < ranks_ && before * ranks_ >= total * next) first_bucket_[next++] = bucket;
      if (bucket == first_bucket_[rank_]) ranked.keys_before = before;
      before += all[bucket];
    }
    ranked.first = buckets_.first_key(first_bucket_[rank_]);
    ranked.of_key.assign(buckets_.first_key(first_bucket_[rank_ + 1]) - ranked.first, 0);
  }

  // Exchanges the number of keys to and from each rank, slab by slab, and computes their offsets.
  void agree_on_counts() {
    const int slabs = pipeline_.slabs();
    Counts to(slabs * ranks_), from(slabs * ranks_);  // [rank][slab], the order of transfer
    for (int peer = 0; peer < ranks_; ++peer)
      for (int slab = 0; slab < slabs; ++slab) {
        const int* const counts = in_bucket_[slab].data();
        to[peer * slabs + slab] = std::reduce(counts + first_bucket_[peer], counts + first_bucket_[peer + 1]);
      }
    clocks_.collective.time(
        [&] { MPI_Alltoall(to.data(), slabs, MPI_INT, from.data(), slabs, MPI_INT, MPI_COMM_WORLD); });
    sent_ = by_slab(to);
    received_ = by_slab(from);
    sent_from_ = received_at_ = Counts(slabs * ranks_);
    for (int slab = 0; slab < slabs; ++slab)
      std::exclusive_scan(of_slab(sent_, slab), of_slab(sent_, slab) + ranks_, of_slab(sent_from_, slab),
                          deal_.first(slab));
    std::exclusive_scan(received_.begin(), received_.end(), received_at_.begin(), 0);
    incoming_.resize(std::reduce(received_.begin(), received_.end()));
  }

  Counts by_slab(const Counts& by_rank) const {
    Counts turned(by_rank.size());
    for (int slab = 0; slab < pipeline_.slabs(); ++slab)
      for (int peer = 0; peer < ranks_; ++peer)
        *(of_slab(turned, slab) + peer) = by_rank[peer * pipeline_.slabs() + slab];
    return turned;
  }

  void fill_buckets(int slab) {
    const Counts& counts = in_bucket_[slab];
    Counts next(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), deal_.first(slab));
    in_pieces(slab_keys(slab), [&](std::span<const Key> keys) {
      for (const Key key : keys) outgoing_[next[buckets_.of(key)]++] = key;
    });
  }

  void exchange(int slab) {
    const int* const sent = of_slab(sent_, slab);
    const int* const sent_from = of_slab(sent_from_, slab);
    const int* const received = of_slab(received_, slab);
    const int* const received_at = of_slab(received_at_, slab);
    pipeline_.start(
        slab,
        [&] {
          MPI_Alltoallv(outgoing_.data(), sent, sent_from, MPI_INT32_T, incoming_.data(), received,
                        received_at, MPI_INT32_T, MPI_COMM_WORLD);
        },
        [&](MPI_Request* request) {
          MPI_Ialltoallv(outgoing_.data(), sent, sent_from, MPI_INT32_T, incoming_.data(), received,
                         received_at, MPI_INT32_T, MPI_COMM_WORLD, request);
        });
  }

  void count_keys(int slab, Ranked& ranked) {
    const int* const received = of_slab(received_, slab);
    const int count = std::reduce(received, received + ranks_);
    const std::span<const Key> slab_keys(incoming_.data() + *of_slab(received_at_, slab), count);
    in_pieces(slab_keys, [&](std::span<const Key> keys) {
      clocks_.use.time([&] {
        for (const Key key : keys) ++ranked.of_key[key - ranked.first];
      });
    });
  }

  // Other slabs make progress between pieces.
  template <class Work>
  void in_pieces(std::span<const Key> keys, Work&& work) {
    constexpr std::size_t k_piece = 1 << 16;
    for (; !keys.empty(); keys = keys.subspan(std::min(k_piece, keys.size()))) {
      work(keys.first(std::min(k_piece, keys.size())));
      pipeline_.poll();
    }
  }

  std::span<const Key> keys_;
  Buckets buckets_;
  int rank_;
  int ranks_;
  BlockRows deal_;  // distribution of the keys to slabs
  apps::Pipeline& pipeline_;
  Clocks& clocks_;
  std::vector<Counts> in_bucket_;                     // of each slab
  Counts first_bucket_;                               // of each rank, and the end
  Counts sent_, sent_from_, received_, received_at_;  // [slab][rank]
  std::vector<Key> outgoing_;
  std::vector<Key> incoming_;
  std::vector<std::int64_t> starts_;
};

// Proves both the order across ranks and the equality with the input keys.
bool agrees_with_sequential(const Input& input, int key_count, const Ranked& ranked,
                            const std::vector<Key>& mine) {
  std::vector<Key> all = input.keys(0, key_count);
  std::ranges::sort(all);
  const auto before = static_cast<std::size_t>(ranked.keys_before);
  return before + mine.size() <= all.size() &&
         std::ranges::equal(mine, std::span(all).subspan(before, mine.size()));
}

bool are_all_there(std::size_t mine, int key_count) {
  auto sum = static_cast<std::int64_t>(mine);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return sum == key_count;
}

int solve(const Options& options, bool verify) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Input input{static_cast<int>(options.log2_range), static_cast<std::uint64_t>(options.seed)};
  const int key_count = 1 << options.log2_keys;
  const BlockRows deal(key_count, ranks);
  const std::vector<Key> keys = input.keys(deal.first(rank), deal.count(rank));
  Clocks clocks;
  apps::Pipeline pipeline(static_cast<int>(options.slabs), options.nonblocking, clocks.collective);
  BucketSort sort(keys, Buckets(input.log2_range), rank, ranks, pipeline, clocks);
  Ranked ranked;

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (std::int64_t step = 0; step < options.repeat; ++step) sort(ranked);
  const double total_s = MPI_Wtime() - begin;

  const std::vector<Key> mine = ranked.sorted();
  const bool verified = are_all_there(mine.size(), key_count) && verify &&
                        agrees_with_sequential(input, key_count, ranked, mine);
  std::uint64_t checksum = 0;
  for (std::size_t at = 0; at < mine.size(); ++at)
    checksum += apps::random_bits(0, static_cast<std::uint64_t>(ranked.keys_before) + at,
                                  static_cast<std::uint64_t>(mine[at]));
  char parameters[120];
  std::snprintf(parameters, sizeof parameters, "keys=%d range=%lld seed=%llu steps=%lld slabs=%d", key_count,
                1LL << options.log2_range, static_cast<unsigned long long>(input.seed),
                static_cast<long long>(options.repeat), pipeline.slabs());
  return apps::report("bucket_sort", parameters,
                      {total_s, clocks.collective.total_s(), 0, checksum, verify, verified,
                       clocks.use.total_s(), clocks.use.total_s() + clocks.after.total_s()});
}

}  // namespace

int main(int argc, char** argv) {
  Options chosen;
  const apps::Option options[] = {
      {"log2-keys", "logarithm of the number of keys", &chosen.log2_keys, 0, 28},
      {"log2-range", "logarithm of the number of different keys", &chosen.log2_range, 0, 28},
      {"seed", "seed of the random keys", &chosen.seed, 0, 1e18},
      {"repeat", "times that they are sorted", &chosen.repeat, 1, 1e6},
      {"nonblocking", "compute while slabs of the keys travel", &chosen.nonblocking},
      {"slabs", "of an exchange that is nonblocking", &chosen.slabs, 1, 512},
  };
  return apps::run_program("bucket_sort", options, argc, argv,
                           [&](bool verify) { return solve(chosen, verify); });
}
