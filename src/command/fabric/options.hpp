#pragma once
// What the parts of `tutti fabric` share: fabrics and groups from files or descriptions, and output files.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "fabric/graph.hpp"
#include "fabric/groups.hpp"
#include "fabric/router.hpp"

namespace tutti::command {

/// Says which algorithm routes, and how.
struct RouteOptions {
  std::string algorithm = "guided";  // or paper, minihop-mc, sssp-mc, sssp-opensm
  std::string merge = "keep";
  std::string effort = "quick";
  uint32_t colours = 0;  // 0: no limit
  uint64_t seed = 1;
  unsigned threads = 1;

  void add_to(CLI::App& app);
  fabric::RouterOptions router_options() const;
};

/// A file (ibnetdiscover, ibsim), or a description like "fat-tree:ports=8".
base::Result<fabric::Fabric> load_fabric(const std::string& where);
/// A file, or a description like "grid:256x34".
base::Result<fabric::GroupSet> load_groups(const std::string& where, const fabric::Fabric& fabric);

/// For options that name a file to be written: says at once, not after the work, what stands in the way.
CLI::Validator writable_file();

/// To the file, in one piece, or to standard output when `name` is empty or "-".
base::Status write_output(const std::string& name, const std::string& text);

/// While one exists, Ctrl-C is not the end of the process, but is_asked() turns true: what runs can stop
/// without a file half written. One at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  static bool is_asked();
};

/// Exit status after Ctrl-C, as shells have it.
inline constexpr int k_interrupted = 130;

/// A line on stderr that tells how many of `total` are done, at most five times a second, when stderr is a
/// terminal.
class ProgressLine {
 public:
  ProgressLine(std::string what, uint64_t total);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(uint64_t done);

 private:
  std::string what_;
  uint64_t total_, next_ns_ = 0;
  bool is_shown_ = false;
};

// One file each. They add themselves to `tutti fabric` and return what they do.
std::function<int()> add_fabric_generate(CLI::App& app);
std::function<int()> add_fabric_show(CLI::App& app);
std::function<int()> add_fabric_route(CLI::App& app);
std::function<int()> add_fabric_verify(CLI::App& app);
std::function<int()> add_fabric_compare(CLI::App& app);
std::function<int()> add_fabric_draw(CLI::App& app);

}  // namespace tutti::command
