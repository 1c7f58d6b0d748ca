#pragma once
// The routing half of the plugin: it answers OpenSM's multicast manager, MLID by MLID, from the plan.
//
// OpenSM's state defines the groups and their members. The plan is updated from it whenever an MLID is
// routed. All functions require that the caller holds OpenSM's lock for writing, which also protects the
// plan.

#include <optional>
#include <set>
#include <vector>

#include "headers.hpp"
#include "options.hpp"
#include "plan.hpp"

namespace tutti::opensm {

fabric::Mgid mgid_of(const ib_gid_t& gid);

class Multicast {
 public:
  Multicast(osm_opensm_t* osm, const Options& options) : osm_(osm), options_(options) {}

  /// True if OpenSM routes with the plugin's engine and has not fallen back to another.
  bool is_in_charge() const;

  /// Called after OpenSM has routed the subnet again, before it requests every MLID.
  void begin_pass();
  /// Called after OpenSM has written all tables.
  void end_pass();

  /// Routes a new group for the ports that request to join it, and returns the MLID for the answers. Until
  /// settle(), the plan keeps these members, whether OpenSM has let them join yet or not. Errors: as
  /// MulticastPlan::join().
  base::Result<Mlid> announce(const fabric::Mgid& mgid, const std::vector<uint64_t>& port_guids);
  /// From now on the plan takes the members of the group, and its existence, from OpenSM.
  void settle(const fabric::Mgid& mgid);
  /// Removes a group that OpenSM no longer has.
  void forget_if_gone(const fabric::Mgid& mgid);

  /// Writes the tables of one MLID. OpenSM calls it for each MLID whose groups changed, and for all after a
  /// heavy sweep.
  ib_api_status_t route(const osm_mgrp_box_t& box);

  const Options& options() const { return options_; }
  size_t group_count() const { return plan_ ? plan_->group_count() : 0; }
  size_t mlid_count() const { return plan_ ? plan_->mlid_count() : 0; }

 private:
  base::Status refresh();
  base::Status make_plan(fabric::Fabric fabric);
  base::Status change_fabric(fabric::Fabric fabric);
  void rewrite_all(uint64_t switch_guid);
  void drop_empty_groups();
  Mlid free_mlid() const;
  bool follow(const osm_mgrp_box_t& box);
  void drop_vanished(const osm_mgrp_box_t& box);
  osm_mgrp_t* find(const fabric::Mgid& mgid) const;
  std::vector<fabric::HostId> members_of(const osm_mgrp_t& group) const;
  void write(const std::vector<fabric::TablePort>& ports, Mlid mlid);
  void log(osm_log_level_t level, const std::string& text) const { log_line(osm_, level, text); }

  osm_opensm_t* osm_;
  const Options options_;
  bool is_stale_ = true;
  std::optional<MulticastPlan> plan_;
  std::set<fabric::Mgid> unsettled_;
  unsigned highest_offset_ = 0;      // largest offset from the first MLID among those written so far
  std::vector<uint64_t> rewritten_;  // switches whose whole table is written in this pass, by GUID
};

}  // namespace tutti::opensm
