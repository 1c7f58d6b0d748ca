#pragma once
// The process whose threads are the ranks of a node, or of a part of it.

#include <mpi.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "actors/calls/container_services.hpp"
#include "actors/calls/rank.hpp"
#include "actors/container/container_group.hpp"
#include "actors/container/rank_map.hpp"
#include "actors/network/container_network.hpp"

namespace tutti::actors {

/// Is notified of events in the life of ranks. Any thread.
class LifeObserver {
 public:
  /// The rank has called MPI_Init.
  virtual void initialised(const Rank& rank) = 0;
  /// All ranks of the job have entered MPI_Finalize: JobRecord::end() is due, then Container::record_has_ended().
  /// Called once.
  virtual void record_ends() = 0;
  /// The job has to end. A thread of a rank must not call the native MPI for that: it does not have the
  /// process's files.
  virtual void aborts(const Rank& rank, int code) = 0;

 protected:
  ~LifeObserver() = default;
};

class Container final : public ContainerServices, public Receivers {
 public:
  /// Construct after MPI_Init_thread() of the native MPI, which must have granted MPI_THREAD_MULTIPLE.
  /// `mine`: the ranks that are threads of this process. `observer` must outlive it.
  Container(RankMap rank_map, JobSettings settings, std::unique_ptr<JobRecord> job_record,
            const std::vector<int>& mine, LifeObserver& observer);
  /// Call disconnect() before.
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  /// Call when all ranks of the job are done with MPI: no message is sent after this.
  void disconnect();

  /// nullptr: the rank is in another process.
  Rank* rank(int world_rank) const { return by_world_rank_[static_cast<size_t>(world_rank)]; }
  std::span<const std::unique_ptr<Rank>> ranks() const { return ranks_; }

  const RankMap& rank_map() const override { return rank_map_; }
  const JobSettings& job_settings() const override { return job_settings_; }
  const JobRecord* job_record() const override { return job_record_.get(); }
  JobRecord* job_record() { return job_record_.get(); }
  void end_record(Rank& rank) override;
  void record_has_ended();
  MPI_Group world_group() const override { return world_group_; }
  void send(Rank& from, int to, const Envelope& envelope, std::span<const std::byte> data, SendMode mode,
            SendOperation* operation) override;
  void send_to_group(Rank& from, int leader, const ContainerGroupKey& key, const Envelope& envelope,
                     std::span<const std::byte> data, SendOperation* operation) override;
  ContainerGroup& group(const ContainerGroupKey& key) override;
  std::unique_ptr<ContainerGroupMember> join_group(const ContainerGroupKey& key, std::span<const int> here,
                                                   size_t index) override;
  void drop_group_if_over(const ContainerGroupKey& key) override;
  int* universe_size() override { return &universe_size_; }
  [[noreturn]] void abort(const Rank& rank, int code, const std::string& why) const override;
  [[noreturn]] void abort_with_error(const Rank& rank, const Communicator* on, int code) const override;
  void initialised(const Rank& rank) override;
  bool are_loaded() const override { return are_loaded_; }
  void set_loaded() { are_loaded_ = true; }
  Mailbox& mailbox_of(int rank) override { return by_world_rank_[static_cast<size_t>(rank)]->mailbox(); }
  Mailbox& mailbox_of(const ContainerGroupKey& key) override { return group(key).mailbox(); }

 private:
  const RankMap rank_map_;
  const JobSettings job_settings_;
  const std::unique_ptr<JobRecord> job_record_;
  std::atomic<bool> are_loaded_{false}, is_record_ending_{false}, has_record_ended_{false};
  MPI_Group world_group_ = MPI_GROUP_NULL;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<Rank*> by_world_rank_;
  std::unique_ptr<ContainerNetwork> network_;  // nullptr: all ranks are in this process
  std::mutex mutex_;
  std::map<ContainerGroupKey, std::unique_ptr<ContainerGroup>> groups_;
  int universe_size_ = 0;
  LifeObserver& observer_;
};

}  // namespace tutti::actors
