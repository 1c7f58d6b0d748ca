// Creation and properties of communicators (MPI 4.0, chapter 7).

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "actors/calls/attribute_functions.hpp"
#include "actors/calls/container_services.hpp"
#include "actors/calls/context_agreement.hpp"
#include "actors/calls/rank.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace {

/// The first member reserves `count` contexts, one per possible communicator. Pass the result as the last
/// number of a ContextAgreement.
int64_t given_context(Rank& me, std::span<const int> members, int count) {
  return members[0] == me.world_rank() ? static_cast<int64_t>(me.reserve_contexts(count)) : 0;
}

/// The context of communicator `number` among those that are created together.
uint64_t taken_context(std::span<const int> members, const ContextAgreement& agreement, size_t number) {
  return context_of(members[0], static_cast<uint64_t>(agreement.of(0).back()) + number);
}

/// Copies the properties that a duplicate inherits from its original, in addition to the members.
int inherit(Rank& me, const Communicator& from, Communicator* to) {
  to->topology = from.topology;
  to->info = from.info;
  return copy_attributes(me, from.handle, from.attributes, &to->attributes);
}

void inherit_handler(const Communicator& from, Communicator* to) {
  to->error_handler = from.error_handler;
  if (to->error_handler != nullptr && to->error_handler != &returning_handler()) ++to->error_handler->users;
}

MPI_Comm give(Rank& me, const Communicator& from, std::unique_ptr<Communicator> made) {
  inherit_handler(from, made.get());
  return me.give(std::move(made));
}

int duplicate(Rank& me, Communicator& from, uint64_t context, MPI_Comm* newcomm) {
  auto made = me.make(context, from.members());
  if (const int code = inherit(me, from, made.get()); code != MPI_SUCCESS) return code;
  *newcomm = give(me, from, std::move(made));
  return MPI_SUCCESS;
}

/// Concurrent duplications end in any order, so each has its own tag; tag 0 is for blocking creations.
int next_tag(Communicator& from) {
  constexpr int k_tags = 1 << 20;
  return 1 + from.late_duplicates++ % k_tags;
}

/// A nonblocking duplication: the handle exists immediately, and is usable once this request is done.
class DuplicateRequest final : public Request {
 public:
  DuplicateRequest(Rank& owner, Communicator& from, Communicator& made)
      : Request(owner, &from),
        made_(made),
        agreement_(owner, from.members(), from.context(Traffic::creation), next_tag(from),
                   {given_context(owner, from.members(), 1)}) {
    owner.active_collectives().push_back(this);
  }
  ~DuplicateRequest() override { std::erase(owner_.active_collectives(), this); }
  bool is_done() const override { return is_over_; }
  bool progress() override {
    if (is_over_ || !agreement_.is_over()) return false;
    return is_over_ = true;
  }
  int finish(MPI_Status* status) override {
    set_empty(status);
    made_.set_context(taken_context(communicator()->members(), agreement_, 0));
    return MPI_SUCCESS;
  }

 private:
  Communicator& made_;
  ContextAgreement agreement_;
  bool is_over_ = false;
};

std::vector<int> world_ranks_of(Rank& me, MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<size_t>(size)), in_world(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
  PMPI_Group_translate_ranks(group, size, ranks.data(), me.container().world_group(), in_world.data());
  return in_world;
}

int split(Rank& me, Communicator& from, int color, int key, MPI_Comm* newcomm) {
  *newcomm = MPI_COMM_NULL;
  ContextAgreement agreement(me, from.members(), from.context(Traffic::creation), 0,
                             {color, key, given_context(me, from.members(), from.size())});
  static const std::string name = "MPI_Comm_split";
  agreement.wait(from, name);
  std::set<int64_t> colors;
  std::vector<std::pair<int64_t, int>> mine;  // key, rank
  for (int r = 0; r < from.size(); ++r) {
    const auto told = agreement.of(static_cast<size_t>(r));
    if (told[0] != MPI_UNDEFINED) colors.insert(told[0]);
    if (told[0] == color) mine.emplace_back(told[1], r);
  }
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  std::ranges::sort(mine);
  std::vector<int> members;
  for (const auto& [unused, rank] : mine) members.push_back(from.members()[static_cast<size_t>(rank)]);
  const auto place = static_cast<size_t>(std::distance(colors.begin(), colors.find(color)));
  const uint64_t context = taken_context(from.members(), agreement, place);
  *newcomm = give(me, from, me.make(context, std::move(members)));
  return MPI_SUCCESS;
}

/// Sets the world ranks of `group`; MPI_ERR_GROUP if not all are in `from`.
int find_members(Rank& me, const Communicator& from, MPI_Group group, std::vector<int>* members) {
  if (group == MPI_GROUP_NULL) return MPI_ERR_GROUP;
  *members = world_ranks_of(me, group);
  std::vector<int> all = from.members(), some = *members;
  std::ranges::sort(all);
  std::ranges::sort(some);
  return std::ranges::includes(all, some) ? MPI_SUCCESS : MPI_ERR_GROUP;
}

