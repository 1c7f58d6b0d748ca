// MpiEndpoint and UcxEndpoint between two ranks of a real MPI. Every check names itself and ends the job when
// it fails.

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "transport/mpi/mpi_endpoint.hpp"
#ifdef TUTTI_HAVE_UCX
#include "transport/ucx/ucx_network.hpp"
#endif

namespace {

using tutti::base::Code;
using tutti::transport::Bytes;
using tutti::transport::Completion;
using tutti::transport::Endpoint;
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
std::vector<Completion> collect(Endpoint& endpoint, size_t count, size_t at_a_time = 16) {
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
void test_order(Endpoint& endpoint, int peer) {
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

void test_tags(Endpoint& endpoint, int peer) {
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

void test_refusals(Endpoint& endpoint) {
  check(endpoint.send(Peer::rank(2), 0, {}, 0).code() == Code::invalid_argument,
        "an unknown rank is refused");
  check(endpoint.recv(Peer::rank(-1), 0, {}, 0).code() == Code::invalid_argument,
        "a negative rank is refused");
  check(endpoint.send(Peer::node(0), 0, {}, 0).code() == Code::invalid_argument, "a node is refused");
}

/// A message that is longer than its receive: the error of the receive.
Completion cut_short(Endpoint& endpoint, int me, int peer) {
  std::array<std::byte, 8> data{};
  if (me == 0) {
    check(endpoint.send(Peer::rank(peer), 9, data, 5).is_ok(), "send");
    return collect(endpoint, 1)[0];
  }
  check(endpoint.recv(Peer::rank(peer), 9, Bytes(data).first(4), 5).is_ok(), "recv");
  return collect(endpoint, 1)[0];
}

void test_errors_of_mpi(Endpoint& endpoint, int me, int peer) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // for MPICH: see MpiEndpoint
  const Completion end = cut_short(endpoint, me, peer);
  if (me == 0) return;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(end.native, &error_class);
  check(end.cookie == 5 && end.code == Code::mpi, "an error reaches its transfer");
  check(error_class == MPI_ERR_TRUNCATE, "with the code of MPI");
}

/// A rank that only polls an endpoint without transfers still serves others' messages through the same MPI.
void test_keeps_mpi_alive(Endpoint& endpoint, int me, int peer) {
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

/// The communicator that is served numbers the ranks the other way round.
constexpr std::array k_world_rank_of_rank{1, 0};

void test_mpi(MPI_Comm comm, int world_rank) {
  const int me = 1 - world_rank, peer = world_rank;
  MpiEndpoint endpoint(comm, k_world_rank_of_rank);
  test_order(endpoint, peer);
  test_tags(endpoint, peer);
  test_refusals(endpoint);
  test_errors_of_mpi(endpoint, me, peer);
  test_keeps_mpi_alive(endpoint, world_rank, 1 - world_rank);
}

#ifdef TUTTI_HAVE_UCX

using tutti::transport::Network;
using tutti::transport::Space;

std::unique_ptr<Network> open_ucx(MPI_Comm comm, int world_rank) {
  auto opened = tutti::transport::UcxNetwork::open({.process_count = 2});
  check(opened.is_ok(), "UCX has a worker");
  const auto mine = (*opened)->address();
  unsigned long lengths[2] = {mine.size(), mine.size()};
  MPI_Bcast(&lengths[0], 1, MPI_UNSIGNED_LONG, 0, comm);
  MPI_Bcast(&lengths[1], 1, MPI_UNSIGNED_LONG, 1, comm);
  tutti::transport::Addresses all{.bytes = std::vector<std::byte>(lengths[0] + lengths[1]),
                                  .begins = {0, lengths[0], lengths[0] + lengths[1]}};
  std::memcpy(all.bytes.data() + all.begins[static_cast<size_t>(world_rank)], mine.data(), mine.size());
  for (size_t root : {0u, 1u})
    MPI_Bcast(all.bytes.data() + all.begins[root], static_cast<int>(lengths[root]), MPI_BYTE,
              static_cast<int>(root), comm);
  (*opened)->set_peers(world_rank, std::move(all));
  return std::move(*opened);
}

void test_error_of_ucx(Endpoint& endpoint, int me, int peer) {
  const Completion end = cut_short(endpoint, me, peer);
  if (me == 0) return;
  check(end.cookie == 5 && end.code == Code::internal, "an error reaches its transfer");
}

/// After a flush the sender need not poll any more.
void test_flush(Endpoint& endpoint, MPI_Comm comm, int me, int peer) {
  constexpr size_t k_messages = 200, k_bytes = 4000;
  std::vector<std::byte> data(k_messages * k_bytes);
  const auto message = [&](size_t m) { return Bytes(data).subspan(m * k_bytes, k_bytes); };
  if (me == 0) {
    for (size_t at = 0; at < data.size(); ++at) data[at] = content(3, at);
    for (size_t m = 0; m < k_messages; ++m)
      check(endpoint.send(Peer::rank(peer), 11, message(m), m).is_ok(), "send");
    collect(endpoint, k_messages);
    check(endpoint.flush(4).is_ok(), "a flush starts");
    check(collect(endpoint, 1)[0].cookie == 4, "a flush ends");
  } else {
    for (size_t m = 0; m < k_messages; ++m)
      check(endpoint.recv(Peer::rank(peer), 11, message(m), m).is_ok(), "recv");
    collect(endpoint, k_messages);
    for (size_t at = 0; at < data.size(); ++at) check(data[at] == content(3, at), "all bytes arrive");
  }
  MPI_Barrier(comm);
}

/// Equal tags in two spaces, received in the other order than sent; and what is left of an endpoint that has
/// gone takes nothing from those that come after it.
void test_spaces(Network& network, MPI_Comm comm, int me, int peer) {
  std::array<int, 2> out{10, 20}, in{};
  const auto other = network.make_endpoint(Space::agreements, k_world_rank_of_rank);
  auto endpoint = network.make_endpoint(Space::operations, k_world_rank_of_rank);
  if (me == 1) {
    check(endpoint->recv(Peer::rank(peer), 1, std::as_writable_bytes(std::span(&in[0], 1)), 0).is_ok(),
          "recv");
    endpoint = network.make_endpoint(Space::operations, k_world_rank_of_rank);
    check(endpoint->recv(Peer::rank(peer), 1, std::as_writable_bytes(std::span(&in[1], 1)), 1).is_ok(),
          "recv");
  }
  MPI_Barrier(comm);
  const auto send = [&](Endpoint& way, int value) {
    check(way.send(Peer::rank(peer), 1, std::as_bytes(std::span(&out[static_cast<size_t>(value)], 1)), 2)
              .is_ok(),
          "send");
    collect(way, 1);
  };
  if (me == 0) {
    send(*other, 0);
    send(*endpoint, 1);
    check(endpoint->flush(0).is_ok(), "flush");
    collect(*endpoint, 1);
  } else {
    collect(*endpoint, 1);
    check(in[1] == 20 && in[0] == 0, "the receive of an endpoint that has gone takes nothing");
    check(other->recv(Peer::rank(peer), 1, std::as_writable_bytes(std::span(&in[0], 1)), 1).is_ok(), "recv");
    collect(*other, 1);
    check(in[0] == 10, "a space of its own");
  }
  MPI_Barrier(comm);
}

void test_ucx(MPI_Comm comm, int world_rank) {
  const int me = 1 - world_rank, peer = world_rank;
  const auto network = open_ucx(comm, world_rank);
  {
    const auto endpoint = network->make_endpoint(Space::operations, k_world_rank_of_rank);
    test_order(*endpoint, peer);
    test_tags(*endpoint, peer);
    test_refusals(*endpoint);
    test_flush(*endpoint, comm, me, peer);
    test_error_of_ucx(*endpoint, me, peer);
    test_spaces(*network, comm, me, peer);
  }
  MPI_Barrier(comm);
}

#endif

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
  test_mpi(comm, world_rank);
#ifdef TUTTI_HAVE_UCX
  test_ucx(comm, world_rank);
#endif
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
