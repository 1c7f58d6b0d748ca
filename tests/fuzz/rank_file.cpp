// Records of a run that `tutti report` reads: a report, or one line.

#include "record/rank_file.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "record/analysis/report.hpp"
#include "target.hpp"

using namespace tutti;

namespace {

/// A folder with one file, which is the rank that the text says it is.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("tutti-fuzz-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string put(std::string_view text, uint32_t rank) {
    std::ofstream(path_ / record::rank_file_name(rank), std::ios::binary) << text;
    return path_.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto lines = record::parse_lines(text); !lines) fuzz::require_message(lines.status().message());
  const auto beginning = record::parse_beginning(text);
  if (!beginning) {
    fuzz::require_message(beginning.status().message());
    return 0;
  }
  Folder folder;
  const auto analysed = record::analysis::analyse(folder.put(text, beginning->description.rank));
  if (!analysed) {
    fuzz::require_message(analysed.status().message());
    return 0;
  }
  const auto report = record::analysis::report_json(*analysed, nullptr);
  fuzz::require(record::analysis::report_text(report).ends_with('\n'), "a whole report");
  fuzz::require(!record::analysis::report_metrics(report).empty(), "metrics");
  return 0;
}
