#pragma once
// Ctrl-C: what was found so far is kept.

namespace tutti::bench {

/// Afterwards SIGINT and SIGTERM, which launchers forward or send instead, only set a flag: the ranks continue to
/// MPI_Finalize, where the rules are written. A rank that does not end within seconds is ended.
void catch_stop();
/// The flag of this rank.
bool is_stop_asked();

/// Exit status after Ctrl-C, as shells have it.
inline constexpr int k_interrupted = 130;

}  // namespace tutti::bench
