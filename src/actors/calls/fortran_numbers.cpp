// Conversion between handles and Fortran numbers for Open MPI. MPICH's handles are numbers already.

#include <mpi.h>

#include "actors/calls/container_services.hpp"
#include "actors/calls/rank.hpp"
#include "calls.hpp"

#ifdef OPEN_MPI

namespace tutti::actors::calls {

namespace {

/// Numbers of the native MPI are smaller, Tutti's are larger.
constexpr int k_first_own = 1 << 16;

template <class Object>
bool is_own(const Object* object) {
  return object != nullptr && object->number >= k_first_own;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of MPI
MPI_Fint Comm_c2f(Rank& me, MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF || comm == MPI_COMM_NULL) return PMPI_Comm_c2f(comm);
  return me.communicators().find(comm)->number;
}
MPI_Comm Comm_f2c(Rank& me, MPI_Fint comm) {
  const Communicator* const own = me.communicators().find_number(comm);
  return is_own(own) ? own->handle : PMPI_Comm_f2c(comm);
}

MPI_Fint Request_c2f(Rank& me, MPI_Request request) {
  if (!can_show_requests())
    me.container().abort(me, 1,
                         "this Open MPI has its requests otherwise than is known: Fortran cannot use them");
  return request == MPI_REQUEST_NULL ? PMPI_Request_c2f(request) : me.requests().find(request)->number;
}
MPI_Request Request_f2c(Rank& me, MPI_Fint request) {
  Request* const own = me.requests().find_number(request);
  return is_own(own) ? reinterpret_cast<MPI_Request>(own) : PMPI_Request_f2c(request);
}

MPI_Fint Op_c2f(Rank& me, MPI_Op op) {
  const UserOperator* const own = me.operators().find_own(op);
  return own != nullptr ? own->number : PMPI_Op_c2f(op);
}
MPI_Op Op_f2c(Rank& me, MPI_Fint op) {
  UserOperator* const own = me.operators().find_number(op);
  return is_own(own) ? reinterpret_cast<MPI_Op>(own) : PMPI_Op_f2c(op);
}

MPI_Fint Errhandler_c2f(Rank& me, MPI_Errhandler handler) {
  if (handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRHANDLER_NULL)
    return PMPI_Errhandler_c2f(handler);
  return me.error_handlers().find(handler)->number;
}
MPI_Errhandler Errhandler_f2c(Rank& me, MPI_Fint handler) {
  ErrorHandler* const own = me.error_handlers().find_number(handler);
  return is_own(own) ? own->handle : PMPI_Errhandler_f2c(handler);
}

MPI_Fint Message_c2f(Rank& me, MPI_Message message) {
  if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return PMPI_Message_c2f(message);
  return me.messages().find(message)->number;
}
MPI_Message Message_f2c(Rank& me, MPI_Fint message) {
  MatchedMessage* const own = me.messages().find_number(message);
  return is_own(own) ? reinterpret_cast<MPI_Message>(own) : PMPI_Message_f2c(message);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace tutti::actors::calls

#endif
