// The functions of the C API that do not belong to a collective.

#include "mpi/api/init_state.hpp"

#include <mpi.h>

#include <atomic>
#include <mutex>
#include <string>

#include "mpi/api/error.hpp"
#include "mpi/api/hints.hpp"
#include "mpi/api/requests.hpp"
#include "mpi/runtime/runtime.hpp"
#include "tutti/tutti.h"

namespace tutti::mpi::api {

namespace {

std::mutex state_mutex;
std::atomic<int> init_count{0};
bool has_started_runtime = false;  // true if the program's MPI_Init bypassed Tutti

bool is_mpi_usable() {
  int is_initialised = 0, is_finalised = 0;
  PMPI_Initialized(&is_initialised);
  PMPI_Finalized(&is_finalised);
  return is_initialised != 0 && is_finalised == 0;
}

int not_initialised(const char* function) {
  return fail(TUTTI_ERR_NOT_INITIALIZED,
              std::string(function) + ": " + tutti_error_string(TUTTI_ERR_NOT_INITIALIZED));
}

int init() {
  const std::lock_guard lock(state_mutex);
  if (!is_mpi_usable()) return not_initialised("init");
  if (init_count++ == 0 && !Runtime::has_been_asked()) {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    Runtime::start(level);
    has_started_runtime = true;
  }
  return TUTTI_SUCCESS;
}

int finalize() {
  const std::lock_guard lock(state_mutex);
  if (init_count == 0 || !is_mpi_usable()) return not_initialised("finalize");
  if (const int active = init_count == 1 ? requests().active_count() : 0; active > 0)
    return fail(TUTTI_ERR_ACTIVE,
                "finalize: " + std::to_string(active) + " requests have not been waited for");
  if (--init_count > 0) return TUTTI_SUCCESS;
  requests().clear();
  forget_hints();
  if (has_started_runtime) Runtime::stop();
  has_started_runtime = false;
  return TUTTI_SUCCESS;
}

/// Finds the request of a call and passes it to `use`, whose result the call returns.
template <class Use>
int with_request(const char* function, const tutti_request* number, Use use) {
  if (!is_initialised()) return not_initialised(function);
  if (number == nullptr)
    return fail(TUTTI_ERR_ARGUMENT, std::string(function) + ": request is a null pointer");
  const std::shared_ptr<ApiRequest> request = requests().find(*number);
  if (request == nullptr)
    return fail(TUTTI_ERR_REQUEST, std::string(function) + ": " + tutti_error_string(TUTTI_ERR_REQUEST));
  return use(*request);
}

}  // namespace

bool is_initialised() {
  int is_finalised = 0;
  PMPI_Finalized(&is_finalised);
  return init_count > 0 && is_finalised == 0;
}

void shut_down() {
  const std::lock_guard lock(state_mutex);
  if (init_count == 0) return;
  init_count = 0;
  has_started_runtime = false;
  requests().clear();
  forget_hints();
}

}  // namespace tutti::mpi::api

using tutti::mpi::api::ApiRequest;
using tutti::mpi::api::fail;
using tutti::mpi::api::with_request;

extern "C" {

int tutti_init(void) {
  return tutti::mpi::api::init();
}

int tutti_finalize(void) {
  return tutti::mpi::api::finalize();
}

// The Fortran module calls these.
TUTTI_PUBLIC void tutti_f_init(MPI_Fint* ierror) {
  *ierror = tutti_init();
}
TUTTI_PUBLIC void tutti_f_finalize(MPI_Fint* ierror) {
  *ierror = tutti_finalize();
}
TUTTI_PUBLIC void tutti_f_start(tutti_request* request, MPI_Fint* ierror) {
  *ierror = tutti_start(request);
}
TUTTI_PUBLIC void tutti_f_wait(tutti_request* request, MPI_Fint* ierror) {
  *ierror = tutti_wait(request);
}
TUTTI_PUBLIC void tutti_f_request_free(tutti_request* request, MPI_Fint* ierror) {
  *ierror = tutti_request_free(request);
}

int tutti_start(tutti_request* request) {
  return with_request("start", request, [](ApiRequest& found) { return found.start(); });
}

int tutti_wait(tutti_request* request) {
  return with_request("wait", request, [](ApiRequest& found) { return found.wait(); });
}

int tutti_test(tutti_request* request, int* is_done) {
  if (is_done == nullptr) return fail(TUTTI_ERR_ARGUMENT, "test: is_done is a null pointer");
  *is_done = 0;
  return with_request("test", request, [is_done](ApiRequest& found) {
    bool has_ended = false;
    const int result = found.test(&has_ended);
    *is_done = has_ended ? 1 : 0;
    return result;
  });
}

int tutti_request_free(tutti_request* request) {
  return with_request("request_free", request, [request](const ApiRequest& found) {
    if (found.is_active()) return fail(TUTTI_ERR_ACTIVE, "request_free: the request has not been waited for");
    tutti::mpi::api::requests().erase(*request);
    *request = TUTTI_REQUEST_NULL;
    return static_cast<int>(TUTTI_SUCCESS);
  });
}

int tutti_hint(const char* key, const char* value) {
  if (!tutti::mpi::api::is_initialised()) return tutti::mpi::api::not_initialised("hint");
  if (key == nullptr || value == nullptr) return fail(TUTTI_ERR_ARGUMENT, "hint: a null pointer");
  return tutti::mpi::api::set_hint(key, value);
}

}  // extern "C"
