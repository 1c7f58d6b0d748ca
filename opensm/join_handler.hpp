#pragma once
// The SA half of the plugin: a handler of MCMemberRecord requests in front of OpenSM's own. Joins to groups
// that do not exist yet are deferred until the group is complete. Then the group is created with the MLID
// that the plan chose, and every request is passed to OpenSM's handler, which checks and answers it as usual.
//
// OpenSM's dispatcher calls handle() on its own threads. One thread of this handler serves complete groups.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "gathering.hpp"
#include "headers.hpp"
#include "multicast.hpp"

namespace tutti::opensm {

/// A copy of a request; OpenSM reclaims the original as soon as its handler returns.
class DeferredRequest {
 public:
  /// Empty if memory for a copy is exhausted.
  DeferredRequest(osm_mad_pool_t* pool, osm_madw_t* original);
  ~DeferredRequest();
  DeferredRequest(DeferredRequest&& other) noexcept
      : pool_(other.pool_), copy_(std::exchange(other.copy_, nullptr)) {}
  DeferredRequest& operator=(DeferredRequest&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(copy_, other.copy_);
    return *this;
  }

  osm_madw_t* get() const { return copy_; }

 private:
  osm_mad_pool_t* pool_;
  osm_madw_t* copy_;
};

class JoinHandler {
 public:
  JoinHandler(osm_opensm_t* osm, Multicast* multicast);
  ~JoinHandler();

  /// Replaces OpenSM's handler. False if the dispatcher refuses: then OpenSM continues without this one.
  bool open();

 private:
  static void handle(void* context, void* madw);
  void receive(osm_madw_t* madw);
  bool defer(osm_madw_t* madw, const ib_sa_mad_t& mad);
  void pass_on(osm_madw_t* madw) { osm_mcmr_rcv_process(&osm_->sa, madw); }
  void serve();
  void serve_group(const fabric::Mgid& mgid, const Gathering<DeferredRequest>::Requests& requests);
  bool create_group(const fabric::Mgid& mgid, const Gathering<DeferredRequest>::Requests& requests);

  osm_opensm_t* osm_;
  Multicast* multicast_;
  std::mutex mutex_;  // guards the members below; never held together with OpenSM's lock
  std::condition_variable is_due_;
  Gathering<DeferredRequest> gathering_;
  bool is_closing_ = false;
  std::thread server_;
};

}  // namespace tutti::opensm
