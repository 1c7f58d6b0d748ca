// tutti offload describe --ranks 128 --rank 5 --radix 3: the descriptor that software passes to the NIC.

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "algorithm/catalogue.hpp"
#include "base/file.hpp"
#include "command/command.hpp"
#include "command/offload/options.hpp"
#include "command/output.hpp"
#include "command/validators.hpp"
#include "offload/compile.hpp"
#include "offload/descriptor_text.hpp"
#include "offload/descriptor_words.hpp"
#include "offload/rounds.hpp"

namespace tutti::command {

namespace {

using base::Result;
using base::Status;
using nlohmann::ordered_json;
using offload::Descriptor;
using offload::Round;

/// Limit for algorithms whose rounds depend on the schedules of all ranks.
constexpr uint32_t k_most_together = 4096;
/// Limit for schedules, because a topology needs memory for each rank.
constexpr uint32_t k_most_scheduled = 1U << 20;

struct DescribeOptions {
  std::string file;
  uint32_t ranks = 8, rank = 0, radix = 3;
  std::string shape, algorithm, collective = "barrier";
  std::string op, type, values;  // of an allreduce; empty: sum, int64, 0
  uint16_t id = 0;
  uint32_t epoch = 0;
  std::string completion = "queue";
  uint64_t address = 0;
  bool json = false, hex = false;
  std::string output;
};

Result<schedule::Schedule> schedule_of(const algorithm::Choice& choice, uint32_t ranks, uint32_t rank) {
  const auto topology = algorithm::Topology::blocked(static_cast<int32_t>(ranks), 1);
  const algorithm::Request request{.rank_count = static_cast<int32_t>(ranks)};
  std::string why_not;
  if (!choice.algorithm->applies(request, topology, choice.parameters, &why_not))
    return Status::not_supported(fmt::format("{} does not apply here: {}", to_string(choice), why_not));
  return choice.algorithm->build(request, static_cast<int32_t>(rank), topology, choice.parameters);
}

Result<std::vector<Round>> compiled_rounds(const std::string& text, uint32_t ranks, uint32_t rank) {
  const auto choice = algorithm::parse_choice(algorithm::Collective::barrier, text);
  if (!choice) return choice.status();
  // Dissemination is the same on all ranks, so each rank can count its rounds from its own schedule.
  const bool is_alike = choice->algorithm->name == "dissemination";
  if (const uint32_t most = is_alike ? k_most_scheduled : k_most_together; ranks > most)
    return Status::invalid_argument(fmt::format(
        "--algorithm {}: {} ranks are too many to build schedules for (at most {})", text, ranks, most));
  if (is_alike) {
    const auto schedule = schedule_of(*choice, ranks, rank);
    return schedule ? offload::compile(*schedule) : schedule.status();
  }
  std::vector<schedule::Schedule> every_rank;
  for (uint32_t other = 0; other < ranks; ++other) {
    auto schedule = schedule_of(*choice, ranks, other);
    if (!schedule) return schedule.status();
    every_rank.push_back(std::move(*schedule));
  }
  auto rounds = offload::compile_all(every_rank);
  if (!rounds) return rounds.status();
  return std::move((*rounds)[rank]);
}

Result<std::vector<Round>> barrier_rounds(const DescribeOptions& options) {
  if (!options.algorithm.empty()) return compiled_rounds(options.algorithm, options.ranks, options.rank);
  const auto shape = shape_named(options.shape, options.radix);
  // Gives the same rounds without a schedule; a test checks that.
  if (options.ranks > k_most_scheduled)
    return offload::dissemination(options.ranks, options.rank, options.radix, shape);
  const bool is_symmetric = shape == pattern::DisseminationShape::symmetric;
  return compiled_rounds(
      fmt::format("dissemination:radix={}:shape={}", options.radix, is_symmetric ? "symmetric" : "forward"),
      options.ranks, options.rank);
}

template <class Number>
bool read_number(std::string_view text, uint64_t* word) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  static_assert(sizeof number == sizeof *word);
  std::memcpy(word, &number, sizeof number);
  return true;
}

Status read_operand(const DescribeOptions& options, Descriptor* descriptor) {
  using offload::ElementType;
  using offload::Operator;
  for (const Operator op : {Operator::sum, Operator::min, Operator::max, Operator::bit_and, Operator::bit_or})
    if (to_string(op) == (options.op.empty() ? "sum" : options.op)) descriptor->op = op;
  for (const ElementType type : {ElementType::int64, ElementType::uint64, ElementType::float64})
    if (to_string(type) == (options.type.empty() ? "int64" : options.type)) descriptor->type = type;
  for (const std::string& word : CLI::detail::split(options.values.empty() ? "0" : options.values, ',')) {
    if (descriptor->element_count == offload::k_most_elements)
      return Status::invalid_argument(
          fmt::format("--values: a descriptor holds at most {}", offload::k_most_elements));
    uint64_t& value = descriptor->operand[descriptor->element_count++];
    const bool is_read = descriptor->type == ElementType::float64 ? read_number<double>(word, &value)
                         : descriptor->type == ElementType::int64 ? read_number<int64_t>(word, &value)
                                                                  : read_number<uint64_t>(word, &value);
    if (!is_read)
      return Status::invalid_argument(
          fmt::format("--values: '{}' is no {}", word, to_string(descriptor->type)));
  }
  return {};
}

/// An option without effect is reported as a mistake.
Status check_options(const DescribeOptions& options) {
  if (options.rank >= options.ranks)
    return Status::invalid_argument(
        fmt::format("--rank {}: there are {} ranks", options.rank, options.ranks));
  const bool is_barrier = options.collective == "barrier";
  if (is_barrier && !(options.op.empty() && options.type.empty() && options.values.empty()))
    return Status::invalid_argument("--operator, --type and --values are for --collective allreduce");
  if (!is_barrier && !(options.shape.empty() && options.algorithm.empty()))
    return Status::invalid_argument("--shape and --algorithm are for --collective barrier");
  return {};
}

Result<Descriptor> make(const DescribeOptions& options) {
  if (auto status = check_options(options); !status) return status;
  Descriptor d{.barrier_id = options.id,
               .epoch = options.epoch,
               .nodes = options.ranks,
               .rank = options.rank,
               .completion_address = options.address};
  if (options.completion == "memory") d.completion = offload::Completion::memory_write;
  if (options.completion == "interrupt") d.completion = offload::Completion::interrupt;
  const bool is_barrier = options.collective == "barrier";
  if (!is_barrier) {
    d.kind = offload::Kind::allreduce;
    if (auto status = read_operand(options, &d); !status) return status;
  }
  auto rounds =
      is_barrier ? barrier_rounds(options) : offload::recursive_multiplying(d.nodes, d.rank, options.radix);
  if (!rounds) return rounds.status();
  d.rounds = std::move(*rounds);
  return d;
}

Result<Descriptor> read(const std::string& name) {
  const auto bytes = base::read_file(name);
  if (!bytes) return bytes.status();
  const auto words = offload::from_bytes(*bytes);
  auto descriptor = words ? offload::decode(*words) : words.status();
  if (!descriptor) return Status::invalid_argument(name + ": " + descriptor.status().message());
  return descriptor;
}

ordered_json json_of(const Descriptor& d, size_t word_count) {
  ordered_json all = {{"schema", 1},    {"kind", to_string(d.kind)}, {"nodes", d.nodes},
                      {"rank", d.rank}, {"id", d.barrier_id},        {"epoch", d.epoch}};
  all["completion"] = {{"kind", to_string(d.completion)}, {"address", d.completion_address}};
  if (d.kind == offload::Kind::allreduce) {
    auto operand = ordered_json::array();
    for (size_t i = 0; i < d.element_count; ++i)
      operand.push_back(offload::format_element(d.type, d.operand[i]));
    all["operation"] = {{"operator", to_string(d.op)}, {"type", to_string(d.type)}, {"operand", operand}};
  }
  all["words"] = word_count;
  all["rounds"] = ordered_json::array();
  for (const Round& round : d.rounds) {
    ordered_json row = {{"sends", round.sends}, {"receives", round.receives}};
    if (round.action != offload::Action::none) row["action"] = to_string(round.action);
    if (round.action == offload::Action::combine) row["own_position"] = round.own_position;
    all["rounds"].push_back(row);
  }
  return all;
}

int run(const DescribeOptions& options) {
  const auto descriptor = options.file.empty() ? make(options) : read(options.file);
  if (!descriptor) return fail(descriptor.status().message());
  const auto words = offload::encode(*descriptor);
  if (!words) return fail(words.status().message());
  if (!options.output.empty()) {
    const auto status = write_output(options.output, offload::to_bytes(*words));
    return status ? k_done : fail(status.message(), k_failed);
  }
  if (options.json)
    fmt::print("{}\n", json_of(*descriptor, words->size()).dump(1));
  else
    fmt::print("{}", options.hex ? offload::format_hex(*words) : offload::format_text(*descriptor));
  return k_done;
}

/// Options from which a descriptor is made; --file replaces them.
void add_making(CLI::App& app, DescribeOptions& options) {
  app.add_option("--ranks", options.ranks, "number of ranks")
      ->check(CLI::Range(1U, UINT32_MAX))
      ->capture_default_str();
  app.add_option("--rank", options.rank, "whose descriptor")
      ->check(CLI::Range(0U, UINT32_MAX))
      ->capture_default_str();
  CLI::Option* radix =
      app.add_option("--radix", options.radix, "each round multiplies the ranks heard from by this")
          ->check(CLI::Range(offload::k_least_radix, offload::k_most_radix))
          ->capture_default_str();
  CLI::Option* shape =
      app.add_option("--shape", options.shape,
                     "peers on one side (forward) or on both (symmetric; the default for odd radices)")
          ->check(one_of({"forward", "symmetric"}));
  app.add_option("--algorithm", options.algorithm, "another barrier of the catalogue, like tree:radix=4")
      ->excludes(radix)
      ->excludes(shape);
  app.add_option("--collective", options.collective, "barrier or allreduce")
      ->check(one_of({"barrier", "allreduce"}))
      ->capture_default_str();
  app.add_option("--operator", options.op, "of an allreduce: sum (the default), min, max, and, or")
      ->check(one_of({"sum", "min", "max", "and", "or"}));
  app.add_option("--type", options.type, "of an allreduce's elements: int64 (the default), uint64, float64")
      ->check(one_of({"int64", "uint64", "float64"}));
  app.add_option("--values", options.values, "what the rank contributes to an allreduce, like 1,2,3");
  app.add_option("--id", options.id, "of the communicator")->capture_default_str();
  app.add_option("--epoch", options.epoch, "which barrier of the communicator")->capture_default_str();
  app.add_option("--completion", options.completion, "queue, memory or interrupt")
      ->check(one_of({"queue", "memory", "interrupt"}))
      ->capture_default_str();
  app.add_option("--address", options.address,
                 "where completion is written, or the cookie of its queue entry")
      ->capture_default_str();
}

}  // namespace

std::function<int()> add_offload_describe(CLI::App& app) {
  auto options = std::make_shared<DescribeOptions>();
  add_making(app, *options);
  const auto made = app.get_options([](const CLI::Option* option) { return option->get_name() != "--help"; });
  CLI::Option* file = app.add_option("--file", options->file, "read a descriptor instead of making one");
  for (CLI::Option* other : made) file->excludes(other);
  CLI::Option* json = app.add_flag("--json", options->json, "as JSON");
  app.add_flag("--hex", options->hex, "its words")->excludes(json);
  app.add_option("--output,--out", options->output,
                 "write it to a file as it lies in memory (-: standard output)")
      ->check(writable_file());
  return [options] { return run(*options); };
}

}  // namespace tutti::command
