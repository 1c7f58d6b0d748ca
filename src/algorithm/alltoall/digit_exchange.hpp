#pragma once
// Alltoall by the digits of distances (Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all
// communications in multiport message-passing systems, IEEE TPDS 1997). What is for the member at distance i travels by
// the digits of i: at distance d = radix^k everything whose digit there is j moves on together, j·d members ahead.
//
//   distance   1            2            4              p = 8, radix 2, parcels by distance from their source
//   i ─►       i+1          i+2          i+4
//              1 3 5 7      2 3 6 7      4 5 6 7
//
// Rounds ⌈log_radix p⌉ (one less where the last, partial distance need not wait for the one before); the radix-1
// messages of a distance go at the same time. No initial or final rotation: blocks are packed from where they lie,
// and a message of one block is not packed at all.

#include <functional>
#include <span>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/request.hpp"
#include "schedule/schedule.hpp"

namespace tutti::algorithm {

/// Who exchanges parcels, seen from one of them.
struct DigitGroup {
  std::vector<schedule::Peer> members;
  Rank me = 0;  // index of this rank among them
  int64_t radix = 2;
  /// How many blocks a parcel for a member has, by member; empty: one.
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

/// Where a parcel is from and for.
struct Route {
  Rank source, destination;  // members
};

/// The parcels that reach this member, in the order in which the exchange asks for the sizes of their blocks.
std::vector<Route> arriving_parcels(const DigitGroup& group);

/// A block on its way.
struct CarriedBlock {
  schedule::BufRef at;
  schedule::TaskId ready = schedule::k_no_task;
};

/// Sends blocks in one message, packed where there are several that are not empty; none where all are.
schedule::TaskId send_together(schedule::ScheduleBuilder& builder, schedule::Peer to,
                               std::span<const CarriedBlock> blocks,
                               schedule::TaskId after = schedule::k_no_task);

/// Copies a block that has arrived to its place. Where the two differ in length the program is wrong, and its call
/// fails when it has ended: as much is copied as there is and fits.
void copy_to_place(schedule::ScheduleBuilder& builder, const CarriedBlock& block, schedule::BufRef place);

/// The tasks of one member.
class DigitExchange {
 public:
  using Block = CarriedBlock;
  /// What one member has for another: blocks in an order that all members know.
  using Parcel = std::vector<Block>;

  struct Landing {
    Blocks sizes;                  // of the blocks that arrive, in the order of arriving_parcels()
    schedule::BufRef memory = {};  // where they lie one after the other; empty: scratch memory
    /// Where a block of a parcel ends at this member; empty: wherever it lands.
    std::function<schedule::BufRef(Rank source, uint32_t block)> place = {};
  };

  DigitExchange(schedule::ScheduleBuilder& builder, DigitGroup group, Landing landing);

  /// Before move_all(): what is for a member, this one too.
  void put(Rank member, Parcel parcel) { at_distance(member - group_.me) = std::move(parcel); }
  void move_all();
  /// After it: what came from a member.
  const Parcel& from(Rank member) { return at_distance(group_.me - member); }

 private:
  /// Parcels by the distance from their source to their destination.
  Parcel& at_distance(Rank difference) {
    return parcels_[static_cast<size_t>((difference + group_.size()) % group_.size())];
  }
  void move(int64_t distance, int64_t digit);
  void send(schedule::Peer to, const std::vector<Rank>& moving);
  void receive(schedule::Peer from, const std::vector<Rank>& moving, int64_t reach);
  schedule::BufRef land(uint64_t bytes);

  schedule::ScheduleBuilder& builder_;
  DigitGroup group_;
  Landing landing_;
  uint64_t landed_blocks_ = 0, landed_bytes_ = 0;
  std::vector<Parcel> parcels_;
};

/// All blocks of all ranks, each to its place. `arriving`: their sizes, in the order of arriving_parcels().
void exchange_by_digits(schedule::ScheduleBuilder& builder, const Request& request, Rank me, uint64_t radix,
                        const Blocks& arriving);

}  // namespace tutti::algorithm
