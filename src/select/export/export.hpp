#pragma once
// Exports rules in the formats of the MPIs themselves, for runs without Tutti. Each MPI has only some of Tutti's
// algorithms, and only for blocking calls; neither distinguishes nodes. Rules that cannot be expressed are left out and
// listed. Where such a rule would decide, the MPI decides itself, not the next rule.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "select/rules.hpp"

namespace tutti::select {

struct Exported {
  std::string text;                   // contents of the file
  std::vector<std::string> left_out;  // a line for each rule that is not exported, with the reason
  std::vector<std::string> remarks;   // a line for each rule of which only a part is exported
};

/// A dynamic rules file for Open MPI's component coll/tuned, versions 4.1 and 5.0 ("tuned dynamic rules" in its
/// documentation). Used with coll_tuned_use_dynamic_rules=1 and coll_tuned_dynamic_rules_filename=FILE.
Exported to_openmpi(std::span<const Rule> rules);

/// A tuning file for MPICH 4.0, for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE. MPICH takes all decisions from that
/// file, so it is derived from the one that this MPICH was built with (`own`; maint/tuning/coll/mpir/generic.json in
/// its sources). Decisions that the rules do not cover stay unchanged. Error: invalid_argument if `own` is not such a
/// file.
base::Result<Exported> to_mpich(std::span<const Rule> rules, std::string_view own);

}  // namespace tutti::select
