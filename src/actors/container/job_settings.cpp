#include "actors/container/job_settings.hpp"

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <utility>

#include "actors/container/native_wait.hpp"
#include "select/rules.hpp"

namespace tutti::actors {

namespace {

void broadcast(void* data, int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Ibcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS) wait_asleep(&request);
}

/// Broadcasts rank 0's text; one that is too long for a count of MPI becomes empty.
void share(std::string* text) {
  uint64_t bytes = text->size() <= INT_MAX ? text->size() : 0;
  broadcast(&bytes, sizeof bytes);
  text->resize(bytes);
  if (bytes > 0) broadcast(text->data(), static_cast<int>(bytes));
}

std::vector<select::RulesText> share_files(const base::Settings& settings,
                                           std::vector<std::string>* problems) {
  if (settings.text("TUTTI_RULES").empty() && settings.text("TUTTI_LEARN").empty()) return {};
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<select::RulesText> files;
  if (rank == 0) files = select::read_rules_files(settings, problems);
  uint64_t count = files.size();
  broadcast(&count, sizeof count);
  files.resize(count);
  for (select::RulesText& file : files) {
    share(&file.name);
    share(&file.text);
  }
  return files;
}

/// Run-time selection is on only where the user asks for it: threads that share cores make its measurements uncertain.
collective::Options::Tuning tuning_of(const base::Settings& settings) {
  using Tuning = collective::Options::Tuning;
  if (!settings.is_set("TUTTI_TUNE") || settings.text("TUTTI_TUNE") == "off") return Tuning::off;
  return settings.text("TUTTI_TUNE") == "all" ? Tuning::all : Tuning::on;
}

}  // namespace

JobSettings::JobSettings(base::Settings own, std::span<const select::RulesText> files,
                         std::vector<std::string>* problems)
    : settings(std::move(own)),
      selector(select::Selector::from_settings(settings, files, problems, select::k_ranks_are_threads)) {
  selector.set_no_agents("ranks as threads have no agents");
  options.tuning = tuning_of(settings);
  options.tuning_budget_permille = static_cast<uint32_t>(settings.number("TUTTI_TUNE_BUDGET"));
  options.leader = settings.text("TUTTI_ACTORS_LEADER") == "fixed" ? select::LeaderPolicy::fixed
                                                                   : select::LeaderPolicy::first;
}

/// Run-time selection depends on whether its setting has been given, which the hash of the values does not show.
uint64_t JobSettings::fingerprint(const base::Settings& own) {
  return own.fingerprint() + static_cast<uint64_t>(tuning_of(own));
}

JobSettings JobSettings::agree(base::Settings own, std::vector<std::string>* problems) {
  const std::vector<select::RulesText> files = share_files(own, problems);
  return {std::move(own), files, problems};
}

}  // namespace tutti::actors
