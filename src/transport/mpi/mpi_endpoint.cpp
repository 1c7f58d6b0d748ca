#include "transport/mpi/mpi_endpoint.hpp"

#include <algorithm>
#include <climits>
#include <new>
#include <string>
#include <utility>

namespace tutti::transport {

using base::Code;
using base::Result;
using base::Status;

namespace {

Status mpi_error(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return {Code::mpi, std::string(what) + ": " + std::string(text, static_cast<size_t>(length)), code};
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class;
}

}  // namespace

void make_mpi_progress(MPI_Comm comm, int own_rank) {
  // No MPI makes progress for an empty list of requests, but every MPI does during a probe that finds no
  // message. The probe must not match: one that finds a message may return before any progress was made. No
  // rank sends to itself, so this probe never matches.
  int found = 0;
  PMPI_Iprobe(own_rank, 0, comm, &found, MPI_STATUS_IGNORE);
}

MpiEndpoint::MpiEndpoint(MPI_Comm private_comm, std::span<const int> world_rank_of_rank)
    : comm_(private_comm), world_rank_of_rank_(world_rank_of_rank) {
  PMPI_Comm_rank(comm_, &own_rank_);
}

Result<int> MpiEndpoint::prepare(Peer peer, size_t bytes) {
  if (bytes > INT_MAX) return Status::invalid_argument("MPI endpoint: a message is longer than 2 GiB");
  Result<int> rank = find_rank("MPI", peer, world_rank_of_rank_);
  if (!rank || requests_.size() < transfers_.capacity()) return rank;
  try {  // before the transfer starts: after that, nothing may fail
    const size_t capacity = std::max<size_t>(16, requests_.size() * 2);
    requests_.reserve(capacity);
    ended_indices_.resize(capacity);
    statuses_.resize(capacity);
    ended_.reserve(capacity);
    transfers_.reserve(capacity);  // last: its capacity bounds all others
  } catch (const std::bad_alloc&) {
    return try_again();  // an error would end the operation on this rank only
  }
  return rank;
}

Status MpiEndpoint::send(Peer to, Tag tag, ConstBytes data, uint64_t cookie) {
  const Result<int> rank = prepare(to, data.size());
  if (!rank) return rank.status();
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, *rank,
                              static_cast<int>(tag), comm_, &request);
  if (code != MPI_SUCCESS) return mpi_error("MPI_Isend", code);
  requests_.push_back(request);
  transfers_.push_back({.cookie = cookie});
  return {};
}

Status MpiEndpoint::recv(Peer from, Tag tag, Bytes data, uint64_t cookie) {
  const Result<int> rank = prepare(from, data.size());
  if (!rank) return rank.status();
  MPI_Request request = MPI_REQUEST_NULL;
  const int length = static_cast<int>(data.size());
  const int code = PMPI_Irecv(data.data(), length, MPI_BYTE, *rank, static_cast<int>(tag), comm_, &request);
  if (code != MPI_SUCCESS) return mpi_error("MPI_Irecv", code);
  requests_.push_back(request);
  transfers_.push_back({.cookie = cookie, .length = length});
  return {};
}

size_t MpiEndpoint::poll(std::span<Completion> done) {
  if (handed_over_ < ended_.size()) return hand_over(done);
  if (requests_.empty()) {
    make_mpi_progress(comm_, own_rank_);
    return 0;
  }
  int count = 0;
  const int code = PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                 ended_indices_.data(), statuses_.data());
  ended_.clear();
  handed_over_ = 0;
  if (code != MPI_SUCCESS && class_of(code) != MPI_ERR_IN_STATUS) {
    test_one_by_one();
  } else {
    if (count == MPI_UNDEFINED || count == 0) return 0;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const int error = code == MPI_SUCCESS ? MPI_SUCCESS : statuses_[i].MPI_ERROR;
      ended_.push_back(end_of(transfers_[static_cast<size_t>(ended_indices_[i])], error, statuses_[i]));
    }
  }
  drop_ended();
  return hand_over(done);
}

Completion MpiEndpoint::end_of(const Transfer& transfer, int error, const MPI_Status& status) const {
  Completion end{.cookie = transfer.cookie};
  if (error != MPI_SUCCESS) {
    const bool is_too_long = class_of(error) == MPI_ERR_TRUNCATE;
    end.code = is_too_long ? Code::invalid_argument : Code::mpi;
    end.native = is_too_long ? 0 : error;
    return end;
  }
  if (!transfer.is_receive()) return end;
  // The length of a cancelled message is undefined and may equal the expected one.
  int is_cancelled = 0, length = 0;
  if (transfer.is_cancelled) PMPI_Test_cancelled(&status, &is_cancelled);
  if (is_cancelled != 0 && failure_ != MPI_SUCCESS)
    return {.cookie = transfer.cookie, .code = Code::mpi, .native = failure_};
  if (is_cancelled != 0) return cancelled(transfer.cookie);
  PMPI_Get_count(&status, MPI_BYTE, &length);
  if (length != transfer.length) end.code = Code::invalid_argument;
  return end;
}

/// The MPI has ended the transfers whose requests become MPI_REQUEST_NULL. It may still write to the buffers
/// of the others.
void MpiEndpoint::test_one_by_one() {
  for (size_t i = 0; i < requests_.size(); ++i) {
    int is_done = 0;
    MPI_Status status{};
    const int code = PMPI_Test(&requests_[i], &is_done, &status);
    if (requests_[i] == MPI_REQUEST_NULL) {
      ended_.push_back(end_of(transfers_[i], code, status));
    } else if (code != MPI_SUCCESS) {
      failure_ = code;
      cancel(&requests_[i], &transfers_[i]);
    }
  }
}

void MpiEndpoint::cancel(uint64_t cookie) {
  const auto found = std::ranges::find(transfers_, cookie, &Transfer::cookie);
  if (found != transfers_.end()) cancel(&requests_[static_cast<size_t>(found - transfers_.begin())], &*found);
}

void MpiEndpoint::cancel(MPI_Request* request, Transfer* transfer) {
  if (transfer->is_receive() && !transfer->is_cancelled)
    transfer->is_cancelled = PMPI_Cancel(request) == MPI_SUCCESS;
}

void MpiEndpoint::drop_ended() {
  size_t kept = 0;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    transfers_[kept] = transfers_[i];
    ++kept;
  }
  requests_.resize(kept);
  transfers_.resize(kept);
}

size_t MpiEndpoint::hand_over(std::span<Completion> done) {
  size_t count = 0;
  while (count < done.size() && handed_over_ < ended_.size()) done[count++] = ended_[handed_over_++];
  return count;
}

}  // namespace tutti::transport
