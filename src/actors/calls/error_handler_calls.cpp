// Error handlers of communicators (MPI 4.0, §9.3).

#include "actors/calls/rank.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Comm_create_errhandler(Rank& me, MPI_Comm_errhandler_function* function, MPI_Errhandler* handle) {
  auto* const handler = new ErrorHandler;
  handler->kind = ErrorHandler::Kind::function;
  handler->function = function;
  handler->handle = me.error_handlers().add(handler);
  *handle = handler->handle;
  return MPI_SUCCESS;
}

int Comm_set_errhandler(Rank& me, MPI_Comm comm, MPI_Errhandler handle) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  ErrorHandler* handler = nullptr;
  if (handle == MPI_ERRORS_RETURN) {
    handler = &returning_handler();
  } else if (is_throwing_handler(handle)) {
    handler = make_throwing_handler(handle, me.programs(handle));
    me.error_handlers().add(handler);
  } else if (handle != MPI_ERRORS_ARE_FATAL) {
    handler = handle == MPI_ERRHANDLER_NULL ? nullptr : me.error_handlers().find(handle);
    if (handler == nullptr) return me.result(on, MPI_ERR_ARG);
    ++handler->users;
  }
  if (on->error_handler != nullptr) me.release(on->error_handler);
  on->error_handler = handler;
  return MPI_SUCCESS;
}

int Comm_get_errhandler(Rank& me, MPI_Comm comm, MPI_Errhandler* handle) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  *handle = on->error_handler == nullptr ? MPI_ERRORS_ARE_FATAL : on->error_handler->handle;
  if (on->error_handler != nullptr) ++on->error_handler->users;
  return MPI_SUCCESS;
}

int Comm_call_errhandler(Rank& me, MPI_Comm comm, int code) {
  Communicator* const on = me.find(comm);
  if (on == nullptr) return me.result(nullptr, MPI_ERR_COMM);
  me.result(on, code);
  return MPI_SUCCESS;
}

int Errhandler_free(Rank& me, MPI_Errhandler* handle) {
  if (*handle == MPI_ERRHANDLER_NULL) return me.result(nullptr, MPI_ERR_ARG);
  if (*handle != MPI_ERRORS_RETURN && *handle != MPI_ERRORS_ARE_FATAL && !is_throwing_handler(*handle))
    if (ErrorHandler* const handler = me.error_handlers().find(*handle)) me.release(handler);
  *handle = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int Errhandler_create(Rank& me, MPI_Comm_errhandler_function* function, MPI_Errhandler* handle) {
  return Comm_create_errhandler(me, function, handle);
}
int Errhandler_set(Rank& me, MPI_Comm comm, MPI_Errhandler handle) {
  return Comm_set_errhandler(me, comm, handle);
}
int Errhandler_get(Rank& me, MPI_Comm comm, MPI_Errhandler* handle) {
  return Comm_get_errhandler(me, comm, handle);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
