#pragma once
// The headers of OpenSM, for C++.
//
// osm_config.h must be included first: the layout of OpenSM's structures depends on it. One structure has a
// member called `delete`, which C++ code must rename; its offset is the same.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include <opensm/osm_config.h>

#define delete delete_plugin
#include <opensm/osm_event_plugin.h>
#undef delete

#include <opensm/osm_helper.h>
#include <opensm/osm_log.h>
#include <opensm/osm_multicast.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_sa.h>
#include <opensm/osm_switch.h>
#include <opensm/osm_version.h>

#ifdef FILE_ID
#undef FILE_ID
#endif

// Functions of the daemon that its installed headers do not declare (osm_opensm.c, osm_sa.c).
extern "C" {
int osm_ucast_minhop_setup(struct osm_routing_engine* engine, osm_opensm_t* osm);
int osm_ucast_updn_setup(struct osm_routing_engine* engine, osm_opensm_t* osm);
int osm_ucast_dnup_setup(struct osm_routing_engine* engine, osm_opensm_t* osm);
int osm_ucast_ftree_setup(struct osm_routing_engine* engine, osm_opensm_t* osm);
int osm_ucast_sssp_setup(struct osm_routing_engine* engine, osm_opensm_t* osm);
int osm_ucast_dfsssp_setup(struct osm_routing_engine* engine, osm_opensm_t* osm);
void osm_mcmr_rcv_process(void* sa, void* madw);
osm_mgrp_t* osm_mcmr_rcv_find_or_create_new_mgrp(osm_sa_t* sa, ib_net64_t comp_mask, ib_member_rec_t* record);
}

namespace tutti::opensm {

/// The file number of the plugin in OpenSM's log; OpenSM's own files have smaller ones.
inline constexpr int k_log_file_id = 200;

/// The plugin's name in the option `routing_engine`.
inline constexpr const char* k_engine_name = "tutti";

inline void log_line(osm_opensm_t* osm, osm_log_level_t level, const std::string& text) {
  osm_log_v2(&osm->log, level, k_log_file_id, "tutti: %s\n", text.c_str());
}

/// Holds OpenSM's lock, for writing or for reading.
class SubnetLock {
 public:
  enum class Kind { read, write };
  SubnetLock(cl_plock_t* lock, Kind kind) : lock_(lock) {
    if (kind == Kind::write)
      cl_plock_excl_acquire(lock_);
    else
      cl_plock_acquire(lock_);
  }
  ~SubnetLock() { cl_plock_release(lock_); }
  SubnetLock(const SubnetLock&) = delete;
  SubnetLock& operator=(const SubnetLock&) = delete;

 private:
  cl_plock_t* lock_;
};

}  // namespace tutti::opensm
