#pragma once
// State of an execution. Internal to simulate/.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulate/actor.hpp"
#include "simulate/event_queue.hpp"
#include "simulate/executor.hpp"
#include "simulate/shared_memory.hpp"

namespace tutti::simulate {

class SimulatedExecution {
 public:
  SimulatedExecution(Cast& cast, const Costs& costs, const interconnect::NetworkTopology* topology);
  base::Result<SimulationOutcome> run(const AskToStop& stops);

 private:
  enum class Kind : uint8_t {
    arrive,    // an actor arrives
    cpu_done,  // an actor's CPU has finished its work for the task
    hop,       // the head of a message has reached a router
    head,      // the head of a message has reached the NIC of its destination
    data,      // the whole message has reached its destination
    ask,       // the request of a long message has arrived
    invite,    // the answer to the request has arrived
    sent,      // the source buffer of a long message is no longer needed
    memory,    // a copy that shares a node's memory ends
  };
  /// For events of messages, `actor` and `task` are those of the send.
  struct Event {
    Kind kind;
    uint8_t lane = 0;   // hop
    uint16_t port = 0;  // hop
    Actor actor = 0;    // memory: node
    TaskId task = 0;
    uint32_t where = 0;  // hop: router; memory: number of the announcement
  };
  struct Node {
    uint64_t out_free = 0, in_free = 0;  // of the NIC: time when it is free
    uint32_t announcement = 0;
    std::optional<SharedMemory> memory;
    std::vector<Event> parked;  // messages for its leader, until there is one
  };

  /// A CPU that copies, and the work that follows.
  struct Copying {
    Actor actor;
    TaskId task;
    uint64_t further_ps;
  };

  void handle(const Event& event);

  // Actors.
  void arrive(Actor actor);
  void make_ready(Actor actor, TaskId id);
  void release(Actor actor, TaskId successor);
  void note_begin(Actor actor, TaskId id);
  void queue_channel(Actor actor, uint32_t index);
  void start_receive(Actor actor, TaskId id);
  void complete(Actor actor, TaskId id);
  void run(Actor actor);
  void begin_work(Actor actor, TaskId id);
  void begin_send(Actor actor, TaskId id);
  void begin_receive(Actor actor, TaskId id);
  void end_work(Actor actor, TaskId id);
  void end_send(Actor actor, TaskId id);
  void end_receive(Actor actor, TaskId id);
  void be_busy(Actor actor, TaskId with, uint64_t ps);
  void copy(Actor actor, TaskId with, uint64_t further_ps);
  void memory_moves(uint32_t node, uint32_t announcement);
  void announce_memory(uint32_t node);

  // Messages.
  void inject(Actor sender, TaskId task, uint64_t from);
  void hop(const Event& event);
  void come_in(const Event& event);
  void deliver(const Event& event);
  void answer(Actor receiver, TaskId task);
  TaskId receive_of(Actor receiver, const Event& event);
  TaskId wild_receive_of(Actor receiver, const Event& event, const Address& from);
  Actor peer_of(Actor self, const Address& peer) const;
  Sent partner_of(Actor receiver, TaskId task) const;
  uint32_t node_of_peer(Actor actor, TaskId task) const;
  Address seen_from(Actor self, Actor peer, const Address& as) const;
  const ShapeChannel& channel_of(Actor actor, TaskId task) const;
  bool is_inside(Actor actor, TaskId task) const { return node_of_peer(actor, task) == nodes_of_[actor]; }
  uint64_t bytes_of(Actor actor, TaskId task) const;
  uint64_t later(uint64_t than, uint64_t by);
  bool is_eager(Actor sender, TaskId task) const;

  void fail(std::string what);
  std::string name_of(Actor actor, TaskId task) const;
  std::string name_of(Actor self, const Address& peer) const;
  base::Status why_unfinished() const;

  Cast& cast_;
  const Costs costs_;
  const interconnect::NetworkTopology* topology_;
  EventQueue<Event> events_;
  uint64_t now_ = 0;
  std::pmr::unsynchronized_pool_resource memory_;  // for actors_
  std::vector<ActorPointer> actors_;               // between arrival and end
  std::vector<const Shape*> shapes_;               // of the actors that have arrived
  std::vector<uint32_t> nodes_of_;                 // by actor
  std::vector<Node> nodes_;
  std::vector<uint64_t> links_free_;                     // by router and port
  std::unordered_map<Actor, std::vector<Event>> early_;  // messages for actors that have not arrived
  std::vector<Copying> copies_;                          // pending in shared memory
  std::vector<uint32_t> free_copies_;                    // free indices of copies_
  std::unordered_map<uint64_t, Sent> wild_senders_;      // by receiver and task
  std::unordered_map<uint64_t, TaskId> wild_receives_;   // by sender and task
  std::unordered_map<uint64_t, uint64_t> shorter_;       // bytes received, by receiver and task
  std::vector<TaskId> completed_;
  std::vector<uint32_t> ended_copies_;
  SimulationOutcome outcome_;
  uint32_t open_actors_ = 0;
  base::Status status_;
};

}  // namespace tutti::simulate
