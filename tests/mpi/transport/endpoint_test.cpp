// MpiEndpoint on real MPI, with two ranks. Every check names itself and ends the job when it fails.

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/support/memory_shortage.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace {

using tutti::base::Code;
using tutti::transport::Bytes;
using tutti::transport::Completion;
using tutti::transport::MpiEndpoint;
using tutti::transport::Peer;

constexpr double k_deadline_s = 60;

/// While it is set, testing fails as a whole, as where the MPI's progress is broken.
bool is_testing_broken = false;

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

/// A want of memory ends nothing: the other ranks have it, and wait.
void test_memory_shortage(MPI_Comm comm, std::span<const int> world_rank_of_rank, int peer) {
  MpiEndpoint fresh(comm, world_rank_of_rank);
  std::array<std::byte, 8> in{};
  const std::array<std::byte, 8> out{std::byte{4}};
  const auto start = [&] {
    return std::array{fresh.recv(Peer::rank(peer), 8, in, 1), fresh.send(Peer::rank(peer), 8, out, 2)};
  };
  {
    const tutti::test::MemoryShortage shortage;
    for (const auto& status : start())
      check(tutti::transport::is_try_again(status), "a want of memory is back-pressure");
  }
  for (const auto& status : start()) check(status.is_ok(), "with memory it starts");
  collect(fresh, 2);
  check(in == out, "the message is there");
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

bool is_cancelled(const Completion& end) {
  return end.code == Code::system && end.native == ECANCELED;
}

void test_cancel(MpiEndpoint& endpoint, int peer) {
  const std::vector<std::byte> out(100, std::byte{3}), blank(100);
  std::vector<std::byte> cancelled(100), in(100);
  check(endpoint.recv(Peer::rank(peer), 30, cancelled, 1).is_ok(), "recv");
  check(endpoint.recv(Peer::rank(peer), 31, in, 2).is_ok(), "recv");
  for (const uint64_t cookie : {99, 1, 1}) endpoint.cancel(cookie);
  const Completion end = collect(endpoint, 1)[0];
  check(end.cookie == 1 && is_cancelled(end), "a cancelled receive ends, and not well");
  MPI_Barrier(MPI_COMM_WORLD);
  for (const unsigned tag : {30u, 31u}) check(endpoint.send(Peer::rank(peer), tag, out, tag).is_ok(), "send");
  endpoint.cancel(30);
  for (const Completion& other : collect(endpoint, 3)) check(other.code == Code::ok, "the others end well");
  check(in == out && cancelled == blank, "a late message is written nowhere");
  check(endpoint.recv(Peer::rank(peer), 30, in, 4).is_ok() && collect(endpoint, 1)[0].code == Code::ok,
        "the late message is still there");
}

/// At any time: a long message arrives completely, or its receive is cancelled and another one gets it.
void test_cancel_under_way(MpiEndpoint& endpoint, int me, int peer) {
  const std::vector<std::byte> out(1 << 20, std::byte{5});
  for (int when = 0; when < 60; ++when) {
    std::vector<std::byte> in(out.size());
    if (me == 0) {
      check(endpoint.send(Peer::rank(peer), 32, out, 1).is_ok(), "send");
      endpoint.cancel(1);
      check(collect(endpoint, 1)[0].code == Code::ok, "a send ends as if nothing had been said");
    } else {
      check(endpoint.recv(Peer::rank(peer), 32, in, 2).is_ok(), "recv");
      std::vector<Completion> end(1);
      size_t ended = 0;
      for (int polls = 0; polls < when && ended == 0; ++polls) ended = endpoint.poll(end);
      endpoint.cancel(2);
      if (ended == 0) end = collect(endpoint, 1);
      if (end[0].code != Code::ok) {
        check(is_cancelled(end[0]), "it was cancelled");
        check(endpoint.recv(Peer::rank(peer), 32, in, 3).is_ok(), "recv");
        check(collect(endpoint, 1)[0].code == Code::ok, "the message is still there");
      }
      check(in == out, "a message arrives as a whole");
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Operations that the MPI has not ended are not reported, and receives are withdrawn before that.
void test_broken_testing(MpiEndpoint& endpoint, int peer) {
  const std::vector<std::byte> out(100, std::byte{7});
  std::vector<std::byte> never(100), in(100);
  check(endpoint.recv(Peer::rank(peer), 33, never, 1).is_ok(), "recv");
  check(endpoint.recv(Peer::rank(peer), 34, in, 2).is_ok(), "recv");
  check(endpoint.send(Peer::rank(peer), 34, out, 3).is_ok(), "send");
  is_testing_broken = true;
  bool is_in_cancelled = false;
  for (const Completion& end : collect(endpoint, 3)) {
    const bool is_failed = end.code == Code::mpi && end.native == MPI_ERR_INTERN;
    if (end.cookie == 1) check(is_failed, "a receive that cannot end has the MPI's error");
    if (end.cookie == 2) {
      is_in_cancelled = is_failed;
      check(is_failed || in == out, "what has ended has its bytes");
    }
    if (end.cookie == 3) check(end.code == Code::ok, "a send ends when the MPI ends it");
  }
  is_testing_broken = false;
  MPI_Barrier(MPI_COMM_WORLD);
  check(endpoint.send(Peer::rank(peer), 33, out, 4).is_ok(), "send");
  check(endpoint.recv(Peer::rank(peer), 33, in, 5).is_ok(), "recv");
  if (is_in_cancelled) check(endpoint.recv(Peer::rank(peer), 34, in, 6).is_ok(), "recv");
  for (const Completion& end : collect(endpoint, is_in_cancelled ? 3 : 2))
    check(end.code == Code::ok, "all goes on");
  check(never == std::vector<std::byte>(100), "nothing is written to memory that was given back");
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

extern "C" int PMPI_Testsome(int count, MPI_Request* requests, int* ended, int* indices,
                             MPI_Status* statuses) {
  if (is_testing_broken) return MPI_ERR_INTERN;
  static const auto real = reinterpret_cast<decltype(&PMPI_Testsome)>(dlsym(RTLD_NEXT, "PMPI_Testsome"));
  return real(count, requests, ended, indices, statuses);
}

extern "C" int PMPI_Test(MPI_Request* request, int* is_done, MPI_Status* status) {
  static const auto real = reinterpret_cast<decltype(&PMPI_Test)>(dlsym(RTLD_NEXT, "PMPI_Test"));
  const int code = real(request, is_done, status);
  return is_testing_broken && code == MPI_SUCCESS && *is_done == 0 ? MPI_ERR_INTERN : code;
}

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
    test_memory_shortage(comm, world_rank_of_rank, peer);
    test_refusals(endpoint);
    test_lengths(endpoint, me, peer);
    test_cancel(endpoint, peer);
    test_cancel_under_way(endpoint, me, peer);
    test_broken_testing(endpoint, peer);
    test_keeps_mpi_alive(endpoint, world_rank, 1 - world_rank);
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