/// The colour for MPI_Comm_split_type; nullopt: unknown type. For ranks as threads it is unknown which part
/// of a node a rank is on (MPI 4.0, §7.4.2): the standard's types for that give no communicator, and for Open
/// MPI's types, which always give one, each rank is alone.
std::optional<int> colour_of(int split_type, const Rank& me) {
  const int node = me.container().rank_map().node_of(me.world_rank());
  if (split_type == MPI_COMM_TYPE_SHARED) return node;
  if (split_type == MPI_UNDEFINED) return MPI_UNDEFINED;
#ifdef MPIX_COMM_TYPE_NEIGHBORHOOD
  if (split_type == MPIX_COMM_TYPE_NEIGHBORHOOD) return MPI_UNDEFINED;
#endif
#if MPI_VERSION >= 4
  if (split_type == MPI_COMM_TYPE_HW_GUIDED || split_type == MPI_COMM_TYPE_HW_UNGUIDED) return MPI_UNDEFINED;
#endif
#ifdef OPEN_MPI
  if (split_type >= OMPI_COMM_TYPE_HWTHREAD && split_type <= OMPI_COMM_TYPE_NUMA) return me.world_rank();
  if (split_type == OMPI_COMM_TYPE_BOARD || split_type == OMPI_COMM_TYPE_HOST) return node;
  if (split_type == OMPI_COMM_TYPE_CU || split_type == OMPI_COMM_TYPE_CLUSTER) return 0;
#endif
  return {};
}

}  // namespace

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Comm_rank(Rank& me, MPI_Comm comm, int* rank) {
  const Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  if (rank == nullptr) return me.result(nullptr, MPI_ERR_ARG);
  *rank = on->rank();
  return MPI_SUCCESS;
}

int Comm_size(Rank& me, MPI_Comm comm, int* size) {
  const Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  if (size == nullptr) return me.result(nullptr, MPI_ERR_ARG);
  *size = on->size();
  return MPI_SUCCESS;
}

int Comm_dup(Rank& me, MPI_Comm comm, MPI_Comm* newcomm) {
  int code = MPI_SUCCESS;
  Communicator* const from = me.find_original(comm, newcomm, &code);
  if (from == nullptr) return code;
  ContextAgreement agreement(me, from->members(), from->context(Traffic::creation), 0,
                             {given_context(me, from->members(), 1)});
  static const std::string name = "MPI_Comm_dup";
  agreement.wait(*from, name);
  return me.result(from, duplicate(me, *from, taken_context(from->members(), agreement, 0), newcomm));
}

int Comm_dup_with_info(Rank& me, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  const int code = Comm_dup(me, comm, newcomm);
  if (code != MPI_SUCCESS) return code;
  me.find(*newcomm)->info.clear();
  return Comm_set_info(me, *newcomm, info);
}

int Comm_idup(Rank& me, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  int code = MPI_SUCCESS;
  Communicator* const from = me.find_original(comm, newcomm, &code);
  if (from == nullptr) return code;
  code = duplicate(me, *from, 0, newcomm);
  if (code != MPI_SUCCESS) return me.result(from, code);
  *request = me.give(std::make_unique<DuplicateRequest>(me, *from, *me.find(*newcomm)));
  return MPI_SUCCESS;
}

int Comm_idup_with_info(Rank& me, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  const int code = Comm_idup(me, comm, newcomm, request);
  if (code != MPI_SUCCESS) return code;
  me.find(*newcomm)->info.clear();
  return Comm_set_info(me, *newcomm, info);
}

int Comm_split(Rank& me, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  int code = MPI_SUCCESS;
  Communicator* const from = me.find_original(comm, newcomm, &code);
  if (from == nullptr) return code;
  if (color < 0 && color != MPI_UNDEFINED) return me.result(from, MPI_ERR_ARG);
  return split(me, *from, color, key, newcomm);
}

int Comm_split_type(Rank& me, MPI_Comm comm, int split_type, int key, MPI_Info, MPI_Comm* newcomm) {
  int code = MPI_SUCCESS;
  Communicator* const from = me.find_original(comm, newcomm, &code);
  if (from == nullptr) return code;
  const std::optional<int> colour = colour_of(split_type, me);
  return colour ? split(me, *from, *colour, key, newcomm) : me.result(from, MPI_ERR_ARG);
}

