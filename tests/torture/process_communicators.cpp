// Communicators of a process, made and freed; attributes; errors that are returned.
#include <numeric>

#include "calls.hpp"
#include "process.hpp"

namespace torture {

namespace {

int g_attribute = 0;

int copy_attribute(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Comm, int, void* value, void*) {
  return value == &g_attribute ? MPI_SUCCESS : MPI_ERR_OTHER;
}

}  // namespace

void Process::make_communicator(const Op& op) {
  const MPI_Comm parent = communicator(op);
  const std::vector<int> made = plan_.made_by(op);
  int mine = -1;
  for (const int index : made)
    if (plan_.communicators()[static_cast<size_t>(index)].rank_of(rank_) >= 0) mine = index;
  if (op.making == Making::idup) {
    const auto at = static_cast<size_t>(mine);
    coming_[at] = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
    MPI_Request request;
    CALL(MPI_Comm_idup(parent, coming_[at].get(), &request));
    pending_.add({.request = request,
                  .operation = op.id,
                  .ready = op.ready,
                  .end = [comm = coming_[at]](MPI_Request, const MPI_Status&) {
                    if (*comm == MPI_COMM_NULL) fail("MPI_Comm_idup made nothing");
                  }});
    return;
  }
  const MPI_Comm comm = make(op, parent);
  if ((comm == MPI_COMM_NULL) != (mine < 0)) fail("a communicator has wrong members");
  if (mine < 0) return;
  communicators_[static_cast<size_t>(mine)] = comm;
  const Members& members = plan_.communicators()[static_cast<size_t>(mine)];
  int rank, size;
  CALL(MPI_Comm_rank(comm, &rank));
  CALL(MPI_Comm_size(comm, &size));
  if (rank != members.rank_of(rank_) || size != static_cast<int>(members.ranks.size()))
    fail("this rank has another number in a communicator than it should");
}

MPI_Comm Process::make(const Op& op, MPI_Comm parent) {
  const std::vector<int> made = plan_.made_by(op);
  MPI_Comm comm = MPI_COMM_NULL;
  int color = MPI_UNDEFINED, key = 0;
  for (const int index : made) {
    const Members& members = plan_.communicators()[static_cast<size_t>(index)];
    if (members.rank_of(rank_) < 0) continue;
    color = members.color;
    key = members.rank_of(rank_);
  }
  switch (op.making) {
    case Making::dup:
    case Making::idup:
      CALL(MPI_Comm_dup(parent, &comm));
      break;
    case Making::split:
      CALL(MPI_Comm_split(parent, color, key, &comm));
      break;
    case Making::split_shared:
      CALL(MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &comm));
      break;
    case Making::cart: {
      auto count = static_cast<int>(plan_.communicators()[static_cast<size_t>(made.front())].ranks.size());
      int periodic = 0;
      CALL(MPI_Cart_create(parent, 1, &count, &periodic, 0, &comm));
      break;
    }
    case Making::create:
    case Making::create_group:
      return make_of_group(op, parent, plan_.communicators()[static_cast<size_t>(made.front())]);
    case Making::merge:
      return merge(parent, rank_in(op), size_of(op));
  }
  return comm;
}

MPI_Comm Process::make_of_group(const Op& op, MPI_Comm parent, const Members& members) {
  std::vector<int> ranks;
  for (const int rank : members.ranks)
    ranks.push_back(plan_.communicators()[static_cast<size_t>(op.communicator)].rank_of(rank));
  MPI_Group all, some;
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Comm_group(parent, &all));
  CALL(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some));
  CALL(MPI_Group_free(&all));
  if (op.making == Making::create) {
    CALL(MPI_Comm_create(parent, some, &comm));
  } else if (members.rank_of(rank_) >= 0) {
    CALL(MPI_Comm_create_group(parent, some, op.id % 1000, &comm));
  }
  CALL(MPI_Group_free(&some));
  return comm;
}

#ifdef TORTURE_COVERED
MPI_Comm Process::merge(MPI_Comm parent, int rank, int) {
  MPI_Comm same;
  CALL(MPI_Comm_split(parent, 0, rank, &same));
  return same;
}
#else
/// Two halves, an intercommunicator between them, and what it makes of both.
MPI_Comm Process::merge(MPI_Comm parent, int rank, int size) {
  const int half = size / 2;
  const bool is_low = rank < half;
  MPI_Comm local, between, merged;
  CALL(MPI_Comm_split(parent, is_low ? 0 : 1, rank, &local));
  CALL(MPI_Intercomm_create(local, 0, parent, is_low ? half : 0, 77, &between));
  int sum = 1, all = 0;
  CALL(MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, between));
  if (all != (is_low ? size - half : half)) fail("wrong sum on an intercommunicator");
  CALL(MPI_Intercomm_merge(between, is_low ? 0 : 1, &merged));
  CALL(MPI_Comm_free(&local));
  CALL(MPI_Comm_free(&between));
  return merged;
}
#endif

void Process::free_communicator(const Op& op) {
  static_cast<void>(communicator(op));
  CALL(MPI_Comm_free(&communicators_[static_cast<size_t>(op.communicator)]));
}

void Process::attribute(const Op& op) {
  const MPI_Comm comm = communicator(op);
  if (keyval_ == MPI_KEYVAL_INVALID)
    CALL(MPI_Comm_create_keyval(copy_attribute, delete_attribute, &keyval_, nullptr));
  void* value = nullptr;
  int is_set = 0;
  CALL(MPI_Comm_set_attr(comm, keyval_, &g_attribute));
  MPI_Comm copy;
  CALL(MPI_Comm_dup(comm, &copy));
  CALL(MPI_Comm_get_attr(copy, keyval_, &value, &is_set));
  if (is_set == 0 || value != &g_attribute) fail("an attribute was not copied");
  CALL(MPI_Comm_free(&copy));
  if (Random(private_seed(op)).percent(50)) CALL(MPI_Comm_delete_attr(comm, keyval_));
}

/// Every rank makes the same mistake, and is told so.
void Process::error(const Op& op) {
  const MPI_Comm comm = communicator(op);
  CALL(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  int number = 0, sum = 0, code = MPI_SUCCESS, error_class = MPI_SUCCESS;
  MPI_Request request = MPI_REQUEST_NULL;
  nap();
  switch (Random(op.seed).below(4)) {
    case 0:
      code = MPI_Bcast(&number, 1, MPI_INT, size_of(op) + 3, comm);
      break;
    case 1:
      code = MPI_Bcast(&number, -1, MPI_INT, 0, comm);
      break;
    case 2:
      code = MPI_Ibcast(&number, 1, MPI_INT, -1, comm, &request);
      break;
    default:
      code = MPI_Iallreduce(&number, &sum, 1, MPI_INT, MPI_OP_NULL, comm, &request);
      break;
  }
  CALL(MPI_Error_class(code, &error_class));
  if (error_class == MPI_SUCCESS) fail("a wrong argument was accepted");
  note(mix(static_cast<uint64_t>(op.id), static_cast<uint64_t>(error_class)));
  CALL(MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL));
}

}  // namespace torture
