#include "tests/mpi/actors/traffic.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "calls.hpp"

namespace tutti::test {

using actors::Rank;
namespace calls = actors::calls;

std::atomic<int> failures{0};

namespace {

constexpr int k_rounds = 12;
constexpr int k_lengths[] = {0, 1, 100, 3000, 40000};  // in ints: short, and beyond what is copied early

/// One rank's test.
class Traffic {
 public:
  explicit Traffic(Rank& me) : me_(me) {
    calls::Comm_rank(me_, MPI_COMM_WORLD, &rank_);
    calls::Comm_size(me_, MPI_COMM_WORLD, &size_);
    calls::Comm_dup(me_, MPI_COMM_WORLD, &apart_);
  }

  void run() {
    for (round_ = 0; round_ < k_rounds; ++round_) {
      everybody_to_everybody();
      wildcards();
      matched_probes();
      persistent_and_buffered();
      collectives_at_once();
      late_ranks();
      derived_types_and_operators();
      communicators();
      cancelled();
    }
    calls::Comm_free(me_, &apart_);
  }

 private:
  void check(bool holds, const char* what) {
    if (holds) return;
    failures.fetch_add(1);
    std::fprintf(stderr, "rank %d, round %d: %s\n", rank_, round_, what);
  }

  int length(int from, int to) const {
    return k_lengths[static_cast<size_t>(from * 3 + to + round_) % std::size(k_lengths)];
  }
  int value(int from, int to, int i) const { return from * 1000000 + to * 10000 + round_ * 100 + i % 97; }

  void everybody_to_everybody() {
    std::vector<std::vector<int>> sent(static_cast<size_t>(size_)), received(sent.size());
    std::vector<MPI_Request> requests;
    for (int r = 0; r < size_; ++r) {
      received[static_cast<size_t>(r)].assign(static_cast<size_t>(length(r, rank_)) + 1, -1);
      requests.emplace_back();
      calls::Irecv(me_, received[static_cast<size_t>(r)].data(), length(r, rank_), MPI_INT, r, 7,
                   MPI_COMM_WORLD, &requests.back());
    }
    for (int r = 0; r < size_; ++r) {
      auto& mine = sent[static_cast<size_t>(r)];
      mine.resize(static_cast<size_t>(length(rank_, r)) + 1);
      for (size_t i = 0; i < mine.size(); ++i) mine[i] = value(rank_, r, static_cast<int>(i));
      requests.emplace_back();
      const auto send = r % 2 == 0 ? calls::Isend : calls::Issend;
      send(me_, mine.data(), length(rank_, r), MPI_INT, r, 7, MPI_COMM_WORLD, &requests.back());
    }
    complete(requests);
    for (int r = 0; r < size_; ++r) {
      const auto& from = received[static_cast<size_t>(r)];
      bool is_right = from.back() == -1;
      for (size_t i = 0; i + 1 < from.size(); ++i)
        is_right = is_right && from[i] == value(r, rank_, static_cast<int>(i));
      check(is_right, "a message");
    }
  }

