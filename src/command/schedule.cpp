// tutti schedule bcast --algorithm ring --ranks 8: prints, verifies or draws the schedule of an algorithm.

#include "algorithm/specification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "algorithm/block_forwarding.hpp"
#include "algorithm/catalogue.hpp"
#include "algorithm/uniform_request.hpp"
#include "base/text.hpp"
#include "command/command.hpp"
#include "command/validators.hpp"
#include "interconnect/network_topology.hpp"
#include "schedule/print.hpp"
#include "simulate/traffic.hpp"

namespace tutti::command {

namespace {

using algorithm::Collective;
using algorithm::Request;
using schedule::Rank;
using topology::Topology;

constexpr uint64_t k_most_nodes = uint64_t{1} << 20;           // as in tutti simulate
constexpr uint64_t k_most_verified_parts = uint64_t{1} << 25;  // needs gigabytes and minutes

struct ScheduleOptions {
  std::string collective, algorithm, nodes, bytes = "64", format = "text", traffic;
  int ranks = 8, ranks_per_node = 1, root = 0, only_rank = -1;
  bool verify = false, in_place = false, non_commutative = false;
};

/// The nodes, and their endpoints on the network.
struct Placement {
  Topology topology;
  std::vector<uint32_t> of_node;
};

base::Result<Placement> places_of(const ScheduleOptions& options) {
  if (options.nodes.empty()) {
    Placement places{Topology::blocked(options.ranks, options.ranks_per_node), {}};
    places.of_node.resize(static_cast<size_t>(places.topology.node_count()));
    std::iota(places.of_node.begin(), places.of_node.end(), 0u);
    return places;
  }
  std::vector<int32_t> node_of_rank;
  for (const std::string& word : CLI::detail::split(options.nodes, ',')) {
    const auto node = base::parse_count(word);
    if (!node || *node >= k_most_nodes)
      return base::Status::invalid_argument(
          fmt::format("--nodes: '{}' is no node number (0 to {})", word, k_most_nodes - 1));
    node_of_rank.push_back(static_cast<int32_t>(*node));
  }
  if (static_cast<int>(node_of_rank.size()) != options.ranks)
    return base::Status::invalid_argument(
        fmt::format("--nodes names {} ranks, but there are {}", node_of_rank.size(), options.ranks));
  auto topology = Topology::from_node_of_rank(node_of_rank);
  if (!topology) return topology.status();
  Placement places{std::move(*topology), {}};
  places.of_node.resize(static_cast<size_t>(places.topology.node_count()));
  for (Rank rank = 0; rank < options.ranks; ++rank)
    places.of_node[static_cast<size_t>(places.topology.node_of(rank))] =
        static_cast<uint32_t>(node_of_rank[static_cast<size_t>(rank)]);
  return places;
}

/// Tasks of all ranks, times the blocks that they hold: proportional to the time and memory of the verification. Ranks
/// are similar, except the root and the ends.
uint64_t verified_parts(const algorithm::Choice& choice, const std::vector<Request>& requests,
                        const Topology& topology) {
  const Request& request = requests.front();
  const auto last = static_cast<Rank>(requests.size() - 1);
  uint64_t tasks = 0;
  for (const Rank rank : {Rank{0}, static_cast<Rank>(request.root), last}) {
    const auto built = algorithm::build_whole(choice, requests[static_cast<size_t>(rank)], rank, topology);
    if (built) tasks = std::max<uint64_t>(tasks, built->size());
  }
  using enum Collective;
  const Collective whole[] = {barrier, bcast, reduce, allreduce, scan, exscan};
  const bool has_blocks =
      std::find(std::begin(whole), std::end(whole), request.collective) == std::end(whole);
  return requests.size() * (tasks + (has_blocks ? requests.size() : 1));
}

int verify(const algorithm::Choice& choice, const std::vector<Request>& requests, const Topology& topology) {
  if (const uint64_t parts = verified_parts(choice, requests, topology); parts > k_most_verified_parts)
    return fail(
        fmt::format("--verify would follow about {} tasks and blocks, and {} are the limit (fewer --ranks)",
                    parts, k_most_verified_parts));
  const schedule::VerifyReport report =
      algorithm::verify(*choice.algorithm, requests, topology, choice.parameters);
  if (!report.is_ok())
    return fail(fmt::format("{}: {}", schedule::to_string(report.failure), report.message), k_failed);
  fmt::print("verified: {} tasks, {} messages, {} rounds, busiest rank sends {} bytes\n", report.counts.tasks,
             report.counts.messages, report.counts.rounds, report.counts.busiest_bytes);
  return k_done;
}

int print(const ScheduleOptions& options, const std::vector<schedule::Schedule>& schedules,
          const Topology& topology) {
  std::vector<Rank> leaders;
  for (int32_t node = 0; node < topology.node_count(); ++node) leaders.push_back(topology.leader_of(node));
  if (options.format == "dot")
    fmt::print("{}", schedule::print_dot(schedules, leaders));
  else if (options.format == "goal")
    fmt::print("{}", schedule::print_goal(schedules, leaders));
  else
    fmt::print("{}", schedule::print_text(schedules, std::max(options.only_rank, 0)));
  return k_done;
}

int print_traffic(const ScheduleOptions& options, const std::vector<schedule::Schedule>& schedules,
                  const Placement& places) {
  const uint32_t last = *std::max_element(places.of_node.begin(), places.of_node.end());
  const auto links = interconnect::make_topology(options.traffic, last + 1);
  if (!links) return fail("--traffic: " + links.status().message());
  const simulate::Traffic traffic = simulate::traffic_of(schedules, places.topology, places.of_node, **links);
  fmt::print(
      "{}\n"
      "{:>16} messages between nodes, {} bytes\n"
      "{:>16} messages inside nodes, {} bytes\n"
      "{:>16} bytes over cables between routers, {} on the busiest one\n"
      "{:>16} bytes over long cables\n",
      links.value()->describe(), traffic.messages, traffic.bytes, traffic.local_messages, traffic.local_bytes,
      traffic.link_bytes, traffic.busiest_link_bytes, traffic.global_bytes);
  return k_done;
}

int run(const ScheduleOptions& options) {
  const auto collective = algorithm::parse_collective(options.collective);
  if (!collective) return fail(collective.status().message());
  const auto choice = algorithm::parse_choice(*collective, options.algorithm);
  if (!choice) return fail(choice.status().message());
  const auto bytes = base::parse_bytes(options.bytes);
  if (!bytes) return fail("--bytes: " + bytes.status().message());
  if (options.root >= options.ranks)
    return fail(fmt::format("--root {}: there are {} ranks", options.root, options.ranks));
  if (options.only_rank >= options.ranks)
    return fail(fmt::format("--rank {}: there are {} ranks", options.only_rank, options.ranks));
  if (options.only_rank >= 0 && (options.verify || options.format != "text" || !options.traffic.empty()))
    return fail("--rank is for --format text: verifying, drawing and counting take all ranks");
  const auto places = places_of(options);
  if (!places) return fail(places.status().message());
  const Topology& topology = places->topology;

  std::vector<Request> requests;
  const algorithm::UniformCall call{.collective = *collective,
                                    .rank_count = options.ranks,
                                    .root = options.root,
                                    .bytes = *bytes,
                                    .in_place = options.in_place,
                                    .commutative = !options.non_commutative};
  for (Rank rank = 0; rank < options.ranks; ++rank) requests.push_back(algorithm::request_of(call, rank));
  std::string why_not;
  if (!choice->algorithm->applies(requests[0], topology, choice->parameters, &why_not))
    return fail(fmt::format("{} does not apply here: {}", algorithm::to_string(*choice), why_not), k_failed);
  if (options.verify) return verify(*choice, requests, topology);
  const Rank first = std::max(options.only_rank, 0);
  const Rank end = options.only_rank < 0 ? options.ranks : first + 1;
  std::vector<schedule::Schedule> schedules;
  for (Rank rank = first; rank < end; ++rank) {
    auto built = algorithm::build_whole(*choice, requests[static_cast<size_t>(rank)], rank, topology);
    if (!built) return fail(built.status().message(), k_failed);
    schedules.push_back(std::move(*built));
  }
  if (!options.traffic.empty()) return print_traffic(options, schedules, *places);
  return print(options, schedules, topology);
}

}  // namespace

Action add_schedule(CLI::App& app) {
  auto options = std::make_shared<ScheduleOptions>();
  app.add_option("collective", options->collective, "bcast, allreduce, …")->required();
  app.add_option("--algorithm", options->algorithm, "with parameters, like chain:segment=4K")->required();
  app.add_option("--ranks", options->ranks, "number of ranks")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  app.add_option("--ranks-per-node", options->ranks_per_node)
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  app.add_option("--nodes", options->nodes,
                 "the node of each rank, like 0,0,1,1 (instead of --ranks-per-node); for --traffic, its "
                 "place on the network");
  app.add_option("--bytes", options->bytes, "message, vector or block, as in the benchmark")
      ->capture_default_str();
  app.add_option("--root", options->root)->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option("--rank", options->only_rank, "print this rank only (text)")->check(CLI::NonNegativeNumber);
  app.add_flag("--in-place", options->in_place, "with MPI_IN_PLACE");
  app.add_flag("--non-commutative", options->non_commutative, "with an operator that does not commute");
  app.add_option("--format", options->format, "text, dot (Graphviz) or goal (LogGOPSim)")
      ->check(one_of({"text", "dot", "goal"}))
      ->capture_default_str();
  app.add_option(
      "--traffic", options->traffic,
      "counts instead what crosses the links of a network of nodes: torus, fat-tree, dragonfly:8x4x4, …");
  app.add_flag(
      "--verify", options->verify,
      "execute all ranks symbolically and say whether the result is right (at most 2^25 tasks and blocks)");
  return [options] { return run(*options); };
}

}  // namespace tutti::command
