#pragma once
// Runs that are played: records whose late ranks are known.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "record/analysis/report.hpp"

namespace tutti::record::analysis {

using algorithm::Collective;
using Json = nlohmann::json;

inline constexpr uint64_t k_ms = 1'000'000, k_us = 1'000, k_transfer = 20 * k_us;

/// A run of which all ranks leave a record, as if its calls took what MPI needs. Ranks have two nodes, on machines of
/// their own or on one.
class Played {
 public:
  explicit Played(uint32_t ranks, bool has_machines = true) : now_(ranks, k_ms), ranks_(ranks) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      RankDescription says{.run = 1,
                           .rank = rank,
                           .ranks = ranks,
                           .node = rank * 2 / ranks,
                           .nodes = 2,
                           .host = has_machines && rank * 2 / ranks == 1 ? "b" : "a",
                           .program = "/p",
                           .mpi = "MPI",
                           .began_ns = k_ms,
                           .ended_by = "MPI_Finalize"};
      says.places = {{.module = "/p", .function = "main", .offset = 16}};
      says.communicators = {{.name = "MPI_COMM_WORLD", .rank = rank}};
      for (uint32_t member = 0; member < ranks; ++member) says.communicators[0].members.push_back(member);
      ranks_[rank].says = std::move(says);
    }
  }

  void work(uint32_t rank, uint64_t ns) { now_[rank] += ns; }
  void all_work(uint64_t ns) {
    for (uint64_t& now : now_) now += ns;
  }

  void allreduce() {
    const uint64_t last = *std::ranges::max_element(now_);
    call(Collective::allreduce, [&](uint32_t) { return last + k_transfer; });
  }
  /// The ranks of each half have a communicator of their own.
  void allreduce_of_half(uint32_t half) {
    const auto size = static_cast<uint32_t>(now_.size() / 2);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      auto& its = ranks_[rank].says.communicators;
      if (its.size() > 1) continue;
      its.push_back({.name = "half", .number = rank / size + 1, .rank = rank % size});
      for (uint32_t i = 0; i < size; ++i) its.back().members.push_back(rank / size * size + i);
    }
    const auto first = now_.begin() + half * size;
    const uint64_t end = *std::max_element(first, first + size) + k_transfer;
    const uint32_t row =
        this->row({.communicator = 1, .collective = Collective::allreduce, .choice = "native"});
    for (uint32_t rank = half * size; rank < (half + 1) * size; ++rank) {
      const uint64_t ns = end - now_[rank];
      put(rank, {.row = row, .sequence = of_halves_[half], .inside_ns = ns, .whole_ns = ns, .bytes = 8});
      now_[rank] = end;
    }
    ++of_halves_[half];
  }
  void reduce(uint32_t root, uint64_t cost = k_transfer) {
    const uint64_t last = *std::ranges::max_element(now_);
    call(
        Collective::reduce, [&](uint32_t rank) { return rank == root ? last + cost : now_[rank] + k_us; },
        root);
  }
  void large_reduce(uint32_t root, uint64_t cost) {
    const uint64_t last = *std::ranges::max_element(now_);
    call(
        Collective::reduce, [&](uint32_t) { return last + cost; }, root);
  }
  void bcast(uint32_t root) {
    const uint64_t ready = now_[root];
    call(
        Collective::bcast, [&](uint32_t rank) { return std::max(now_[rank], ready) + k_transfer; }, root);
  }
  /// Each has started its part, and computes before it waits; the MPI makes no progress meanwhile.
  void iallreduce(const std::vector<uint64_t>& computes) {
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < now_.size(); ++rank) last = std::max(last, now_[rank] + computes[rank]);
    const uint32_t row = row_of(Collective::allreduce, select::CallInterface::nonblocking);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      const uint64_t waits = now_[rank] + computes[rank], end = last + k_transfer;
      put(rank, {.row = row, .sequence = sequence_, .inside_ns = end - waits, .whole_ns = end - now_[rank]});
      now_[rank] = end;
    }
    ++sequence_;
  }
  /// Messages come from the neighbours in a ring, all at once.
  void halo() {
    const auto ranks = static_cast<uint32_t>(now_.size());
    const std::vector<uint64_t> sent = now_;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      const uint32_t left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
      const uint64_t end = std::max({now_[rank], sent[left], sent[right]}) + k_transfer;
      for (const uint32_t peer : {left, right}) message(rank, peer, MessageCall::wait, end);
      now_[rank] = end;
    }
  }
  /// Two calls are under way at once, and one call waits for the end of both.
  void two_iallreduces(const std::vector<uint64_t>& computes) {
    const uint32_t row = row_of(Collective::allreduce, select::CallInterface::nonblocking);
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < now_.size(); ++rank) last = std::max(last, now_[rank] + computes[rank]);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      const uint64_t end = last + k_transfer, inside = end - now_[rank] - computes[rank];
      for (const uint32_t call : {0, 1})
        put(rank,
            {.row = row, .sequence = sequence_ + call, .inside_ns = inside, .whole_ns = end - now_[rank]});
      now_[rank] = end;
    }
    sequence_ += 2;
  }
  /// An MPI whose ranks make progress by pairs only: those that do not compute leave when all have started, but the
  /// partner of the one that computes, which leaves when that one waits.
  /// `calls` of them are under way at once, started one after the other.
  void iallreduce_of_pairs(uint32_t computing, uint32_t partner, uint64_t computes, uint32_t calls) {
    constexpr uint64_t k_next = 30 * k_us;
    for (uint64_t& now : now_) now += (calls - 1) * k_next;
    const uint64_t last = *std::ranges::max_element(now_), waits = now_[computing] + computes;
    const uint32_t row = row_of(Collective::allreduce, select::CallInterface::nonblocking);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      const bool is_late = rank == computing || rank == partner;
      const uint64_t end = (is_late ? std::max(waits, last) : last) + k_transfer;
      now_[rank] -= (calls - 1) * k_next;
      for (uint32_t call = 0; call < calls; ++call, now_[rank] += k_next) {
        const uint64_t whole = end - now_[rank];
        put(rank, {.row = row,
                   .sequence = sequence_ + call,
                   .inside_ns = rank == computing ? end - waits : whole,
                   .whole_ns = whole});
      }
      now_[rank] = end;
    }
    sequence_ += calls;
  }
  void receive(uint32_t rank, uint32_t from) {
    const uint64_t end = std::max(now_[rank], now_[from]) + k_transfer;
    message(rank, from, MessageCall::receive, end);
    now_[rank] = end;
  }

  /// Both ranks wait until the other one has come.
  void exchange(uint32_t a, uint32_t b) {
    const uint64_t end = std::max(now_[a], now_[b]) + k_transfer;
    message(a, b, MessageCall::exchange, end);
    message(b, a, MessageCall::exchange, end);
    now_[a] = now_[b] = end;
  }
  /// The program has called this function, by whose name its calls are not recorded.
  void name(MessageCall call, const std::string& function) { row({.message = call, .choice = function}); }
  /// All ranks enter MPI_Finalize. Their files are written at once, before the last one has come.
  void finalize() {
    for (uint32_t rank = 0; rank < now_.size(); ++rank) ranks_[rank].says.finalize_ns = now_[rank];
  }

  /// One of so many collective calls is recorded.
  void sample(uint32_t every) { every_ = every; }
  /// The oldest records of each rank are lost.
  void drop(size_t part_of_ten) {
    for (OfRank& rank : ranks_) {
      const size_t count = rank.records.size() * part_of_ten / 10;
      rank.records.erase(rank.records.begin(), rank.records.begin() + static_cast<ptrdiff_t>(count));
      rank.dropped = count;
    }
  }

  Json report() {
    const auto folder =
        std::filesystem::temp_directory_path() / ("tutti-verdicts-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      RankDescription& says = ranks_[rank].says;
      says.ended_ns = now_[rank];
      says.taken = ranks_[rank].records.size() + ranks_[rank].dropped;
      says.sampled_every = every_;
      says.rows = rows_;
      std::ofstream(folder / rank_file_name(rank), std::ios::binary) << rank_file(says, ranks_[rank].records);
    }
    const auto analysed = analyse(folder.string());
    EXPECT_TRUE(analysed) << analysed.status().message();
    std::filesystem::remove_all(folder);
    const Json report = report_json(*analysed, nullptr);
    check(*analysed, report);
    return report;
  }

 private:
  struct OfRank {
    RankDescription says;
    std::vector<PackedRecord> records;
    size_t dropped = 0;
  };

  /// Times add up, and what is advised is about the rank that the verdict names.
  static void check(const Analysis& of, const Json& report) {
    EXPECT_LE(of.caused_ns, of.waiting_ns);
    EXPECT_LE(of.waiting_ns + of.transfer_ns, of.rank_ns);
    for (const RankSums& rank : of.ranks) EXPECT_LE(rank.waiting_ns + rank.transfer_ns, rank.elapsed_ns);
    EXPECT_GT(of.without_lateness_ns(), 0u);
    const Json& verdict = report["verdicts"][0];
    for (const Json& sentence : report["what_to_do"]) {
      const auto text = sentence.get<std::string>();
      const size_t at = text.find("rank ");
      if (at == std::string::npos || !verdict.contains("rank")) continue;
      EXPECT_EQ(std::stoul(text.substr(at + 5)), verdict["rank"].get<size_t>()) << text;
    }
    EXPECT_EQ(report_line(report).find("for rank") != std::string::npos, verdict.contains("rank"));
  }

  uint32_t row_of(Collective collective, select::CallInterface interface) {
    return row({.collective = collective, .interface = interface, .choice = "native"});
  }
  uint32_t row(const Row& of) {
    const auto found = std::ranges::find_if(rows_, [&](const Row& one) {
      return one.collective == of.collective && one.interface == of.interface && one.message == of.message &&
             one.communicator == of.communicator && one.choice == of.choice;
    });
    const auto number = static_cast<uint32_t>(found - rows_.begin());
    if (number == rows_.size()) rows_.push_back(of);
    return number;
  }
  void put(uint32_t rank, CallRecord record) {
    if (rows_[record.row].message == MessageCall::none && record.sequence % every_ != 0) return;
    record.arrival_ns = now_[rank];
    ranks_[rank].records.push_back(PackedRecord::of(record));
  }
  void message(uint32_t rank, uint32_t peer, MessageCall call, uint64_t end) {
    const uint64_t ns = end - now_[rank];
    put(rank, {.row = row({.message = call}), .inside_ns = ns, .whole_ns = ns, .root = peer});
  }
  template <class End>
  void call(Collective collective, End end, uint32_t root = k_no_root) {
    std::vector<uint64_t> ends;
    const uint32_t row = row_of(collective, select::CallInterface::blocking);
    for (uint32_t rank = 0; rank < now_.size(); ++rank) ends.push_back(end(rank));
    for (uint32_t rank = 0; rank < now_.size(); ++rank) {
      const uint64_t ns = ends[rank] - now_[rank];
      put(rank,
          {.row = row, .sequence = sequence_, .inside_ns = ns, .whole_ns = ns, .bytes = 8, .root = root});
      now_[rank] = ends[rank];
    }
    ++sequence_;
  }

  std::vector<uint64_t> now_;
  std::vector<OfRank> ranks_;
  std::vector<Row> rows_;
  uint32_t sequence_ = 0, every_ = 1, of_halves_[2] = {0, 0};
};

inline std::string kind(const Json& report) {
  return report["verdicts"][0]["kind"];
}
inline std::string text(const Json& report) {
  return report["verdicts"][0]["text"];
}
inline std::vector<uint32_t> ranks(const Json& report) {
  const Json& verdict = report["verdicts"][0];
  auto named =
      verdict.contains("ranks") ? verdict["ranks"].get<std::vector<uint32_t>>() : std::vector<uint32_t>();
  std::ranges::sort(named);
  return named;
}
using Ranks = std::vector<uint32_t>;

}  // namespace tutti::record::analysis
