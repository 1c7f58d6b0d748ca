#include "mpi/second_network.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "engine/wait_policy.hpp"
#include "mpi/all_agree.hpp"
#include "transport/mpi/mpi_endpoint.hpp"
#include "transport/tcp_interfaces.hpp"
#include "transport/ucx/plugin.hpp"

namespace tutti::mpi {

using base::Result;
using base::Status;
using transport::Network;

namespace {

/// This machine has a network that programs use without the kernel's TCP.
bool has_fast_network() {
  static constexpr std::array k_classes = {"/sys/class/infiniband", "/sys/class/cxi", "/sys/class/hfi1"};
  return std::ranges::any_of(k_classes, [](const char* devices) {
    std::error_code error;
    return !std::filesystem::is_empty(devices, error) && !error;
  });
}

bool is_over_ucx_already() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(library, &length);
  return std::string_view(library).find("ch4:ucx") != std::string_view::npos;
}

/// Where the MPI drives a network of which UCX may know less than it does, UCX is nobody's friend.
bool suits(MPI_Comm world) {
  return is_over_ucx_already() || all_agree(world, !has_fast_network());
}

bool is_wanted(MPI_Comm world, std::span<const int32_t> node_of_world_rank, const base::Settings& settings,
               const Drivers& drivers) {
  const std::string_view wanted = settings.text("TUTTI_TRANSPORT");
  if (wanted == "mpi" || !drivers.is_serving()) return false;
  if (wanted == "ucx") return true;
  const bool has_network =
      std::ranges::adjacent_find(node_of_world_rank, std::not_equal_to{}) != node_of_world_rank.end();
  return has_network && drivers.has_thread() && drivers.is_wanted() && suits(world);
}

/// Nothing that happens while this lives changes what a signal does, and threads that start take none: UCX's
/// libraries want to hear of crashes, and have a thread that waits for connections.
class KeptSignals {
 public:
  KeptSignals() {
    for (size_t i = 0; i < k_signals.size(); ++i) sigaction(k_signals[i], nullptr, &actions_[i]);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask_);
  }
  ~KeptSignals() {
    for (size_t i = 0; i < k_signals.size(); ++i) sigaction(k_signals[i], &actions_[i], nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  KeptSignals(const KeptSignals&) = delete;
  KeptSignals& operator=(const KeptSignals&) = delete;

 private:
  static constexpr std::array k_signals = {SIGILL,  SIGABRT, SIGBUS,  SIGFPE,  SIGSEGV,
                                           SIGTRAP, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
  std::array<struct sigaction, k_signals.size()> actions_{};
  sigset_t mask_{};
};

/// A variable of the environment that the program has not set, for as long as this lives.
class Default {
 public:
  Default(const char* name, const char* value) : name_(std::getenv(name) == nullptr ? name : nullptr) {
    if (name_ != nullptr) setenv(name_, value, 0);
  }
  ~Default() {
    if (name_ != nullptr) unsetenv(name_);
  }
  Default(const Default&) = delete;
  Default& operator=(const Default&) = delete;

 private:
  const char* const name_;
};

/// What Open MPI was told of the interfaces that it may use holds for UCX as well, unless UCX was told
/// itself.
std::string devices() {
  const char* const listed = std::getenv("OMPI_MCA_btl_tcp_if_include");
  if (listed == nullptr || std::getenv("UCX_NET_DEVICES") != nullptr || has_fast_network()) return {};
  return transport::names_of_listed(listed, transport::interfaces_here());
}

/// The library stands beside this one.
std::string library_path() {
  Dl_info mine{};
  if (dladdr(reinterpret_cast<void*>(&open_second_network), &mine) == 0) return transport::k_ucx_library;
  return std::filesystem::path(mine.dli_fname).parent_path() / transport::k_ucx_library;
}

/// It stays loaded: UCX does not expect to be left.
Status open_here(size_t process_count, std::unique_ptr<Network>* network) {
  const KeptSignals kept;
  // Without registered memory there is no reason why UCX should stand in front of mmap() and its like. It
  // reads this when it is loaded.
  std::optional<Default> no_hooks;
  if (!has_fast_network()) no_hooks.emplace("UCX_MEM_MMAP_HOOK_MODE", "none");
  void* const library = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return Status::not_supported(dlerror());
  auto* const open =
      reinterpret_cast<transport::OpenUcxNetwork*>(dlsym(library, transport::k_open_ucx_network));
  if (open == nullptr) return Status::not_supported(dlerror());
  return open({.devices = devices().c_str(), .process_count = process_count}, network);
}

/// Collective.
Result<transport::Addresses> exchange_addresses(MPI_Comm world, size_t count, transport::ConstBytes mine) {
  const auto length = static_cast<int>(mine.size());
  std::vector<int> lengths(count), begins(count);
  if (const int code = PMPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, world);
      code != MPI_SUCCESS)
    return Status{base::Code::mpi, "the ranks cannot tell each other their addresses", code};
  transport::Addresses all{.bytes = {}, .begins = std::vector<size_t>(count + 1)};
  std::inclusive_scan(lengths.begin(), lengths.end(), all.begins.begin() + 1, std::plus{}, size_t{0});
  if (all.begins.back() > INT_MAX) return Status::not_supported("so many ranks have too many addresses");
  std::ranges::copy(all.begins | std::views::take(count), begins.begin());
  all.bytes.resize(all.begins.back());
  if (const int code = PMPI_Allgatherv(mine.data(), length, MPI_BYTE, all.bytes.data(), lengths.data(),
                                       begins.data(), MPI_BYTE, world);
      code != MPI_SUCCESS)
    return Status{base::Code::mpi, "the ranks cannot tell each other their addresses", code};
  return all;
}

/// Every rank exchanges a message with the next one, which is long enough to be sent as long ones are.
class Probe {
 public:
  Probe(Network& network, MPI_Comm world, size_t count) : processes_(count), mpi_(world, processes_) {
    std::iota(processes_.begin(), processes_.end(), 0);
    endpoint_ = network.make_endpoint(transport::Space::probe, processes_);
  }

  Status run(int rank) {
    const auto count = static_cast<int>(processes_.size());
    const auto next = transport::Peer::rank((rank + 1) % count);
    const auto previous = transport::Peer::rank((rank + count - 1) % count);
    for (size_t i = 0; i < out_.size(); ++i) out_[i] = content(rank, i);
    deadline_ns_ = base::monotonic_ns() + k_patience_ns;
    Status status = endpoint_->recv(previous, 0, in_, 0);
    if (status) status = endpoint_->send(next, 0, out_, 1);
    if (status) status = await(2);
    if (status && endpoint_->capabilities().needs_flush) {
      status = endpoint_->flush(2);
      if (status) status = await(1);
    }
    for (size_t i = 0; status && i < in_.size(); ++i)
      if (in_[i] != content(previous.index, i)) return Status::internal("UCX has changed a message");
    return status;
  }

 private:
  static constexpr uint64_t k_patience_ns = 3'000'000'000;
  static constexpr size_t k_bytes = 128 << 10;

  static std::byte content(int rank, size_t at) { return static_cast<std::byte>(rank * 31 + at); }

  Status await(size_t count) {
    engine::Waiter waiter(engine::WaitPolicy::sleep);
    std::array<transport::Completion, 2> done;
    while (count > 0) {
      const size_t ended = endpoint_->poll(done);
      for (const transport::Completion& end : std::span(done).first(ended))
        if (end.code != base::Code::ok) return Status::internal("UCX has lost a message");
      count -= ended;
      mpi_.poll({});  // others may still be where the addresses are exchanged
      if (ended == 0) waiter.idle();
      if (base::monotonic_ns() > deadline_ns_) return Status::not_supported("UCX does not reach all ranks");
    }
    return {};
  }

  std::vector<int> processes_;
  transport::MpiEndpoint mpi_;
  std::vector<std::byte> out_ = std::vector<std::byte>(k_bytes), in_ = std::vector<std::byte>(k_bytes);
  std::unique_ptr<transport::Endpoint> endpoint_;
  uint64_t deadline_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<Network>> open_second_network(MPI_Comm world,
                                                     std::span<const int32_t> node_of_world_rank,
                                                     const base::Settings& settings, const Drivers& drivers) {
  std::unique_ptr<Network> network;
  if (!is_wanted(world, node_of_world_rank, settings, drivers)) return network;
  int rank = 0;
  PMPI_Comm_rank(world, &rank);
  const size_t count = node_of_world_rank.size();
  const auto refuse = [](const Status& mine) {
    return mine ? Status::not_supported("another rank has no UCX network") : mine;
  };
  const Status opened = open_here(count, &network);
  if (!all_agree(world, opened.is_ok())) return refuse(opened);
  auto addresses = exchange_addresses(world, count, network->address());
  if (!addresses) return addresses.status();
  network->set_peers(rank, std::move(*addresses));
  auto probe = std::make_unique<Probe>(*network, world, count);
  const Status reached = probe->run(rank);
  if (!all_agree(world, reached.is_ok())) return refuse(reached);
  return network;
}

}  // namespace tutti::mpi
