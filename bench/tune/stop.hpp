#pragma once
// Ctrl-C: what was found so far is kept.

namespace tutti::bench {

/// From now on SIGINT and SIGTERM, which launchers hand on or send instead of it, only set a mark: the ranks
/// go on to MPI_Finalize, where the rules are written. A rank that does not end within seconds is ended.
void catch_stop();
/// The mark of this rank.
bool is_stop_asked();

/// Exit status after Ctrl-C, as shells have it.
inline constexpr int k_interrupted = 130;

}  // namespace tutti::bench
