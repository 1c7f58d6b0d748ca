#include "join_handler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace tutti::opensm {

using fabric::Mgid;
using Requests = Gathering<DeferredRequest>::Requests;

namespace {

/// Number of requests that may be deferred at once; further ones are passed on at once, and OpenSM assigns
/// their MLID.
constexpr size_t k_most_deferred = 1'000'000;

/// Components that OpenSM requires to create a group (osm_sa_mcmember_record.c).
constexpr ib_net64_t k_create_mask =
    IB_MCR_COMPMASK_MGID | IB_MCR_COMPMASK_PORT_GID | IB_MCR_COMPMASK_JOIN_STATE | IB_MCR_COMPMASK_QKEY |
    IB_MCR_COMPMASK_TCLASS | IB_MCR_COMPMASK_PKEY | IB_MCR_COMPMASK_FLOW | IB_MCR_COMPMASK_SL;
constexpr uint8_t k_full_states = IB_JOIN_STATE_FULL | IB_JOIN_STATE_SEND_ONLY_FULL;

ib_member_rec_t& record_of(const ib_sa_mad_t& mad) {
  return *static_cast<ib_member_rec_t*>(ib_sa_mad_get_payload_ptr(const_cast<ib_sa_mad_t*>(&mad)));
}

uint64_t port_guid_of(const ib_sa_mad_t& mad) {
  return cl_ntoh64(record_of(mad).port_gid.unicast.interface_id);
}

bool can_create(const ib_sa_mad_t& mad) {
  return (mad.comp_mask & k_create_mask) == k_create_mask &&
         (record_of(mad).scope_state & k_full_states) != 0;
}

/// Sets the MTU and rate of the creating port where the request leaves them open, as OpenSM does.
ib_net64_t complete_from_port(ib_net64_t mask, ib_member_rec_t& record, osm_physp_t& port) {
  constexpr uint8_t k_exactly = IB_PATH_SELECTOR_EXACTLY << 6;
  constexpr ib_net64_t k_mtu = IB_MCR_COMPMASK_MTU | IB_MCR_COMPMASK_MTU_SEL;
  constexpr ib_net64_t k_rate = IB_MCR_COMPMASK_RATE | IB_MCR_COMPMASK_RATE_SEL;
  if ((mask & k_mtu) != k_mtu) record.mtu = k_exactly | ib_port_info_get_neighbor_mtu(&port.port_info);
  if ((mask & k_rate) != k_rate) {
    const int has_extended_speeds = (port.port_info.capability_mask & IB_PORT_CAP_HAS_EXT_SPEEDS) != 0;
    record.rate = k_exactly | ib_port_info_compute_rate(&port.port_info, has_extended_speeds);
  }
  return mask | k_mtu | k_rate;
}

/// Creates a group through OpenSM's own checks, under an MLID that other groups may already use. OpenSM
/// grants a requested MLID only if it has no box, so an existing box is taken out meanwhile, and then the new
/// group is added to it. The caller holds OpenSM's lock for writing.
osm_mgrp_t* create_under(osm_opensm_t* osm, ib_net64_t mask, ib_member_rec_t record, Mlid mlid) {
  osm_mgrp_box_t*& slot = reinterpret_cast<osm_mgrp_box_t*&>(osm->subn.mboxes[mlid - IB_LID_MCAST_START_HO]);
  osm_mgrp_box_t* const shared = std::exchange(slot, nullptr);
  record.mlid = cl_hton16(mlid);
  osm_mgrp_t* group = osm_mcmr_rcv_find_or_create_new_mgrp(&osm->sa, mask, &record);
  if (shared == nullptr) return group;
  osm_mgrp_box_t* const own = std::exchange(slot, shared);
  if (group == nullptr || own == nullptr) return group;
  cl_qlist_remove_item(&own->mgrp_list, &group->list_item);
  cl_qlist_insert_tail(&shared->mgrp_list, &group->list_item);
  osm_mgrp_box_delete(own);
  return group;
}

}  // namespace

DeferredRequest::DeferredRequest(osm_mad_pool_t* pool, osm_madw_t* original)
    : pool_(pool), copy_(osm_mad_pool_get(pool, original->h_bind, original->mad_size, &original->mad_addr)) {
  if (copy_ == nullptr) return;
  memcpy(static_cast<void*>(osm_madw_get_mad_ptr(copy_)), osm_madw_get_mad_ptr(original), original->mad_size);
  copy_->status = original->status;
}

DeferredRequest::~DeferredRequest() {
  if (copy_ != nullptr) osm_mad_pool_put(pool_, copy_);
}

JoinHandler::JoinHandler(osm_opensm_t* osm, Multicast* multicast)
    : osm_(osm),
      multicast_(multicast),
      gathering_(std::chrono::milliseconds(multicast->options().gather_ms), multicast->options().members) {}

JoinHandler::~JoinHandler() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  is_due_.notify_one();
  if (server_.joinable()) server_.join();
}