int Comm_create(Rank& me, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  int code = MPI_SUCCESS;
  Communicator* const from = me.find_original(comm, newcomm, &code);
  if (from == nullptr) return code;
  std::vector<int> members;
  code = find_members(me, *from, group, &members);
  if (code != MPI_SUCCESS) return me.result(from, code);
  // The groups of one call are disjoint.
  const int64_t first_member = members.empty() ? -1 : members[0];
  ContextAgreement agreement(me, from->members(), from->context(Traffic::creation), 0,
                             {first_member, given_context(me, from->members(), from->size())});
  static const std::string name = "MPI_Comm_create";
  agreement.wait(*from, name);
  std::set<int64_t> groups;
  for (size_t i = 0; i < agreement.size(); ++i)
    if (agreement.of(i)[0] >= 0) groups.insert(agreement.of(i)[0]);
  if (std::ranges::find(members, me.world_rank()) == members.end()) return MPI_SUCCESS;
  const auto place = static_cast<size_t>(std::distance(groups.begin(), groups.find(first_member)));
  const uint64_t context = taken_context(from->members(), agreement, place);
  *newcomm = give(me, *from, me.make(context, std::move(members)));
  return MPI_SUCCESS;
}

int Comm_create_group(Rank& me, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  int code = MPI_SUCCESS;
  Communicator* const from = me.find_original(comm, newcomm, &code);
  if (from == nullptr) return code;
  if (tag < 0) return me.result(from, MPI_ERR_TAG);
  std::vector<int> members;
  code = find_members(me, *from, group, &members);
  if (code != MPI_SUCCESS) return me.result(from, code);
  if (std::ranges::find(members, me.world_rank()) == members.end()) return MPI_SUCCESS;
  ContextAgreement agreement(me, members, from->context(Traffic::group_creation), tag,
                             {given_context(me, members, 1)});
  static const std::string name = "MPI_Comm_create_group";
  agreement.wait(*from, name);
  const uint64_t context = taken_context(members, agreement, 0);
  *newcomm = give(me, *from, me.make(context, std::move(members)));
  return MPI_SUCCESS;
}

int Comm_free(Rank& me, MPI_Comm* comm) {
  Communicator* const on = me.find(*comm);
  if (on == nullptr || on == &me.world() || on == &me.self()) return me.result(nullptr, MPI_ERR_COMM);
  if (const int code = delete_attributes(me, *comm, &on->attributes); code != MPI_SUCCESS)
    return me.result(on, code);
  on->is_freed = true;
  on->release();
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

/// The program calls it after all communication on it has completed (MPI 4.0, §11.10.4).
int Comm_disconnect(Rank& me, MPI_Comm* comm) {
  return Comm_free(me, comm);
}

int Comm_compare(Rank& me, MPI_Comm comm1, MPI_Comm comm2, int* result) {
  const Communicator *const one = me.find(comm1), *const other = me.find(comm2);
  if (one == nullptr || other == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  *result = MPI_IDENT;
  if (one == other) return MPI_SUCCESS;
  PMPI_Group_compare(one->group(), other->group(), result);
  if (*result == MPI_IDENT) *result = MPI_CONGRUENT;
  return MPI_SUCCESS;
}

int Comm_group(Rank& me, MPI_Comm comm, MPI_Group* group) {
  const Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  return PMPI_Group_incl(me.container().world_group(), on->size(), on->members().data(), group);
}

int Group_rank(Rank& me, MPI_Group group, int* rank) {
  if (group == MPI_GROUP_NULL) return me.result(nullptr, MPI_ERR_GROUP);
  const int world_rank = me.world_rank();
  return me.checked(PMPI_Group_translate_ranks(me.container().world_group(), 1, &world_rank, group, rank));
}

int Comm_test_inter(Rank& me, MPI_Comm comm, int* flag) {
  *flag = 0;
  return me.find(comm) == nullptr ? me.result(nullptr, MPI_ERR_COMM) : MPI_SUCCESS;
}

int Comm_get_parent(Rank&, MPI_Comm* parent) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int Comm_set_name(Rank& me, MPI_Comm comm, const char* name) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  on->name = name;
  return MPI_SUCCESS;
}

int Comm_get_name(Rank& me, MPI_Comm comm, char* name, int* length) {
  const Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  const size_t count = std::min<size_t>(on->name.size(), MPI_MAX_OBJECT_NAME - 1);
  on->name.copy(name, count);
  name[count] = '\0';
  *length = static_cast<int>(count);
  return MPI_SUCCESS;
}

int Comm_set_info(Rank& me, MPI_Comm comm, MPI_Info info) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  int count = 0;
  if (info != MPI_INFO_NULL) PMPI_Info_get_nkeys(info, &count);
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int flag = 0;
    PMPI_Info_get_nthkey(info, i, key);
    PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
    if (flag != 0) on->info[key] = value;
  }
  return MPI_SUCCESS;
}

int Comm_get_info(Rank& me, MPI_Comm comm, MPI_Info* info) {
  const Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  const int code = PMPI_Info_create(info);
  for (const auto& [key, value] : on->info) PMPI_Info_set(*info, key.c_str(), value.c_str());
  return me.checked(code);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
