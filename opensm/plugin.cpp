// The plugin that OpenSM loads: an event plugin that registers the routing engine "tutti".
//
//   event_plugin_name tutti-opensm
//   routing_engine tutti
//
// The engine is one of OpenSM's own for unicast, with its multicast half replaced. If the plugin cannot work,
// it logs this once and OpenSM continues without it.

#include "headers.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <utility>

#include "join_handler.hpp"
#include "multicast.hpp"
#include "options.hpp"

namespace tutti::opensm {

namespace {

struct Plugin {
  Plugin(osm_opensm_t* the_osm, const Options& options)
      : osm(the_osm), multicast(the_osm, options), join_handler(the_osm, &multicast) {}

  osm_opensm_t* osm;
  Multicast multicast;
  JoinHandler join_handler;
};

// The engine's callbacks get the context of the unicast engine below, so the plugin is a global; OpenSM has
// one instance of it.
Plugin* the_plugin = nullptr;

ib_api_status_t build_tree(void*, osm_mgrp_box_t* box) {
  try {
    return the_plugin->multicast.route(*box);
  } catch (const std::exception& error) {
    log_line(the_plugin->osm, OSM_LOG_ERROR,
             fmt::format("MLID {:#x} is not routed: {}", box->mlid, error.what()));
    return IB_ERROR;
  }
}

using Setup = int (*)(osm_routing_engine*, osm_opensm_t*);

Setup setup_of(const std::string& base) {
  if (base == "updn") return osm_ucast_updn_setup;
  if (base == "dnup") return osm_ucast_dnup_setup;
  if (base == "ftree") return osm_ucast_ftree_setup;
  if (base == "sssp") return osm_ucast_sssp_setup;
  if (base == "dfsssp") return osm_ucast_dfsssp_setup;
  return osm_ucast_minhop_setup;
}

/// Called when `routing_engine` names the plugin; joins are deferred only in this case.
int set_up_engine(osm_routing_engine* engine, osm_opensm_t* osm) {
  const int failed = setup_of(the_plugin->multicast.options().base)(engine, osm);
  if (failed != 0) return failed;
  if (!the_plugin->join_handler.open()) {
    log_line(osm, OSM_LOG_ERROR, "OpenSM's dispatcher does not take another handler of joins");
    return -1;
  }
  engine->mcast_build_stree = build_tree;
  return 0;
}

void* create(osm_opensm_t* osm) {
  if (the_plugin != nullptr) return nullptr;
  const char* text = osm->subn.opt.event_plugin_options;
  const auto options = parse_options(text == nullptr ? "" : text);
  if (!options) {
    log_line(osm, OSM_LOG_ERROR, options.status().message() + "; the plugin is not used");
    return nullptr;
  }
  auto plugin = std::make_unique<Plugin>(osm, *options);
  external_routing_engine_module_t module{k_engine_name, set_up_engine, nullptr};
  if (osm_register_external_routing_engine(osm, &module, nullptr) != CL_SUCCESS) {
    log_line(osm, OSM_LOG_ERROR, "OpenSM does not take the routing engine 'tutti'");
    return nullptr;
  }
  the_plugin = plugin.release();
  log_line(osm, OSM_LOG_INFO, fmt::format("routing engine 'tutti' is there, over {}", options->base));
  return the_plugin;
}

void destroy(void*) {
  log_line(the_plugin->osm, OSM_LOG_INFO,
           fmt::format("{} groups in {} MLIDs at the end", the_plugin->multicast.group_count(),
                       the_plugin->multicast.mlid_count()));
  delete std::exchange(the_plugin, nullptr);
}

/// OpenSM calls it on the thread that sweeps, without holding its lock.
void report(void*, osm_epi_event_id_t event, void*) {
  if (event != OSM_EVENT_ID_UCAST_ROUTING_DONE && event != OSM_EVENT_ID_SUBNET_UP) return;
  const SubnetLock lock(&the_plugin->osm->lock, SubnetLock::Kind::write);
  try {
    if (event == OSM_EVENT_ID_UCAST_ROUTING_DONE)
      the_plugin->multicast.begin_pass();
    else
      the_plugin->multicast.end_pass();
  } catch (const std::exception& error) {
    log_line(the_plugin->osm, OSM_LOG_ERROR, fmt::format("the subnet cannot be read: {}", error.what()));
  }
}

}  // namespace

}  // namespace tutti::opensm

// OpenSM looks up this symbol and compares the version with its own.
extern "C" {
__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = {
    OSM_VERSION, tutti::opensm::create, tutti::opensm::destroy, tutti::opensm::report};
}
