#include "mpi/api/initialisation.hpp"

#include <new>
#include <string>
#include <utility>

#include "mpi/api/error.hpp"
#include "mpi/api/init_state.hpp"
#include "mpi/api/requests.hpp"
#include "mpi/communicator/adopt.hpp"
#include "tutti/tutti.h"

namespace tutti::mpi::api {

namespace {

/// True for a predefined type: it contains no addresses, so the call needs a buffer. False for an invalid handle.
bool is_named(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_UNDEFINED;
  const int code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return code == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED;
}

}  // namespace

Initialisation::Initialisation(Collective collective, MPI_Comm comm, int64_t* request)
    : collective_(collective), comm_(comm), request_(request), hints_(current_hints()) {
  begin();
}

void Initialisation::begin() {
  if (request_ == nullptr) return refuse_argument("request", "is a null pointer");
  *request_ = TUTTI_REQUEST_NULL;
  if (!is_initialised())
    return refuse(TUTTI_ERR_NOT_INITIALIZED, tutti_error_string(TUTTI_ERR_NOT_INITIALIZED));
  quiet_.emplace(comm_);
  if (!quiet_->is_comm()) return refuse(TUTTI_ERR_COMM, "comm is not a communicator");
  int is_inter = 0;
  PMPI_Comm_test_inter(comm_, &is_inter);
  if (is_inter) return refuse(TUTTI_ERR_COMM, "comm is an intercommunicator");
  PMPI_Comm_rank(comm_, &rank_);
  PMPI_Comm_size(comm_, &size_);
}

void Initialisation::refuse(int code, const std::string& message) {
  if (result_ == TUTTI_SUCCESS)
    result_ = fail(code, std::string(algorithm::to_string(collective_)) + ": " + message);
}

void Initialisation::refuse_argument(const char* name, const char* what) {
  refuse(TUTTI_ERR_ARGUMENT, std::string(name) + " " + what);
}

void Initialisation::root(int rank) {
  if (result_ == TUTTI_SUCCESS && (rank < 0 || rank >= size_))
    refuse(TUTTI_ERR_ARGUMENT,
           "root: " + std::to_string(rank) + " is none of " + std::to_string(size_) + " ranks");
}

void Initialisation::op(MPI_Op op) {
  if (op == MPI_OP_NULL) refuse_argument("op", "is MPI_OP_NULL");
}

void Initialisation::block(const char* name, const void* buffer, int64_t count, MPI_Datatype type) {
  if (count < 0) return refuse_argument(name, "has a negative count");
  if (type == MPI_DATATYPE_NULL) return refuse_argument(name, "has the type MPI_DATATYPE_NULL");
  if (buffer == nullptr && count > 0 && is_named(type)) refuse_argument(name, "is a null pointer");
}

void Initialisation::data(const char* name, const void* buffer, int64_t count, MPI_Datatype type,
                          bool is_significant) {
  if (result_ == TUTTI_SUCCESS && is_significant && buffer != MPI_IN_PLACE) block(name, buffer, count, type);
}

void Initialisation::blocks(const char* name, const void* buffer, const int counts[],
                            const int displacements[], MPI_Datatype type, bool is_significant) {
  if (result_ != TUTTI_SUCCESS || !is_significant || buffer == MPI_IN_PLACE) return;
  if (counts == nullptr || displacements == nullptr)
    return refuse_argument(name, "has a null pointer for counts or displacements");
  for (int r = 0; r < size_; ++r) block(name, buffer, counts[r], type);
}

void Initialisation::blocks(const char* name, const void* buffer, const int counts[],
                            const int displacements[], const MPI_Datatype types[], bool is_significant) {
  if (result_ != TUTTI_SUCCESS || !is_significant || buffer == MPI_IN_PLACE) return;
  if (counts == nullptr || displacements == nullptr || types == nullptr)
    return refuse_argument(name, "has a null pointer for counts, displacements or types");
  for (int r = 0; r < size_; ++r) block(name, buffer, counts[r], types[r]);
}

void Initialisation::own_block(const char* name, const void* buffer, const int counts[], MPI_Datatype type) {
  if (result_ != TUTTI_SUCCESS) return;
  if (counts == nullptr) return refuse_argument(name, "has a null pointer for counts");
  block(name, buffer, counts[rank_], type);
}

bool Initialisation::is_offered() {
  if (result_ != TUTTI_SUCCESS || hints_.is_off) return false;
  algorithm::Choice wanted;
  const bool has_hint = hints_.algorithm != "auto" && hints_.algorithm != "native";
  if (has_hint) {
    auto choice = algorithm::parse_choice(collective_, hints_.algorithm);
    if (!choice) {
      refuse(TUTTI_ERR_HINT, "hint 'algorithm': " + choice.status().message());
      return false;
    }
    wanted = *choice;
  }
  Communicator* const communicator = hints_.algorithm != "native" ? serves_persistent(comm_) : nullptr;
  if (communicator == nullptr) return false;
  served_ = std::make_unique<PersistentCall>(collective_, *communicator);
  if (has_hint) served_->call().set_hint(wanted);
  served_->call().expect(hints_.calls);
  served_->set_hint(hints_.progress);
  return true;
}

bool Initialisation::is_taken() {
  PersistentCall* const made = served_.get();
  if (made->call().result() != MPI_SUCCESS) {
    result_ = fail_of_mpi(algorithm::to_string(collective_).data(), made->call().result());
    return true;
  }
  if (!made->make_ready()) return false;
  const bool lends_core = hints_.team_may_change && hints_.progress == select::ProgressMode::thread_spare &&
                          made->call().communicator().runtime().progress().has_thread();
  *request_ = requests().insert(std::make_shared<ApiRequest>(served_.release(), lends_core));
  return true;
}

#ifdef OPEN_MPI

int Initialisation::keep_native(int code, MPI_Request made) {
  if (code != MPI_SUCCESS) return result_ = fail_of_mpi(algorithm::to_string(collective_).data(), code);
  *request_ = requests().insert(std::make_shared<ApiRequest>(made));
  return TUTTI_SUCCESS;
}

#else

int Initialisation::native(std::function<int(MPI_Request*)> begin) {
  if (result_ != TUTTI_SUCCESS) return result_;
  count_native_init(comm_, MPI_SUCCESS);
  *request_ = requests().insert(std::make_shared<ApiRequest>(comm_, std::move(begin)));
  return TUTTI_SUCCESS;
}

#endif

}  // namespace tutti::mpi::api
