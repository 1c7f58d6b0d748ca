#include "tests/inprocess/reference.hpp"

#include <algorithm>
#include <random>

namespace tutti::test {

using algorithm::Blocks;
using algorithm::Collective;
using algorithm::Request;
using schedule::Rank;

namespace {

using Memory = std::vector<RankMemory>;

uint64_t end_of(const Blocks& blocks, Rank rank_count) {
  uint64_t end = 0;
  for (Rank r = 0; r < rank_count; ++r) end = std::max(end, blocks.offset(r) + blocks.size(r));
  return end;
}

uint64_t input_bytes(const Request& request, Rank me) {
  switch (request.collective) {
    case Collective::barrier:
    case Collective::bcast:
      return 0;
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return request.in_place ? 0 : request.bytes;
    case Collective::gather:
    case Collective::gatherv:
    case Collective::allgather:
    case Collective::allgatherv:
      return request.in_place ? 0 : request.own_bytes;
    case Collective::scatter:
    case Collective::scatterv:
      return me == request.root ? end_of(request.blocks, request.rank_count) : 0;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      return end_of(request.blocks, request.rank_count);
  }
  return 0;
}

uint64_t output_bytes(const Request& request, Rank me) {
  const bool is_root = me == request.root;
  switch (request.collective) {
    case Collective::barrier:
      return 0;
    case Collective::bcast:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return request.bytes;
    case Collective::reduce:
      return is_root ? request.bytes : 0;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return request.blocks.size(me);
    case Collective::gather:
    case Collective::gatherv:
      return is_root ? end_of(request.blocks, request.rank_count) : 0;
    case Collective::allgather:
    case Collective::allgatherv:
      return end_of(request.blocks, request.rank_count);
    case Collective::scatter:
    case Collective::scatterv:
      return is_root && request.in_place ? 0 : request.own_bytes;
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
      return end_of(request.receive_blocks, request.rank_count);
  }
  return 0;
}

class Reference {
 public:
  Reference(std::span<const Request> requests, const engine::Reducer* reducer, Memory& memory)
      : requests_(requests),
        reducer_(reducer),
        memory_(memory),
        rank_count_(static_cast<Rank>(requests.size())) {}

  void compute(Rank me) {
    const Request& mine = request(me);
    const bool is_root = me == mine.root;
    switch (mine.collective) {
      case Collective::barrier:
        return;
      case Collective::bcast:
        return put(me, 0, memory_[index(mine.root)].output.data(), mine.bytes);
      case Collective::reduce:
        if (is_root) put_reduced(me, rank_count_, 0, mine.bytes);
        return;
      case Collective::allreduce:
        return put_reduced(me, rank_count_, 0, mine.bytes);
      case Collective::scan:
        return put_reduced(me, me + 1, 0, mine.bytes);
      case Collective::exscan:
        return put_reduced(me, me, 0, mine.bytes);
      case Collective::reduce_scatter:
      case Collective::reduce_scatter_block:
        return put_reduced(me, rank_count_, mine.blocks.offset(me), mine.blocks.size(me));
      case Collective::gather:
      case Collective::gatherv:
        if (is_root) put_gathered(me);
        return;
      case Collective::allgather:
      case Collective::allgatherv:
        return put_gathered(me);
      case Collective::scatter:
      case Collective::scatterv:
        if (is_root && mine.in_place) return;
        return put(me, 0, memory_[index(mine.root)].input.data() + request(mine.root).blocks.offset(me),
                   mine.own_bytes);
      case Collective::alltoall:
      case Collective::alltoallv:
      case Collective::alltoallw:
        for (Rank r = 0; r < rank_count_; ++r)
          put(me, mine.receive_blocks.offset(r),
              memory_[index(r)].input.data() + request(r).blocks.offset(me), mine.receive_blocks.size(r));
        return;
    }
  }

 private:
  static size_t index(Rank r) { return static_cast<size_t>(r); }
  const Request& request(Rank r) const { return requests_[index(r)]; }

  void put(Rank me, uint64_t at, const std::byte* data, uint64_t bytes) {
    std::copy_n(data, bytes, memory_[index(me)].expected.begin() + static_cast<ptrdiff_t>(at));
  }

  /// The contribution of rank r to a reduction.
  const std::byte* operand(Rank r) const {
    return request(r).in_place ? memory_[index(r)].output.data() : memory_[index(r)].input.data();
  }

  /// operand(0) op … op operand(count - 1), of the part [from, from + bytes) of the operands.
  void put_reduced(Rank me, Rank count, uint64_t from, uint64_t bytes) {
    if (count == 0 || bytes == 0) return;
    std::vector<std::byte> result(operand(count - 1) + from, operand(count - 1) + from + bytes);
    for (Rank r = count - 2; r >= 0; --r) reducer_->apply(operand(r) + from, result.data(), bytes);
    put(me, 0, result.data(), bytes);
  }

  void put_gathered(Rank me) {
    const Blocks& blocks = request(me).blocks;
    for (Rank r = 0; r < rank_count_; ++r) {
      const bool is_in_place = request(r).in_place;
      const std::byte* const own = is_in_place ? memory_[index(r)].output.data() + request(r).blocks.offset(r)
                                               : memory_[index(r)].input.data();
      put(me, blocks.offset(r), own, blocks.size(r));
    }
  }

  std::span<const Request> requests_;
  const engine::Reducer* reducer_;
  Memory& memory_;
  Rank rank_count_;
};

std::vector<std::byte> random_bytes(uint64_t count, std::mt19937_64& random) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() | 1);  // odd: see Affine
  return bytes;
}

}  // namespace

std::vector<RankMemory> make_memory(std::span<const Request> every_rank, const engine::Reducer* reducer,
                                    uint64_t seed) {
  std::mt19937_64 random(seed);
  Memory memory(every_rank.size());
  for (Rank me = 0; me < static_cast<Rank>(every_rank.size()); ++me) {
    const Request& request = every_rank[static_cast<size_t>(me)];
    RankMemory& mine = memory[static_cast<size_t>(me)];
    mine.input = random_bytes(input_bytes(request, me), random);
    mine.output = random_bytes(output_bytes(request, me) + k_guard_bytes, random);
    mine.expected = mine.output;
  }
  Reference reference(every_rank, reducer, memory);
  for (Rank me = 0; me < static_cast<Rank>(every_rank.size()); ++me) reference.compute(me);
  return memory;
}

}  // namespace tutti::test
