#include "record/run_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <filesystem>
#include <iterator>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "record/clock_model.hpp"
#include "record/finalize_waits.hpp"
#include "record/live_file.hpp"
#include "record/ring.hpp"

namespace tutti::record {

using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_part_records = 2048;

constexpr uint64_t k_most_capacity = uint64_t{1} << 40, k_latest_ns = uint64_t{1} << 60;
constexpr int64_t k_latest_unix_s = 253'402'300'799;  // the year 9999
constexpr const char* k_launcher_file = "launcher.json";

std::optional<LauncherEnd> read_launcher_end(const std::string& folder) {
  const auto text = base::read_file((std::filesystem::path(folder) / k_launcher_file).string());
  if (!text) return std::nullopt;
  const auto json = base::parse_json(*text);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    const auto at_ns = json->at("at_ns").get<uint64_t>();
    return LauncherEnd{
        .exit_status = json->at("exit_status").get<int>(),
        .signal = json->at("signal").get<int>(),
        .interruption = json->at("interruption").get<int>(),
        .host = json->at("host").get<std::string>(),
        .at_ns = at_ns < k_latest_ns ? at_ns : 0,
        .ran_ns = std::min(json->value("ran_ns", uint64_t{0}), k_latest_ns),
        .at_unix_s = std::clamp<int64_t>(json->value("at_unix_s", int64_t{0}), 0, k_latest_unix_s)};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// Reads as much of the file as its description may take.
Result<std::string> read_beginning(const std::string& file_name, uint64_t file_bytes) {
  std::ifstream file(file_name, std::ios::binary);
  std::string text(std::min<uint64_t>(file_bytes, k_magic.size() + 8), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) return Status::invalid_argument("cannot be read");
  uint64_t bytes = 0;
  for (size_t i = 0; i < 4 && text.size() == k_magic.size() + 8; ++i)
    bytes |= uint64_t{static_cast<unsigned char>(text[k_magic.size() + 4 + i])} << (8 * i);
  bytes = std::min({bytes, k_most_description, file_bytes - text.size()});
  const size_t fixed = text.size();
  text.resize(fixed + bytes);
  file.read(text.data() + fixed, static_cast<std::streamsize>(bytes));
  if (!file) return Status::invalid_argument("cannot be read");
  return text;
}

Result<RankOfRun> open_rank(const std::string& file_name, uint32_t rank) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file_name, error)) return Status::invalid_argument("is no file");
  const uint64_t file_bytes = std::filesystem::file_size(file_name, error);
  if (error) return Status::invalid_argument("cannot be read: " + error.message());
  const auto text = read_beginning(file_name, file_bytes);
  if (!text) return text.status();
  auto beginning = parse_beginning(*text);
  if (!beginning) return beginning.status();
  RankOfRun found{.description = std::move(beginning->description),
                  .file_name = file_name,
                  .where = {.at = beginning->records_at}};
  if (found.description.rank != rank)
    return Status::invalid_argument("is of rank " + std::to_string(found.description.rank));
  const uint64_t there =
      file_bytes > found.where.at ? (file_bytes - found.where.at) / sizeof(PackedRecord) : 0;
  found.where.records = std::min(there, found.description.records);
  return found;
}

/// The latest time in the records.
uint64_t latest_ns(RecordReader reader, uint64_t latest) {
  for (CallRecord record; reader.next(&record);) {
    const uint64_t inside_ns = record.inside_ns == k_unknown_ns ? 0 : record.inside_ns;
    if (record.arrival_ns < k_latest_ns && inside_ns < k_latest_ns)
      latest = std::max(latest, record.arrival_ns + inside_ns);
  }
  return latest;
}

