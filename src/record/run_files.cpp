#include "record/run_files.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"

namespace tutti::record {

using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_part_records = 2048;

/// As much of the file as its description may take.
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
                  .records_at = beginning->records_at};
  if (found.description.rank != rank)
    return Status::invalid_argument("is of rank " + std::to_string(found.description.rank));
  const uint64_t there =
      file_bytes > found.records_at ? (file_bytes - found.records_at) / sizeof(PackedRecord) : 0;
  found.records = std::min(there, found.description.records);
  return found;
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

/// What is not there, in few lines.
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
    if (rank.records < rank.description.records)
      run->missing.push_back(base::in_quotes(rank.file_name) + " is cut off: " +
                             base::counted(rank.description.records - rank.records, "record") + " of " +
                             std::to_string(rank.description.records) + " are missing");
}

}  // namespace

bool RecordReader::refill() {
  part_.resize(std::min(left_, k_part_records));
  next_ = 0;
  if (part_.empty()) return false;
  std::ifstream file(file_name_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at_));
  file.read(reinterpret_cast<char*>(part_.data()),
            static_cast<std::streamsize>(part_.size() * sizeof(PackedRecord)));
  part_.resize(static_cast<size_t>(file.gcount()) / sizeof(PackedRecord));
  at_ += part_.size() * sizeof(PackedRecord);
  left_ = part_.empty() ? 0 : left_ - part_.size();
  return !part_.empty();
}

bool RecordReader::next(CallRecord* record) {
  if (next_ == part_.size() && !refill()) return false;
  *record = part_[next_++].unpack();
  return true;
}

Result<RunFiles> open_run(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error);
  if (error) return Status::not_found(base::in_quotes(folder) + " cannot be read: " + error.message());
  RunFiles run;
  for (const auto& entry : files) {
    uint32_t rank = 0;
    if (!parse_rank_file_name(entry.path().filename().string(), &rank)) continue;
    auto found = open_rank(entry.path().string(), rank);
    if (found)
      run.found.push_back(std::move(*found));
    else
      run.missing.push_back(base::in_quotes(entry.path().string()) + ' ' + found.status().message());
  }
  if (run.found.empty())
    return Status::not_found(
        base::in_quotes(folder) + " has no record that can be read" +
        (run.missing.empty() ? " (tutti run --record FOLDER writes them)" : ": " + run.missing.front()));
  keep_newest_run(&run);
  std::ranges::sort(run.found, {}, [](const RankOfRun& rank) { return rank.description.rank; });
  std::ranges::sort(run.missing);
  run.ranks = run.first().description.ranks;
  name_missing(&run);
  return run;
}

}  // namespace tutti::record
