// NetworkProbe on a network that is deaf, where nothing that starts ends by itself, as where a firewall swallows
// everything; and on one that works while a rank is late. Two ranks. Every check names itself and ends the job when it
// fails.

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "mpi/network/network_probe.hpp"
#include "transport/mpi/mpi_endpoint.hpp"

namespace {

using namespace tutti;
using transport::Bytes;
using transport::Completion;
using transport::ConstBytes;
using transport::Peer;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "probe_test: does not hold: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Messages in flight, as seen by the network.
struct Wires {
  bool can_cancel = false;
  std::vector<Bytes> receives;
  std::vector<ConstBytes> sends;
  std::vector<uint64_t> cancelled;  // and not reported yet
};

class DeafEndpoint final : public transport::Endpoint {
 public:
  explicit DeafEndpoint(Wires& wires) : wires_(wires) {}
  base::Status send(Peer, transport::Tag, ConstBytes data, uint64_t) override {
    wires_.sends.push_back(data);
    return {};
  }
  base::Status recv(Peer, transport::Tag, Bytes data, uint64_t) override {
    wires_.receives.push_back(data);
    return {};
  }
  void cancel(uint64_t cookie) override {
    if (wires_.can_cancel) wires_.cancelled.push_back(cookie);
  }
  size_t poll(std::span<Completion> done) override {
    if (done.empty() || wires_.cancelled.empty()) return 0;
    done[0] = transport::cancelled(wires_.cancelled.back());
    wires_.cancelled.pop_back();
    wires_.receives.clear();
    return 1;
  }
  transport::Capabilities capabilities() const override { return {}; }

 private:
  Wires& wires_;
};

class DeafNetwork final : public transport::Network {
 public:
  explicit DeafNetwork(Wires& wires) : wires_(wires) {}
  ConstBytes address() const override { return {}; }
  void set_peers(int, transport::Addresses) override {}
  std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space, std::span<const int>) override {
    return std::make_unique<DeafEndpoint>(wires_);
  }
  bool make_progress() override { return false; }

 private:
  Wires& wires_;
};

template <class Span>
bool overlaps(const std::vector<std::byte>& memory, const Span& span) {
  return memory.data() < span.data() + span.size() && span.data() < memory.data() + memory.size();
}

/// The memory of what the network still has is given to nothing else.
void test_memory(bool can_cancel) {
  Wires wires{.can_cancel = can_cancel};
  DeafNetwork network(wires);
  {
    mpi::NetworkProbe probe(network, MPI_COMM_WORLD, 2);
    const base::Status status = probe.run();
    check(!status && status.message().find("reach all ranks") != std::string::npos,
          "a deaf network is refused, with the reason");
  }
  check(wires.receives.empty() == can_cancel, "a receive that can be cancelled has ended");
  check(wires.sends.size() == 2, "sends, a long one and a short one to the other rank, cannot be cancelled");
  std::vector<std::vector<std::byte>> others;
  for (int i = 0; i < 200; ++i) {
    const auto& other = others.emplace_back(size_t{128} << 10, std::byte{1});
    for (const Bytes receive : wires.receives)
      check(!overlaps(other, receive), "the network's memory is not used for anything else");
    for (const ConstBytes send : wires.sends)
      check(!overlaps(other, send), "the network's memory is not used for anything else");
  }
  for (const Bytes receive : wires.receives) std::fill(receive.begin(), receive.end(), std::byte{2});
}

class MpiNetwork final : public transport::Network {
 public:
  MpiNetwork() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~MpiNetwork() override { MPI_Comm_free(&comm_); }
  ConstBytes address() const override { return {}; }
  void set_peers(int, transport::Addresses) override {}
  std::unique_ptr<transport::Endpoint> make_endpoint(transport::Space,
                                                     std::span<const int> processes) override {
    return std::make_unique<transport::MpiEndpoint>(comm_, processes);
  }
  bool make_progress() override { return false; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// A rank that the machine keeps from running for longer than all rounds take is waited for.
void test_late_rank() {
  MpiNetwork network;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) sleep(5);
  check(mpi::NetworkProbe(network, MPI_COMM_WORLD, 2).run().is_ok(),
        "a late rank does not make the network a bad one");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  test_late_rank();
  test_memory(true);
  test_memory(false);
  MPI_Finalize();
  return 0;
}
