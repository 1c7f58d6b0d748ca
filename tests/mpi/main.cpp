// catalogue VARIANT RANKS REPORT: runs all collectives, each served by one entry of the catalogue, on
// communicators of several sizes, and compares with the definition of the collective.
//
// Variant v forces for every collective the v-th of its entries, modulo their number; from the second round
// on with small segments and odd radices. The ranks are presented as one node, or as several of uneven sizes.
// In the end the report must say that the forced entries have served their collectives.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "algorithm/catalogue.hpp"
#include "team.hpp"

namespace {

using namespace tutti;
using algorithm::Algorithm;
using algorithm::Parameter;

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

/// Small segments make many of them; odd radices make uneven trees.
std::string with_parameters(const Algorithm& algorithm, int round) {
  algorithm::Choice choice{&algorithm, algorithm::default_parameters(algorithm)};
  for (size_t i = 0; round > 0 && i < algorithm.parameters.size(); ++i) {
    const Parameter& parameter = algorithm.parameters[i];
    uint64_t& value = choice.parameters.values[i];
    switch (parameter.unit) {
      case Parameter::Unit::bytes:
        value = 1024;
        break;
      case Parameter::Unit::count:
        value = 3;
        break;
      case Parameter::Unit::choice:
        value += static_cast<uint64_t>(round);
        break;
    }
    const uint64_t most =
        parameter.unit == Parameter::Unit::choice ? parameter.choices.size() - 1 : parameter.max;
    value = std::clamp(value, parameter.min, most);
  }
  return algorithm::to_string(choice);
}

bool is_one_node(int variant) {
  return variant % 2 == 0;
}

/// Collective -> what is forced for it.
using Forced = std::map<std::string, std::string>;

Forced force(int variant) {
  std::map<algorithm::Collective, std::vector<const Algorithm*>> entries;
  for (const Algorithm* entry : algorithm::catalogue()) entries[entry->collective].push_back(entry);
  Forced forced;
  for (const auto& [collective, list] : entries) {
    const auto count = static_cast<int>(list.size());
    const std::string name(algorithm::to_string(collective));
    auto index = static_cast<size_t>(variant % count);
    // It would leave the call to the native MPI, of which MPICH 4.0 cannot reduce in place to all roots of a node.
    if (is_one_node(variant) && list[index]->name == "hierarchical") index = (index + 1) % list.size();
    forced[name] = with_parameters(*list[index], variant / count);
    setenv(("TUTTI_" + upper_case(name)).c_str(), forced[name].c_str(), 1);
  }
  return forced;
}

/// All ranks on one node, or nodes of 3, 3, 1 and 1 ranks that are not next to each other.
void present_nodes(int variant, const char* rank_count) {
  if (is_one_node(variant)) return;
  std::string nodes;
  for (int r = 0; r < std::atoi(rank_count); ++r)
    nodes += (r > 0 ? "," : "") + std::string(1, "01021013"[r % 8]);
  setenv("TUTTI_NODES", nodes.c_str(), 1);
}

int check_report(const char* file_name, const Forced& forced) {
  const auto report = nlohmann::json::parse(std::ifstream(file_name), nullptr, false);
  if (report.is_discarded()) {
    std::fprintf(stderr, "%s: no report\n", file_name);
    return 1;
  }
  int failures = 0;
  for (const auto& [collective, choice] : forced) {
    bool has_served = false, is_refused = false;
    for (const auto& line : report["calls"]) {
      if (line["collective"] != collective) continue;
      has_served = has_served || line["choice"] == choice;
      const std::string reason = line["reason"];
      is_refused = is_refused || reason.find("refused") != std::string::npos;
    }
    if (has_served || is_refused) continue;
    std::fprintf(stderr, "%s has not served any %s\n", choice.c_str(), collective.c_str());
    ++failures;
  }
  return failures;
}

void try_everything(MPI_Comm comm, uint32_t seed, const Forced& forced) {
  test::Team team = test::Team::of(comm);
  team.seed = seed;
  team.reduces_with_bine = forced.at("reduce").starts_with("bine");
  test::try_data_movement(team);
  test::try_vectors(team);
  test::try_reductions(team);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: catalogue VARIANT RANKS REPORT\n");
    return 2;
  }
  const int variant = std::atoi(argv[1]);
  const Forced forced = force(variant);
  present_nodes(variant, argv[2]);
  setenv("TUTTI_REPORT", argv[3], 1);
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try_everything(MPI_COMM_WORLD, 1000, forced);
  for (const int smaller : {1, 2, 3, 4, 7}) {
    if (smaller >= size) continue;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < smaller ? 0 : MPI_UNDEFINED, -rank, &part);
    if (part == MPI_COMM_NULL) continue;
    try_everything(part, 1000u + 1000u * static_cast<uint32_t>(smaller), forced);
    MPI_Comm_free(&part);
  }
  int failures = test::failure_count();
  PMPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0 && size > 1) failures += check_report(argv[3], forced);
  return failures == 0 ? 0 : 1;
}
