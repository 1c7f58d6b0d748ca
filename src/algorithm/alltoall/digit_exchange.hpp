#pragma once
// Alltoall by the digits of distances (Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all
// communications in multiport message-passing systems, IEEE TPDS 1997). The parcel for the member at distance i travels
// by the digits of i: at distance d = radix^k all parcels with digit j move together, j·d members ahead.
//
//   distance   1            2            4              p = 8, radix 2, parcels by distance from their source
//   i ─►       i+1          i+2          i+4
//              1 3 5 7      2 3 6 7      4 5 6 7
//
// Rounds ⌈log_radix p⌉ (one less if the last, partial distance does not depend on the previous one); the radix-1
// messages of a distance are concurrent. There is no initial or final rotation: blocks are packed from where they are,
// and a message of one block is not packed.

#include <functional>
#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "schedule/schedule.hpp"

namespace tutti::algorithm {

/// The members that exchange parcels, as seen by one of them.
struct DigitGroup {
  std::vector<Peer> members;
  Rank me = 0;  // index of this rank among them
  int64_t radix = 2;
  /// Number of blocks of a parcel for a member, by member; empty: one block each.
  std::vector<uint32_t> blocks_of = {};

  Rank size() const { return static_cast<Rank>(members.size()); }
  Rank ahead(Rank by) const { return (me + by) % size(); }
  Rank behind(Rank by) const { return (me - by + size()) % size(); }
  uint32_t block_count(Rank member) const {
    return blocks_of.empty() ? 1 : blocks_of[static_cast<size_t>(member)];
  }
};

/// All ranks, one parcel of one block for each.
DigitGroup all_by_digits(Rank rank_count, Rank me, uint64_t radix);

/// Source and destination of a parcel.
struct Route {
  Rank source, destination;  // members
};

/// The parcels that reach this member, in the order in which the sizes of their blocks are given (Landing::sizes).
std::vector<Route> arriving_parcels(const DigitGroup& group);

/// A block that is being forwarded.
struct CarriedBlock {
  BufRef at;
  TaskId ready = k_no_task;
};

/// Sends blocks in one message, packed if several are not empty. Sends nothing if all are empty.
TaskId send_together(ScheduleBuilder& builder, Peer to, std::span<const CarriedBlock> blocks,
                     TaskId after = k_no_task);

/// Copies a received block to its final buffer. If the lengths differ, the program is erroneous, and its call fails
/// when it has completed; the smaller length is copied.
void copy_to_place(ScheduleBuilder& builder, const CarriedBlock& block, BufRef place);

/// Adds the tasks of one member.
class DigitExchange {
 public:
  using Block = CarriedBlock;
  /// A member's blocks for another member, in an order that all members know.
  using Parcel = std::vector<Block>;

  struct Landing {
    Blocks sizes;        // of the arriving blocks, in the order of arriving_parcels()
    BufRef memory = {};  // receives all blocks in sequence; empty: scratch memory
    /// Final buffer of a block of a parcel for this member; empty: the block stays where it is received.
    std::function<BufRef(Rank source, uint32_t block)> place = {};
  };

  DigitExchange(ScheduleBuilder& builder, DigitGroup group, Landing landing);

  /// Sets the parcel for a member, this one included; call before move_all().
  void put(Rank member, Parcel parcel) { at_distance(member - group_.me) = std::move(parcel); }
  void move_all();
  /// The parcel from a member; call after move_all().
  const Parcel& from(Rank member) { return at_distance(group_.me - member); }

 private:
  /// Parcels by the distance from source to destination.
  Parcel& at_distance(Rank difference) {
    return parcels_[static_cast<size_t>((difference + group_.size()) % group_.size())];
  }
  void move(int64_t distance, int64_t digit);
  void send(Peer to, const std::vector<Rank>& moving);
  void receive(Peer from, const std::vector<Rank>& moving, int64_t reach);
  BufRef land(uint64_t bytes);

  ScheduleBuilder& builder_;
  DigitGroup group_;
  Landing landing_;
  uint64_t landed_blocks_ = 0, landed_bytes_ = 0;
  std::vector<Parcel> parcels_;
};

/// Moves all blocks of all ranks to their destinations. `arriving`: their sizes, in the order of arriving_parcels().
void exchange_by_digits(ScheduleBuilder& builder, const Request& request, Rank me, uint64_t radix,
                        const Blocks& arriving);

}  // namespace tutti::algorithm