bool JoinHandler::open() {
  server_ = std::thread([this] { serve(); });
  const auto replace = [this](cl_disp_reg_handle_t& handler, cl_dispatcher_t& dispatcher) {
    cl_disp_unregister(handler);
    handler = cl_disp_register(&dispatcher, OSM_MSG_MAD_MCMEMBER_RECORD, &JoinHandler::handle, this);
    if (handler != CL_DISP_INVALID_HANDLE) return true;
    handler = cl_disp_register(&dispatcher, OSM_MSG_MAD_MCMEMBER_RECORD, osm_mcmr_rcv_process, &osm_->sa);
    return false;
  };
  bool is_open = replace(osm_->sa.mcmr_disp_h, osm_->disp);
  if (is_open && osm_->sa_set_disp_initialized)
    is_open = replace(osm_->sa.mcmr_set_disp_h, osm_->sa_set_disp);
  return is_open;
}

void JoinHandler::handle(void* context, void* madw) {
  auto* self = static_cast<JoinHandler*>(context);
  try {
    self->receive(static_cast<osm_madw_t*>(madw));
  } catch (const std::exception& error) {
    log_line(self->osm_, OSM_LOG_ERROR, fmt::format("a request goes to OpenSM as it is: {}", error.what()));
    self->pass_on(static_cast<osm_madw_t*>(madw));
  }
}

void JoinHandler::receive(osm_madw_t* madw) {
  const ib_sa_mad_t& mad = *osm_madw_get_sa_mad_ptr(madw);
  if (mad.method == IB_MAD_METHOD_SET && defer(madw, mad)) return;
  const Mgid mgid = mgid_of(record_of(mad).mgid);
  const bool may_end_group = mad.method == IB_MAD_METHOD_DELETE;
  pass_on(madw);
  if (!may_end_group) return;
  const SubnetLock lock(&osm_->lock, SubnetLock::Kind::write);
  multicast_->forget_if_gone(mgid);
}

bool JoinHandler::defer(osm_madw_t* madw, const ib_sa_mad_t& mad) {
  const ib_member_rec_t& record = record_of(mad);
  const Mgid mgid = mgid_of(record.mgid);
  if (!ib_gid_is_notzero(&record.mgid) || !takes(multicast_->options(), mgid)) return false;
  {
    const SubnetLock lock(&osm_->lock, SubnetLock::Kind::read);
    if (!multicast_->is_in_charge()) return false;
    if (osm_get_mgrp_by_mgid(&osm_->subn, const_cast<ib_gid_t*>(&record.mgid)) != nullptr) return false;
  }
  const std::lock_guard lock(mutex_);
  if (is_closing_ || gathering_.request_count() >= k_most_deferred) return false;
  if (!gathering_.has(mgid) && !can_create(mad)) return false;  // OpenSM reports the error
  DeferredRequest copy(&osm_->mad_pool, madw);
  if (copy.get() == nullptr) return false;
  gathering_.add(mgid, port_guid_of(mad), std::move(copy), std::chrono::steady_clock::now());
  is_due_.notify_one();
  return true;
}

void JoinHandler::serve() {
  std::unique_lock lock(mutex_);
  while (!is_closing_) {
    if (auto due = gathering_.take_due(std::chrono::steady_clock::now())) {
      lock.unlock();
      serve_group(due->first, due->second);
      due.reset();  // frees the requests without the lock
      lock.lock();
    } else if (const auto next = gathering_.next_due()) {
      is_due_.wait_until(lock, *next);
    } else {
      is_due_.wait(lock);
    }
  }
}

void JoinHandler::serve_group(const Mgid& mgid, const Requests& requests) {
  bool is_announced = false;
  try {
    const SubnetLock lock(&osm_->lock, SubnetLock::Kind::write);
    is_announced = create_group(mgid, requests);
  } catch (const std::exception& error) {
    log_line(osm_, OSM_LOG_ERROR,
             fmt::format("{}: OpenSM chooses the MLID: {}", to_string(mgid), error.what()));
  }
  for (const auto& [port, request] : requests) pass_on(request.get());
  if (!is_announced) return;
  const SubnetLock lock(&osm_->lock, SubnetLock::Kind::write);
  multicast_->settle(mgid);
}

/// False if the group is left to OpenSM.
bool JoinHandler::create_group(const Mgid& mgid, const Requests& requests) {
  const auto creator = std::find_if(requests.begin(), requests.end(), [](const auto& request) {
    return can_create(*osm_madw_get_sa_mad_ptr(request.second.get()));
  });
  if (creator == requests.end()) return false;
  const ib_sa_mad_t& mad = *osm_madw_get_sa_mad_ptr(creator->second.get());
  ib_member_rec_t record = record_of(mad);
  osm_port_t* port = osm_get_port_by_alias_guid(&osm_->subn, record.port_gid.unicast.interface_id);
  if (port == nullptr || osm_get_mgrp_by_mgid(&osm_->subn, &record.mgid) != nullptr) return false;

  std::vector<uint64_t> members;
  for (const auto& [alias_guid, request] : requests)
    if (const osm_port_t* member = osm_get_port_by_alias_guid(&osm_->subn, cl_hton64(alias_guid)))
      members.push_back(cl_ntoh64(osm_port_get_guid(member)));
  const auto mlid = multicast_->announce(mgid, members);
  if (!mlid) {
    log_line(osm_, OSM_LOG_ERROR,
             fmt::format("{}: OpenSM chooses the MLID: {}", to_string(mgid), mlid.status().message()));
    return false;
  }
  const ib_net64_t mask = complete_from_port(mad.comp_mask, record, *port->p_physp);
  if (create_under(osm_, mask, record, *mlid) != nullptr) return true;
  multicast_->settle(mgid);
  return false;
}

}  // namespace tutti::opensm
