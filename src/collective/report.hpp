#pragma once
// Statistics of the served and native calls per collective, size class and choice, for TUTTI_REPORT and
// `tutti explain`.
//
// TUTTI_REPORT=summary prints a few lines on stderr (summary.hpp), TUTTI_REPORT=FILE writes JSON. Rank 0 of
// MPI_COMM_WORLD writes its own numbers at MPI_Finalize, or at exit if the program does not call it.
// TUTTI_REPORT=memory writes nothing: tutti_report() returns the JSON of the calling rank.
// JSON:
//
//   { "schema": 1, "mpi": "MPICH Version: …", "ranks": 8, "nodes": 4, "elapsed_ns": 1234567,
//     "mpi_lacks": "large counts, sessions",                     parts of MPI 4 that the MPI lacks
//     "links": "0.94 Gbit/s, 45 µs: the built-in rules hold",    between nodes; empty: there is one node
//     "cpus": "own: 2 ranks on 2 processors of this machine, of which it may use 1", "naps": 0,   how the rank waits
//     "progress": "thread, shares the 8 processing units of this process",
//     "calls": [ { "collective": "bcast",
//                  "least_bytes": 65536, "most_bytes": 131071,   absent if only some ranks know the size
//                  "choice": "chain:segment=16K",                "native" for the native MPI
//                  "reason": "every link carries the message once (built-in rule 3)",
//                  "calls": 100,
//                  "bytes": 6553600,                             by bytes_of_interest() (select/selector.hpp)
//                  "time_ns": 4200000 } ],                       native calls under 2 µs: estimated from one in 64
//     "passed_through": 3,                                       calls on communicators that Tutti does not serve
//     "sites": [ … ] }                                           call_site_report.hpp

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "algorithm/request.hpp"
#include "collective/call_site_report.hpp"
#include "collective/observer.hpp"
#include "select/candidate.hpp"

namespace tutti::collective {

using algorithm::Collective;

/// The choice of the native MPI.
inline constexpr const char* k_native = "native";
/// The reason of calls that no rule applies to, as the selector gives it.
inline constexpr std::string_view k_native_reason = "no rule asks for anything else";

/// Counters of one line of the report. Any thread may add. The members that calls change are in one cache line.
struct alignas(64) ReportLine {
  std::atomic<uint64_t> calls{0}, bytes{0}, time_ns{0};
  std::atomic<uint64_t> timed{0};       // number of calls that time_ns covers
  std::atomic<uint64_t> next_timed{0};  // value of `calls` from which the next call is timed
  Collective collective;
  select::CallInterface interface;
  int size_class;  // bit width of the size; k_unknown_size if only some ranks know it
  std::string choice, reason;
  bool is_for_no_rule = false;  // the reason is k_native_reason

  static constexpr int k_unknown_size = 65;
  static constexpr int k_size_classes = 66;

  /// Counts a call. add_time() adds its time later; an untimed call has none of its own.
  void count(uint64_t call_bytes) {
    calls.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(call_bytes, std::memory_order_relaxed);
  }
  /// The same without the cost of locked instructions, if no other thread adds to this line meanwhile.
  [[gnu::always_inline]] void count_alone(uint64_t call_bytes) {
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    bytes.store(bytes.load(std::memory_order_relaxed) + call_bytes, std::memory_order_relaxed);
  }

  /// True if the next call is to be timed. Reading the clock adds noticeably to a short call. If the mean is at most
  /// k_short_ns, only about one in k_sampled calls after the first k_measured_first is timed, at irregular intervals;
  /// its time also stands for the untimed calls before it.
  [[gnu::always_inline]] bool is_next_timed() const {
    return calls.load(std::memory_order_relaxed) >= next_timed.load(std::memory_order_relaxed);
  }
  /// Adds the time of a call that has been counted, and plans the next timed call.
  void add_time(uint64_t call_ns);

  static constexpr uint64_t k_measured_first = 64, k_short_ns = 2000;
  static constexpr uint64_t k_sampled = 64;
};

/// Facts about the job and this rank.
struct ReportHeader {
  std::string mpi;
  std::string mpi_lacks;  // parts of MPI 4 that the MPI lacks; empty: none
  int rank_count = 0;
  int node_count = 0;
  uint64_t elapsed_ns = 0;
  std::string links;     // speed of the network between nodes, and its consequence; empty: there is one node
  std::string cpus;      // the rank's share of the processors, and why; determines how it waits
  uint64_t naps = 0;     // of the threads of its process, since MPI_Init
  std::string progress;  // what carries out nonblocking collectives, on which processors, and why
  bool tunes_all = false;  // TUTTI_TUNE=all
};

class Report final : public Observer {
 public:
  /// Adds the call to its line.
  void ended(const CallEvent& event) override;

  static int size_class_of(uint64_t bytes, bool bytes_known);

  /// The line with these values, created at the first call. Takes a lock; the pointer stays valid as long as this
  /// object.
  ReportLine* line(Collective collective, select::CallInterface interface, int size_class,
                   const std::string& choice, const std::string& reason);

  /// The line of native calls that no rule applies to, or that a binding rule leaves native (`binding_reason`: why).
  /// Takes a lock only at the first call, and when the reason differs from that of the call before.
  ReportLine* native_line(Collective collective, select::CallInterface interface, int size_class,
                          const std::string* binding_reason = nullptr);

  /// Adds the report of a call site, when its communicator is freed or when the report is written.
  void add_site(CallSiteReport site);
  static constexpr size_t k_most_sites = 1000;  // further ones are only counted

  std::string to_json(const ReportHeader& header) const;
  std::string to_summary(const ReportHeader& header) const;

 private:
  std::vector<const ReportLine*> used_lines() const;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<ReportLine>> lines_;
  std::vector<CallSiteReport> sites_;
  uint64_t unlisted_sites_ = 0;
  std::array<std::array<std::atomic<ReportLine*>, ReportLine::k_size_classes>,
             size_t{select::k_call_interface_count} * algorithm::k_collective_count>
      native_{};  // the latest native_line(), by kind and collective, and by size class
  std::atomic<uint64_t> passed_through_{0};
};

}  // namespace tutti::collective