  /// Completes requests by a different call in each round.
  void complete(std::vector<MPI_Request>& requests) {
    const int count = static_cast<int>(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    std::vector<int> indices(requests.size());
    int done = 0;
    switch ((round_ + rank_) % 4) {
      case 0:
        calls::Waitall(me_, count, requests.data(), statuses.data());
        break;
      case 1:
        for (int left = count; left > 0; --left)
          calls::Waitany(me_, count, requests.data(), &done, statuses.data());
        break;
      case 2:
        for (int left = count; left > 0; left -= done)
          calls::Waitsome(me_, count, requests.data(), &done, indices.data(), statuses.data());
        break;
      default:
        while (done == 0) calls::Testall(me_, count, requests.data(), &done, statuses.data());
    }
    check(std::ranges::all_of(requests, [](MPI_Request one) { return one == MPI_REQUEST_NULL; }),
          "all requests end");
  }

  void wildcards() {
    if (rank_ != 0) {
      calls::Send(me_, &rank_, 1, MPI_INT, 0, rank_, apart_);
      return;
    }
    int sum = 0;
    for (int r = 1; r < size_; ++r) {
      MPI_Status status;
      int from = -1, count = 0;
      calls::Recv(me_, &from, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, apart_, &status);
      PMPI_Get_count(&status, MPI_INT, &count);
      check(status.MPI_SOURCE == from && status.MPI_TAG == from && count == 1, "a status");
      sum += from;
    }
    check(sum == size_ * (size_ - 1) / 2, "messages of all");
  }

  void matched_probes() {
    const int to = (rank_ + 1) % size_, from = (rank_ + size_ - 1) % size_;
    std::vector<int> mine(static_cast<size_t>(length(rank_, to)), rank_),
        theirs(static_cast<size_t>(length(from, rank_)) + 1);
    MPI_Request request{};
    calls::Isend(me_, mine.data(), static_cast<int>(mine.size()), MPI_INT, to, 9, MPI_COMM_WORLD, &request);
    MPI_Message message{};
    MPI_Status status;
    calls::Mprobe(me_, from, 9, MPI_COMM_WORLD, &message, &status);
    int count = -1;
    PMPI_Get_count(&status, MPI_INT, &count);
    check(count == length(from, rank_), "a probed length");
    calls::Mrecv(me_, theirs.data(), count, MPI_INT, &message, &status);
    check(std::all_of(theirs.begin(), theirs.begin() + count, [from](int one) { return one == from; }),
          "a matched message");
    calls::Wait(me_, &request, MPI_STATUS_IGNORE);
  }

  void persistent_and_buffered() {
    const int to = (rank_ + 2) % size_, from = (rank_ + 2 * size_ - 2) % size_;
    int out = 0, in = 0;
    MPI_Request requests[2];
    calls::Send_init(me_, &out, 1, MPI_INT, to, 4, MPI_COMM_WORLD, &requests[0]);
    calls::Recv_init(me_, &in, 1, MPI_INT, from, 4, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; ++i) {
      out = rank_ * 10 + i;
      calls::Startall(me_, 2, requests);
      calls::Waitall(me_, 2, requests, MPI_STATUSES_IGNORE);
      check(in == from * 10 + i, "a persistent message");
    }
    for (MPI_Request& request : requests) calls::Request_free(me_, &request);
    std::vector<char> buffer(1000 + MPI_BSEND_OVERHEAD);
    calls::Buffer_attach(me_, buffer.data(), static_cast<int>(buffer.size()));
    calls::Bsend(me_, &rank_, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
    calls::Recv(me_, &in, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(in == from, "a buffered message");
    void* address = nullptr;
    int bytes = 0;
    calls::Buffer_detach(me_, static_cast<void*>(&address), &bytes);
    check(address == buffer.data(), "the buffer comes back");
  }

  void collectives_at_once() {
    const int count = std::max(1, length(1, 2));
    std::vector<int> data(static_cast<size_t>(count), rank_ + 1), sum(data.size()),
        blocks(static_cast<size_t>(size_)), mine(blocks.size());
    std::vector<int> from_root(data.size(), rank_ == round_ % size_ ? 77 : 0);
    for (int r = 0; r < size_; ++r) mine[static_cast<size_t>(r)] = rank_ * 100 + r;
    MPI_Request requests[4];
    calls::Iallreduce(me_, data.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    calls::Ibcast(me_, from_root.data(), count, MPI_INT, round_ % size_, MPI_COMM_WORLD, &requests[1]);
    calls::Ialltoall(me_, mine.data(), 1, MPI_INT, blocks.data(), 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
    calls::Ibarrier(me_, MPI_COMM_WORLD, &requests[3]);
    std::vector<MPI_Request> all(requests, requests + 4);
    complete(all);
    check(sum.back() == size_ * (size_ + 1) / 2 && sum.front() == sum.back(), "a sum");
    check(from_root.back() == 77, "a broadcast");
    for (int r = 0; r < size_; ++r) check(blocks[static_cast<size_t>(r)] == r * 100 + rank_, "a block");
    int prefix = 0;
    calls::Scan(me_, &rank_, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(prefix == rank_ * (rank_ + 1) / 2, "a prefix");
  }

  /// No rank waits for a rank that enters a broadcast after all others have left it and have changed their data.
  void late_ranks() {
    const int root = round_ % size_, late = (root + 1 + round_ % (size_ - 1)) % size_;
    for (const int count : {3000, 40000}) {
      std::vector<int> data(static_cast<size_t>(count), rank_ == root ? round_ + count : 0);
      int ignored = 0;
      if (rank_ == late)
        for (int r = 0; r < size_ - 1; ++r)
          calls::Recv(me_, &ignored, 1, MPI_INT, MPI_ANY_SOURCE, 31, apart_, MPI_STATUS_IGNORE);
      calls::Bcast(me_, data.data(), count, MPI_INT, root, MPI_COMM_WORLD);
      check(data.front() == round_ + count && data.back() == round_ + count, "a broadcast with a late rank");
      data.assign(data.size(), -1);
      if (rank_ != late) calls::Send(me_, &rank_, 1, MPI_INT, late, 31, apart_);
    }
  }

  static void add_pairs(void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i)
      for (const int k : {0, 2}) static_cast<int*>(inout)[3 * i + k] += static_cast<int*>(in)[3 * i + k];
  }

  /// The middle one of three numbers is not part of the type.
  void derived_types_and_operators() {
    MPI_Datatype outer{}, pair{};
    PMPI_Type_vector(2, 1, 2, MPI_INT, &outer);
    PMPI_Type_create_resized(outer, 0, 3 * sizeof(int), &pair);
    PMPI_Type_commit(&pair);
    MPI_Op op{};
    calls::Op_create(me_, add_pairs, 1, &op);
    int in[6] = {rank_, -1, 1, 2 * rank_, -1, 2}, out[6] = {0, -5, 0, 0, -5, 0};
    calls::Allreduce(me_, in, out, 2, pair, op, MPI_COMM_WORLD);
    const int sum = size_ * (size_ - 1) / 2;
    check(out[0] == sum && out[2] == size_ && out[3] == 2 * sum && out[5] == 2 * size_, "a sum of pairs");
    check(out[1] == -5 && out[4] == -5, "what belongs to nobody stays");
    const int to = rank_ ^ 1;
    if (to < size_)
      calls::Sendrecv_replace(me_, in, 2, pair, to, 1, to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(to >= size_ || (in[0] == to && in[1] == -1 && in[3] == 2 * to), "pairs in place");
    calls::Op_free(me_, &op);
    PMPI_Type_free(&outer);
    PMPI_Type_free(&pair);
  }

  void communicators() {
    MPI_Comm half{}, copy{}, late{}, later{};
    MPI_Request requests[2];
    calls::Comm_split(me_, MPI_COMM_WORLD, rank_ % 2, -rank_, &half);
    calls::Comm_idup(me_, MPI_COMM_WORLD, &late, &requests[0]);
    calls::Comm_idup(me_, MPI_COMM_WORLD, &later, &requests[1]);
    calls::Comm_dup(me_, half, &copy);
    calls::Waitall(me_, 2, requests, MPI_STATUSES_IGNORE);
    int size = 0, sum = 0;
    calls::Comm_size(me_, copy, &size);
    calls::Allreduce(me_, &rank_, &sum, 1, MPI_INT, MPI_SUM, copy);
    int expected = 0;
    for (int r = rank_ % 2; r < size_; r += 2) expected += r;
    check(sum == expected && size == (size_ + 1 - rank_ % 2) / 2, "a sum of a half");
    calls::Barrier(me_, later);
    calls::Barrier(me_, late);
    for (MPI_Comm* const comm : {&half, &copy, &late, &later}) calls::Comm_free(me_, comm);
  }

  void cancelled() {
    int never = 0, is_cancelled = 0;
    MPI_Request request{};
    MPI_Status status;
    calls::Irecv(me_, &never, 1, MPI_INT, MPI_ANY_SOURCE, 31000, MPI_COMM_WORLD, &request);
    calls::Cancel(me_, &request);
    calls::Wait(me_, &request, &status);
    PMPI_Test_cancelled(&status, &is_cancelled);
    check(is_cancelled != 0, "a receive without a message is cancelled");
  }

  Rank& me_;
  int rank_ = -1, size_ = 0, round_ = 0;
  MPI_Comm apart_{};  // for receives that take what comes
};

}  // namespace

void run_traffic(Rank& me) {
  calls::Init(me, nullptr, nullptr);
  Traffic(me).run();
  calls::Finalize(me);
}

}  // namespace tutti::test
