// MpiEndpoint on real MPI, with two ranks. Every check names itself and ends the job when it fails.

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <vector>

#include "transport/mpi/mpi_endpoint.hpp"

namespace {

using tutti::base::Code;
using tutti::transport::Bytes;
using tutti::transport::Completion;
using tutti::transport::MpiEndpoint;
using tutti::transport::Peer;

constexpr double k_deadline_s = 60;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "endpoint_test: does not hold: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Polls until `count` transfers have ended, `at_a_time` per call; the completions in the order of their
/// reports.
std::vector<Completion> collect(MpiEndpoint& endpoint, size_t count, size_t at_a_time = 16) {
  std::vector<Completion> ended, done(at_a_time);
  const double start = MPI_Wtime();
  while (ended.size() < count) {
    const size_t now = endpoint.poll(done);
    ended.insert(ended.end(), done.begin(), done.begin() + static_cast<ptrdiff_t>(now));
    check(MPI_Wtime() - start < k_deadline_s, "transfers end");
  }
  return ended;
}

std::byte content(size_t message, size_t at) {
  return static_cast<std::byte>(message * 31 + at);
}

/// Messages of all sizes, eager and rendezvous, to and fro, all in flight at a time, reported in small
/// portions.
void test_order(MpiEndpoint& endpoint, int peer) {
  constexpr size_t k_messages = 120;
  std::vector<std::vector<std::byte>> out(k_messages), in(k_messages);
  for (size_t m = 0; m < k_messages; ++m) {
    out[m].resize(m % 7 == 0 ? 0 : (m % 5 == 0 ? 150'000 : m * 10));
    in[m].resize(out[m].size());
    for (size_t at = 0; at < out[m].size(); ++at) out[m][at] = content(m, at);
    check(endpoint.recv(Peer::rank(peer), 7, in[m], 2 * m).is_ok(), "a receive starts");
    check(endpoint.send(Peer::rank(peer), 7, out[m], 2 * m + 1).is_ok(), "a send starts");
  }
  std::vector<int> seen(2 * k_messages);
  for (const Completion& end : collect(endpoint, 2 * k_messages, 3)) {
    check(end.code == Code::ok, "it ends well");
    ++seen[end.cookie];
  }
  for (const int times : seen) check(times == 1, "every transfer ends once");
  check(in == out, "messages arrive in order with their bytes");
}

void test_tags(MpiEndpoint& endpoint, int peer) {
  std::array<int, 2> out{10, 20}, in{};
  // Received in the other order than sent.
  for (const unsigned tag : {1u, 0u})
    check(endpoint.recv(Peer::local(peer), tag, std::as_writable_bytes(std::span(&in[tag], 1)), tag).is_ok(),
          "recv");
  for (const unsigned tag : {0u, 1u})
    check(endpoint.send(Peer::local(peer), tag, std::as_bytes(std::span(&out[tag], 1)), 2 + tag).is_ok(),
          "send");
  collect(endpoint, 4);
  check(in == out, "tags tell operations apart");
}

void test_refusals(MpiEndpoint& endpoint) {
  check(endpoint.send(Peer::rank(2), 0, {}, 0).code() == Code::invalid_argument,
        "an unknown rank is refused");
  check(endpoint.recv(Peer::rank(-1), 0, {}, 0).code() == Code::invalid_argument,
        "a negative rank is refused");
  check(endpoint.send(Peer::node(0), 0, {}, 0).code() == Code::invalid_argument, "a node is refused");
}

/// Messages that are longer and shorter than what is asked for, among others, eager and rendezvous.
void test_lengths(MpiEndpoint& endpoint, int me, int peer) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // for MPICH: see MpiEndpoint
  for (const size_t unit : {size_t{4}, size_t{200'000}}) {
    const std::array<size_t, 4> sent{unit, 2 * unit, unit, unit}, asked{unit, unit, 2 * unit, unit};
    std::vector<std::byte> data(8 * unit);
    for (size_t m = 0; m < sent.size(); ++m) {
      const Bytes place = Bytes(data).subspan(2 * m * unit);
      const auto started = me == 0 ? endpoint.send(Peer::rank(peer), 9, place.first(sent[m]), m)
                                   : endpoint.recv(Peer::rank(peer), 9, place.first(asked[m]), m);
      check(started.is_ok(), "it starts");
    }
    for (const Completion& end : collect(endpoint, sent.size())) {
      const bool is_wrong = me != 0 && sent[end.cookie] != asked[end.cookie];
      check(end.code == (is_wrong ? Code::invalid_argument : Code::ok), "the wrong ones are reported");
    }
  }
}

/// A rank that only polls an endpoint without transfers still serves others' messages through the same MPI.
void test_keeps_mpi_alive(MpiEndpoint& endpoint, int me, int peer) {
  constexpr int k_bytes = 8 << 20;
  std::atomic<int>* arrived = nullptr;
  MPI_Win window;
  MPI_Win_allocate_shared(me == 0 ? sizeof *arrived : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &arrived, &window);
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &arrived);
  if (me == 0) *arrived = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<char> message(k_bytes, static_cast<char>(me));
  if (me == 0) {
    MPI_Request request;
    MPI_Irecv(message.data(), k_bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &request);
    std::array<Completion, 4> done;
    const double start = MPI_Wtime();
    while (*arrived == 0) {
      check(endpoint.poll(done) == 0, "nothing ends where nothing was started");
      check(MPI_Wtime() - start < k_deadline_s, "polling makes progress for others");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(message[k_bytes - 1] == 1, "the message is there");
  } else {
    MPI_Send(message.data(), k_bytes, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
    *arrived = 1;
  }
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int world_rank = 0, size = 0;
  MPI_Comm_rank(comm, &world_rank);
  MPI_Comm_size(comm, &size);
  check(size == 2, "two ranks");
  // The communicator that is served numbers the ranks the other way round.
  const std::array<int, 2> world_rank_of_rank{1, 0};
  const int me = 1 - world_rank, peer = world_rank;
  {
    MpiEndpoint endpoint(comm, world_rank_of_rank);
    test_order(endpoint, peer);
    test_tags(endpoint, peer);
    test_refusals(endpoint);
    test_lengths(endpoint, me, peer);
    test_keeps_mpi_alive(endpoint, world_rank, 1 - world_rank);
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
