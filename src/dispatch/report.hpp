#pragma once
// What Tutti did, per collective, size class and choice: the numbers behind TUTTI_REPORT and `tutti explain`.
//
// TUTTI_REPORT=summary prints a few lines on stderr (summary.hpp), TUTTI_REPORT=FILE writes JSON; both come from rank 0
// of MPI_COMM_WORLD at MPI_Finalize, or at exit where the program never calls it, and hold rank 0's numbers.
// TUTTI_REPORT=memory is written nowhere: tutti_report() has the JSON of the rank that asks.
// JSON:
//
//   { "schema": 1, "mpi": "MPICH Version: …", "ranks": 8, "nodes": 4, "elapsed_ns": 1234567,
//     "mpi_lacks": "large counts, sessions",                     of MPI 4
//     "links": "0.94 Gbit/s, 45 µs: the built-in rules hold",    between nodes; empty: there is one node
//     "cpus": "own: 2 ranks on 2 processors of this machine, of which it may use 1", "naps": 0,   how it waits
//     "progress": "thread, shares the 8 processing units of this process",
//     "calls": [ { "collective": "bcast",
//                  "least_bytes": 65536, "most_bytes": 131071,   absent where only some ranks know the size
//                  "choice": "chain:segment=16K",                "native" for the MPI's own
//                  "reason": "every link carries the message once (built-in rule 3)",
//                  "calls": 100,
//                  "bytes": 6553600,                             as rules see them (select/selector.hpp)
//                  "time_ns": 4200000 } ],                       of native calls under 2 µs: from one in 64
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
#include "dispatch/call_site_report.hpp"
#include "dispatch/observer.hpp"
#include "select/candidate.hpp"

namespace tutti::dispatch {

using algorithm::Collective;

/// The choice that is the MPI's own.
inline constexpr const char* k_native = "native";
/// The reason where nobody has wanted anything, as the selector gives it.
inline constexpr std::string_view k_native_reason = "no rule asks for anything else";

/// Numbers of one line of the report. Any thread may add. What calls touch is one cache line.
struct alignas(64) ReportLine {
  std::atomic<uint64_t> calls{0}, bytes{0}, time_ns{0};
  std::atomic<uint64_t> timed{0};       // calls for which time_ns stands
  std::atomic<uint64_t> next_timed{0};  // that many calls go before the next one whose time is asked for
  Collective collective;
  select::CallKind kind;
  int size_class;  // bit width of the size; k_unknown_size where only some ranks know it
  std::string choice, reason;
  bool is_for_no_rule = false;  // the reason is k_native_reason

  static constexpr int k_unknown_size = 65;
  static constexpr int k_size_classes = 66;

  /// A call whose time, or that of what it stands for, comes with add_time(); or that has none.
  void count(uint64_t call_bytes) {
    calls.fetch_add(1, std::memory_order_relaxed);
    bytes.fetch_add(call_bytes, std::memory_order_relaxed);
  }
  /// The same where no other thread adds to this line meanwhile: without the cost of locked instructions.
  [[gnu::always_inline]] void count_alone(uint64_t call_bytes) {
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    bytes.store(bytes.load(std::memory_order_relaxed) + call_bytes, std::memory_order_relaxed);
  }

  /// The next call is to be measured. Reading the clock takes as long as a part of a short call: where there have been
  /// many, one in k_sampled is, at irregular distances, and its time stands for those before it as well.
  [[gnu::always_inline]] bool is_next_timed() const {
    return calls.load(std::memory_order_relaxed) >= next_timed.load(std::memory_order_relaxed);
  }
  /// Of a call that has been counted.
  void add_time(uint64_t call_ns);

  static constexpr uint64_t k_measured_first = 64, k_short_ns = 2000;
  static constexpr uint64_t k_sampled = 64;
};

/// What the report says about the job.
struct ReportHeader {
  std::string mpi;
  std::string mpi_lacks;  // of MPI 4; empty: nothing
  int rank_count = 0;
  int node_count = 0;
  uint64_t elapsed_ns = 0;
  std::string links;     // how fast the network between nodes is, and what follows; empty: there is one node
  std::string cpus;      // what the rank has of the processors, and why; it waits accordingly
  uint64_t naps = 0;     // of its threads, since MPI_Init
  std::string progress;  // who carries nonblocking collectives out, where, and why
  bool tunes_all = false;  // TUTTI_TUNE=all
};

class Report final : public Observer {
 public:
  /// Adds the call to its line.
  void ended(const CallEvent& event) override;

  static int size_class_of(uint64_t bytes, bool bytes_known);

  /// The line of these words, made at the first call. Takes a lock: keep the pointer, it lives as long as
  /// this.
  ReportLine* line(Collective collective, select::CallKind kind, int size_class, const std::string& choice,
                   const std::string& reason);

  /// The line of calls that no rule wants, or that a person wants native (`binding_reason`: why). Takes a lock at the
  /// first call only, and where communicators differ in the reason.
  ReportLine* native_line(Collective collective, select::CallKind kind, int size_class,
                          const std::string* binding_reason = nullptr);

  /// What is known of a call site when its communicator goes, or when the report is written.
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
             size_t{select::k_call_kind_count} * algorithm::k_collective_count>
      native_{};  // by kind and collective; the latest one
  std::atomic<uint64_t> passed_through_{0};
};

}  // namespace tutti::dispatch
