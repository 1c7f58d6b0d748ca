#include "multicast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "plain_tree.hpp"
#include "subnet.hpp"

namespace tutti::opensm {

using base::Result;
using base::Status;
using fabric::HostId;
using fabric::k_none;
using fabric::Mgid;
using fabric::TablePort;

namespace {

/// Calls `visit` for each group of an MLID.
template <class Visit>
void for_each_group(const osm_mgrp_box_t& box, const Visit& visit) {
  const cl_qlist_t* list = &box.mgrp_list;
  for (cl_list_item_t* item = cl_qlist_head(list); item != cl_qlist_end(list); item = cl_qlist_next(item))
    visit(*reinterpret_cast<osm_mgrp_t*>(reinterpret_cast<char*>(item) - offsetof(osm_mgrp_t, list_item)));
}

/// Number of MLIDs that a previous OpenSM may have left in the switches: not all 16,383, because writing all
/// blocks of a large subnet takes minutes.
constexpr unsigned k_most_inherited = 1024;

unsigned mlid_capacity(const osm_subn_t& subnet) {
  return subnet.max_mcast_lid_ho - IB_LID_MCAST_START_HO + 1u;
}

}  // namespace

Mgid mgid_of(const ib_gid_t& gid) {
  return {cl_ntoh64(gid.unicast.prefix), cl_ntoh64(gid.unicast.interface_id)};
}

/// Updates the plan to OpenSM's current state of the subnet.
Status Multicast::refresh() {
  if (!is_stale_ && plan_) return {};
  auto fabric = read_subnet(osm_->subn);
  if (!fabric) return fabric.status();
  Status status;
  if (!plan_)
    status = make_plan(std::move(fabric).value());
  else if (!is_same(*fabric, plan_->fabric()))
    status = change_fabric(std::move(fabric).value());
  if (status) is_stale_ = false;
  return status;
}

Status Multicast::make_plan(fabric::Fabric fabric) {
  const unsigned capacity = mlid_capacity(osm_->subn);
  uint32_t colours = options_.colours;
  if (colours == 0) colours = capacity > options_.reserve ? capacity - options_.reserve : 1;
  if (colours > capacity) {
    log(OSM_LOG_ERROR, fmt::format("colours={} is more than the smallest multicast table holds; using {}",
                                   colours, capacity));
    colours = capacity;
  }
  auto plan = MulticastPlan::create(
      std::move(fabric),
      {.colour_limit = colours, .method = options_.method, .merge = options_.merge, .seed = options_.seed});
  if (!plan) return plan.status();
  plan_ = std::move(plan).value();
  log(OSM_LOG_INFO,
      fmt::format("{} switches, {} end ports, multicast tables of {} entries, {} of them for groups",
                  plan_->fabric().switch_count(), plan_->fabric().end_port_count(), capacity, colours));
  highest_offset_ = std::min({colours + options_.reserve, capacity, k_most_inherited}) - 1;
  for (fabric::SwitchId id = 0; id < plan_->fabric().switch_count(); ++id)
    rewrite_all(plan_->fabric().switch_node(id).guid);
  return {};
}

Status Multicast::change_fabric(fabric::Fabric fabric) {
  std::vector<uint64_t> added;
  for (fabric::SwitchId id = 0; id < fabric.switch_count(); ++id)
    if (const uint64_t guid = fabric.switch_node(id).guid; plan_->fabric().find_switch(guid) == k_none)
      added.push_back(guid);
  if (Status status = plan_->change_fabric(std::move(fabric)); !status) return status;
  for (const uint64_t guid : added) rewrite_all(guid);
  return {};
}

/// A switch that existed before, under this OpenSM or another, may still hold entries of removed groups.
/// OpenSM writes no block above the highest one in use; for one pass this sets the highest to the last one
/// that may hold entries.
void Multicast::rewrite_all(uint64_t switch_guid) {
  osm_switch_t* object = osm_get_switch_by_guid(&osm_->subn, cl_hton64(switch_guid));
  if (object == nullptr) return;
  osm_mcast_tbl_t* table = osm_switch_get_mcast_tbl_ptr(object);
  const auto block = static_cast<int16_t>(highest_offset_ / IB_MCAST_BLOCK_SIZE);
  if (block <= table->max_block_in_use || osm_mcast_tbl_realloc(table, highest_offset_) != 0) return;
  table->max_block_in_use = block;
  rewritten_.push_back(switch_guid);
}

bool Multicast::is_in_charge() const {
  const osm_routing_engine_t* engine = osm_->routing_engine_used;
  return engine != nullptr && engine->name != nullptr && std::string_view(engine->name) == k_engine_name;
}

/// Drops groups that OpenSM has read from its database without their members, because another group of their
/// MLID came first. They will be joined again, and then get a planned MLID.
void Multicast::drop_empty_groups() {
  std::vector<osm_mgrp_t*> empty;
  const cl_fmap_t* table = &osm_->subn.mgrp_mgid_tbl;
  for (cl_fmap_item_t* item = cl_fmap_head(table); item != cl_fmap_end(table); item = cl_fmap_next(item)) {
    auto* group = reinterpret_cast<osm_mgrp_t*>(item);
    const bool is_empty =
        !group->well_known && group->full_members == 0 && cl_qmap_count(&group->mcm_port_tbl) == 0;
    if (is_empty && !unsettled_.contains(mgid_of(group->mcmember_rec.mgid))) empty.push_back(group);
  }
  for (osm_mgrp_t* group : empty) osm_mgrp_cleanup(&osm_->subn, group);
}

void Multicast::begin_pass() {
  is_stale_ = true;
  if (const Status status = refresh(); !status)
    return log(OSM_LOG_ERROR, "the subnet cannot be read: " + status.message());
  drop_empty_groups();
  for (const Mgid& mgid : plan_->groups()) forget_if_gone(mgid);  // OpenSM drops members without a request
}

/// Later passes write only the blocks in use.
void Multicast::end_pass() {
  for (const uint64_t guid : rewritten_) {
    osm_switch_t* object = osm_get_switch_by_guid(&osm_->subn, cl_hton64(guid));
    if (object == nullptr) continue;
    osm_mcast_tbl_t* table = osm_switch_get_mcast_tbl_ptr(object);
    unsigned offset = table->mft_depth;
    const auto is_empty = [&](unsigned at) {
      const auto& masks = (*table->p_mask_tbl)[at];
      return std::all_of(std::begin(masks), std::end(masks), [](uint16_t mask) { return mask == 0; });
    };
    while (offset > 0 && is_empty(offset - 1)) --offset;
    table->max_block_in_use = static_cast<int16_t>(offset == 0 ? -1 : (offset - 1) / IB_MCAST_BLOCK_SIZE);
  }
  rewritten_.clear();
}

Mlid Multicast::free_mlid() const {
  const unsigned capacity = mlid_capacity(osm_->subn);
  for (unsigned i = 0; i < capacity; ++i)
    if (const auto mlid = static_cast<Mlid>(IB_LID_MCAST_START_HO + i);
        osm_->subn.mboxes[i] == nullptr && !plan_->owns(mlid))
      return mlid;
  return 0;
}

Result<Mlid> Multicast::announce(const Mgid& mgid, const std::vector<uint64_t>& port_guids) {
  if (Status status = refresh(); !status) return status;
  plan_->leave(mgid);  // drops a group of this MGID that OpenSM has removed since
  std::vector<HostId> members;
  for (const uint64_t guid : port_guids)
    if (const HostId host = plan_->fabric().find_host(guid); host != k_none) members.push_back(host);
  auto mlid = plan_->join(mgid, std::move(members), [this] { return free_mlid(); });
  if (mlid) unsettled_.insert(mgid);
  return mlid;
}

osm_mgrp_t* Multicast::find(const Mgid& mgid) const {
  ib_gid_t gid;
  gid.unicast.prefix = cl_hton64(mgid.high);
  gid.unicast.interface_id = cl_hton64(mgid.low);
  return osm_get_mgrp_by_mgid(&osm_->subn, &gid);
}

/// Removes the group if no port could join it.
void Multicast::settle(const Mgid& mgid) {
  unsettled_.erase(mgid);
  if (osm_mgrp_t* group = find(mgid); group != nullptr && !group->well_known && group->full_members == 0)
    osm_mgrp_cleanup(&osm_->subn, group);
  if (osm_mgrp_t* group = find(mgid))
    osm_sm_reroute_mlid(&osm_->sm, group->mlid);
  else
    forget_if_gone(mgid);
}

void Multicast::forget_if_gone(const Mgid& mgid) {
  if (plan_ && !unsettled_.contains(mgid) && find(mgid) == nullptr) plan_->leave(mgid);
}

std::vector<HostId> Multicast::members_of(const osm_mgrp_t& group) const {
  std::vector<HostId> members;
  const cl_qmap_t* table = &group.mcm_port_tbl;
  for (cl_map_item_t* item = cl_qmap_head(table); item != cl_qmap_end(table); item = cl_qmap_next(item)) {
    const auto* member = reinterpret_cast<const osm_mcm_port_t*>(item);
    const HostId host = plan_->fabric().find_host(cl_ntoh64(member->port->guid));
    if (host != k_none) members.push_back(host);
  }
  return members;
}

/// Removes groups that OpenSM no longer has under this MLID from the plan.
void Multicast::drop_vanished(const osm_mgrp_box_t& box) {
  if (!plan_->owns(box.mlid)) return;
  std::set<Mgid> vanished = plan_->groups_of(box.mlid);
  for_each_group(box, [&](const osm_mgrp_t& group) { vanished.erase(mgid_of(group.mcmember_rec.mgid)); });
  for (const Mgid& mgid : vanished)
    if (!unsettled_.contains(mgid)) plan_->leave(mgid);
}

/// Updates the plan to OpenSM's state of the groups of this MLID. False if the plan cannot adopt it.
bool Multicast::follow(const osm_mgrp_box_t& box) {
  drop_vanished(box);
  bool is_foreign = false;
  for_each_group(box, [&](const osm_mgrp_t& group) {
    is_foreign |= group.well_known || !takes(options_, mgid_of(group.mcmember_rec.mgid));
  });
  if (is_foreign && !plan_->owns(box.mlid)) return false;
  bool is_followed = true;
  for_each_group(box, [&](const osm_mgrp_t& group) {
    const Mgid mgid = mgid_of(group.mcmember_rec.mgid);
    if (unsettled_.contains(mgid)) return;
    std::vector<HostId> members = members_of(group);
    if (members.empty()) return plan_->leave(mgid);
    const Status status = plan_->knows(mgid) ? plan_->change(mgid, std::move(members))
                                             : plan_->adopt(mgid, box.mlid, std::move(members));
    is_followed &= status.is_ok();
  });
  return is_followed;
}

void Multicast::write(const std::vector<TablePort>& ports, Mlid mlid) {
  highest_offset_ = std::max<unsigned>(highest_offset_, mlid - IB_LID_MCAST_START_HO);
  for (const TablePort& entry : ports) {
    const uint64_t guid = plan_->fabric().switch_node(entry.at).guid;
    osm_switch_t* object = osm_get_switch_by_guid(&osm_->subn, cl_hton64(guid));
    if (object == nullptr) continue;  // gone since the last sweep; the next one routes again
    osm_mcast_tbl_set(osm_switch_get_mcast_tbl_ptr(object), mlid, entry.port);
  }
}

ib_api_status_t Multicast::route(const osm_mgrp_box_t& box) {
  if (const Status status = refresh(); !status) {
    log(OSM_LOG_ERROR, fmt::format("MLID {:#x} is not routed: {}", box.mlid, status.message()));
    return IB_ERROR;
  }
  std::vector<TablePort> ports;
  if (follow(box)) {
    plan_->append_ports(box.mlid, ports);
  } else {
    std::vector<HostId> members;
    for_each_group(box, [&](const osm_mgrp_t& group) {
      const auto more = members_of(group);
      members.insert(members.end(), more.begin(), more.end());
    });
    ports = plain_tree(plan_->fabric(), members, 0);
  }
  write(ports, box.mlid);
  return IB_SUCCESS;
}

}  // namespace tutti::opensm
