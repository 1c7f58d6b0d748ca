#pragma once
// The SA half of the plugin: it stands in front of OpenSM's handler of MCMemberRecord requests. Joins to
// groups that do not exist yet are held back until the group is complete; then the group is created with the
// MLID that the plan chose, and every request goes on to OpenSM's handler, which checks and answers it as
// ever.
//
// OpenSM's dispatcher calls handle() on threads of its own; a thread of the desk serves complete groups.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "gathering.hpp"
#include "headers.hpp"
#include "multicast.hpp"

namespace tutti::opensm {

/// A copy of a request; OpenSM takes the original back as soon as its handler returns.
class HeldRequest {
 public:
  /// Empty when there is no memory for a copy.
  HeldRequest(osm_mad_pool_t* pool, osm_madw_t* original);
  ~HeldRequest();
  HeldRequest(HeldRequest&& other) noexcept
      : pool_(other.pool_), copy_(std::exchange(other.copy_, nullptr)) {}
  HeldRequest& operator=(HeldRequest&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(copy_, other.copy_);
    return *this;
  }

  osm_madw_t* get() const { return copy_; }

 private:
  osm_mad_pool_t* pool_;
  osm_madw_t* copy_;
};

class JoinDesk {
 public:
  JoinDesk(osm_opensm_t* osm, Multicast* multicast);
  ~JoinDesk();

  /// Puts the desk before OpenSM's handler. False when the dispatcher does not take it: then OpenSM goes on
  /// alone.
  bool open();

 private:
  static void handle(void* desk, void* madw);
  void receive(osm_madw_t* madw);
  bool hold(osm_madw_t* madw, const ib_sa_mad_t& mad);
  void pass_on(osm_madw_t* madw) { osm_mcmr_rcv_process(&osm_->sa, madw); }
  void serve();
  void serve_group(const fabric::Mgid& mgid, const Gathering<HeldRequest>::Requests& requests);
  bool create_group(const fabric::Mgid& mgid, const Gathering<HeldRequest>::Requests& requests);

  osm_opensm_t* osm_;
  Multicast* multicast_;
  std::mutex mutex_;  // guards what follows; never taken together with OpenSM's lock
  std::condition_variable is_due_;
  Gathering<HeldRequest> gathering_;
  bool is_closing_ = false;
  std::thread server_;
};

}  // namespace tutti::opensm
