#include "algorithm/bcast/tree_bcast.hpp"

#include <utility>

namespace tutti::algorithm {

BuildResult build_tree_bcast(const TreePlace& place, const pattern::Segments& segments) {
  ScheduleBuilder builder;
  for (uint64_t i = 0; i < segments.count(); ++i)
    pass_down(builder, place, {Slot::output, segments.offset(i), segments.length(i)});
  return std::move(builder).finish();
}

}  // namespace tutti::algorithm