Result<RankOfRun> open_live(const std::string& file_name, uint32_t rank) {
  std::ifstream file(file_name, std::ios::binary);
  Ring::Head head{};
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  const bool is_one = file && std::string_view(head.magic, sizeof head.magic) == k_live_magic &&
                      std::has_single_bit(head.capacity) && head.capacity <= k_most_capacity;
  if (!is_one) return Status::invalid_argument("is no record of Tutti, or was cut off when its run began");
  if (head.version != k_version)
    return Status::invalid_argument("has version " + std::to_string(head.version) +
                                    " of the format; this Tutti reads " + std::to_string(k_version));
  file.seekg(static_cast<std::streamoff>(Ring::k_head_bytes + head.capacity * sizeof(PackedRecord)));
  const std::string lines{std::istreambuf_iterator<char>(file), {}};
  auto description = parse_lines(lines);
  if (!description) return description.status();
  if (description->rank != rank)
    return Status::invalid_argument("is of rank " + std::to_string(description->rank));
  const uint64_t taken = head.next.load(std::memory_order_relaxed);
  const bool drops_oldest = head.keeps_newest != 0 && taken > head.capacity;
  RankOfRun found{.description = std::move(*description),
                  .file_name = file_name,
                  .where = {.at = Ring::k_head_bytes,
                            .records = std::min(taken, head.capacity),
                            .first = drops_oldest ? taken - head.capacity : 0,
                            .capacity = head.capacity},
                  .is_live = true,
                  .is_running = is_written(file_name),
                  .open = Ring::open_calls(head)};
  found.description.taken = taken;
  found.description.records = found.where.records;
  found.description.ended_ns = latest_ns(found.reader(), found.description.began_ns);
  return found;
}

/// Upper bound of the run time of a rank on another host than the launcher's: it began after the launcher, and ended
/// with it. The clocks of the hosts may differ.
uint64_t most_ns(const RankDescription& rank, const LauncherEnd& launcher) {
  constexpr uint64_t k_second_ns = 1'000'000'000;
  if (launcher.ran_ns == 0 || launcher.at_unix_s < rank.started_unix_s) return 0;
  const auto seconds = static_cast<uint64_t>(launcher.at_unix_s - rank.started_unix_s);
  return std::min(launcher.ran_ns, std::min(seconds, k_latest_ns / k_second_ns) * k_second_ns);
}

/// Ranks without a final file are assumed to have run until the latest time that is known of the run.
void find_ends(RunFiles* run) {
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, sizeof host - 1);
  const auto clock_of = [run](const RankOfRun& rank) {
    return ClockModel(rank.description.clock, run->has_common_clock(rank));
  };
  int64_t latest = INT64_MIN;
  for (RankOfRun& rank : run->found) {
    uint64_t& ended_ns = rank.description.ended_ns;
    if (rank.is_running && rank.description.host == host) ended_ns = std::max(ended_ns, base::monotonic_ns());
    if (rank.is_live && run->launcher && rank.description.host == run->launcher->host)
      ended_ns = std::max(ended_ns, run->launcher->at_ns);
    if (rank.is_live && run->launcher && rank.description.host != run->launcher->host)
      ended_ns = std::max(ended_ns, rank.description.began_ns + most_ns(rank.description, *run->launcher));
    latest = std::max(latest, clock_of(rank).at(ended_ns));
  }
  for (RankOfRun& rank : run->found) {
    uint64_t& ended_ns = rank.description.ended_ns;
    if (const int64_t more_ns = latest - clock_of(rank).at(ended_ns); rank.is_live && more_ns > 0)
      ended_ns += static_cast<uint64_t>(more_ns);
  }
}

void keep_newest_run(RunFiles* run) {
  const auto newest = std::ranges::max_element(
      run->found, {}, [](const RankOfRun& rank) { return rank.description.started_unix_s; });
  const uint64_t number = newest->description.run;
  for (const RankOfRun& rank : run->found)
    if (rank.description.run != number)
      run->missing.push_back(base::in_quotes(rank.file_name) + " is of another run");
  std::erase_if(run->found, [number](const RankOfRun& rank) { return rank.description.run != number; });
}

/// Lists what is missing, in few lines.
void name_missing(RunFiles* run) {
  constexpr size_t k_most_named = 20;
  std::vector<uint32_t> absent;
  size_t next = 0;
  for (uint32_t rank = 0; rank < run->ranks; ++rank) {
    const bool is_there = next < run->found.size() && run->found[next].description.rank == rank;
    if (is_there)
      ++next;
    else
      absent.push_back(rank);
  }
  for (size_t i = 0; i < absent.size() && i < k_most_named; ++i)
    run->missing.push_back("rank " + std::to_string(absent[i]) + " left no file that can be used");
  if (absent.size() > k_most_named)
    run->missing.push_back(base::counted(absent.size() - k_most_named, "more rank") + " left none");
  for (const RankOfRun& rank : run->found)
    if (const uint64_t count = rank.description.communicators_left_out; count > 0)
      run->missing.push_back("calls on " + base::counted(count, "communicator") + " of rank " +
                             std::to_string(rank.description.rank) +
                             " were not recorded: there were too many");
  for (const RankOfRun& rank : run->found)
    if (rank.where.records < rank.description.records)
      run->missing.push_back(base::in_quotes(rank.file_name) + " is cut off: " +
                             base::counted(rank.description.records - rank.where.records, "record") + " of " +
                             std::to_string(rank.description.records) + " are missing");
}

}  // namespace

