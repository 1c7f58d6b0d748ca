#pragma once
// The SA half of the plugin: a handler of MCMemberRecord requests in front of OpenSM's own. Joins to groups
// that do not exist yet are deferred until the group is complete. Then the group is created with the MLID
// that the plan chose, and every request goes on to OpenSM's handler, which checks and answers it as ever.
//
// OpenSM's dispatcher calls handle() on threads of its own. A thread of this handler serves complete groups.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "gathering.hpp"
#include "headers.hpp"
#include "multicast.hpp"

namespace tutti::opensm {

/// A copy of a request; OpenSM takes the original back as soon as its handler returns.
class DeferredRequest {
 public:
  /// Empty when there is no memory for a copy.
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

  /// Takes the place of OpenSM's handler. False when the dispatcher refuses: then OpenSM goes on alone.
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
  std::mutex mutex_;  // guards what follows; never taken together with OpenSM's lock
  std::condition_variable is_due_;
  Gathering<DeferredRequest> gathering_;
  bool is_closing_ = false;
  std::thread server_;
};

}  // namespace tutti::opensm