bool RecordReader::refill() {
  const uint64_t place = where_.first % where_.capacity;
  part_.resize(std::min({where_.records, k_part_records, where_.capacity - place}));
  next_ = 0;
  if (part_.empty()) return false;
  std::ifstream file(file_name_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(where_.at + place * sizeof(PackedRecord)));
  file.read(reinterpret_cast<char*>(part_.data()),
            static_cast<std::streamsize>(part_.size() * sizeof(PackedRecord)));
  part_.resize(static_cast<size_t>(file.gcount()) / sizeof(PackedRecord));
  where_.first += part_.size();
  where_.records = part_.empty() ? 0 : where_.records - part_.size();
  return !part_.empty();
}

bool RecordReader::next(CallRecord* record) {
  if (next_ == part_.size() && !refill()) {
    if (more_.empty()) return false;
    part_ = std::move(more_);
    more_.clear();
  }
  *record = part_[next_++].unpack();
  return true;
}

void remove_half_written(const std::string& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> half_written;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view k_whole = ".rec", k_temporary = ".tmp";
    const size_t end = name.find(k_whole);
    uint32_t rank = 0;
    if (end != std::string::npos && name.ends_with(k_temporary) &&
        parse_rank_file_name(name.substr(0, end + k_whole.size()), &rank))
      half_written.push_back(entry.path());
  }
  for (const std::filesystem::path& file : half_written) std::filesystem::remove(file, error);
}

bool has_record(const std::string& folder) {
  std::error_code error;
  uint32_t rank = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (parse_rank_file_name(name, &rank) || parse_live_file_name(name, &rank)) return true;
  }
  return false;
}

Status write_launcher_end(const std::string& folder, const LauncherEnd& end) {
  const nlohmann::json json = {{"exit_status", end.exit_status},
                               {"signal", end.signal},
                               {"interruption", end.interruption},
                               {"host", end.host},
                               {"at_ns", end.at_ns},
                               {"ran_ns", end.ran_ns},
                               {"at_unix_s", end.at_unix_s}};
  return base::replace_file((std::filesystem::path(folder) / k_launcher_file).string(),
                            json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

Result<RunFiles> open_run(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error);
  if (error) return Status::not_found(base::in_quotes(folder) + " cannot be read: " + error.message());
  RunFiles run;
  for (const auto& entry : files) {
    uint32_t rank = 0;
    const std::string name = entry.path().filename().string();
    const bool is_live = parse_live_file_name(name, &rank);
    if (!is_live && !parse_rank_file_name(name, &rank)) continue;
    // The final file exists, and the live one was not removed yet.
    if (is_live && std::filesystem::exists(entry.path().parent_path() / rank_file_name(rank), error))
      continue;
    auto found = is_live ? open_live(entry.path().string(), rank) : open_rank(entry.path().string(), rank);
    if (found)
      run.found.push_back(std::move(*found));
    else
      run.missing.push_back(base::in_quotes(entry.path().string()) + ' ' + found.status().message());
  }
  if (run.found.empty())
    return Status::not_found(
        base::in_quotes(folder) + " has no record that can be read" +
        (run.missing.empty() ? " (tutti run --record FOLDER writes them)" : ": " + run.missing.front()));
  run.launcher = read_launcher_end(folder);
  keep_newest_run(&run);
  std::ranges::sort(run.found, {}, [](const RankOfRun& rank) { return rank.description.rank; });
  std::ranges::sort(run.missing);
  run.ranks = run.first().description.ranks;
  find_ends(&run);
  add_finalize_waits(&run);
  name_missing(&run);
  return run;
}

}  // namespace tutti::record
