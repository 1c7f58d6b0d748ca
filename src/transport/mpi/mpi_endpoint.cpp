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

/// The statuses say which transfers failed; otherwise the call itself did.
bool is_error_of_one(int code) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class == MPI_ERR_IN_STATUS;
}

}  // namespace

void make_mpi_progress(MPI_Comm comm, int own_rank) {
  // No MPI makes progress for an empty list of requests, but every MPI does while it looks in vain for a
  // message. It must be in vain: a probe that finds a message may return before any progress was made. No
  // rank sends to itself, so nothing from here ever matches.
  int found = 0;
  PMPI_Iprobe(own_rank, 0, comm, &found, MPI_STATUS_IGNORE);
}

MpiEndpoint::MpiEndpoint(MPI_Comm private_comm, std::span<const int> world_rank_of_rank)
    : comm_(private_comm), world_rank_of_rank_(world_rank_of_rank) {
  PMPI_Comm_rank(comm_, &own_rank_);
}

Result<int> MpiEndpoint::prepare(Peer peer, size_t bytes) {
  if (bytes > INT_MAX) return Status::invalid_argument("MPI endpoint: a message is longer than 2 GiB");
  const Result<int> rank = find_rank("MPI", peer, world_rank_of_rank_);
  if (!rank || requests_.size() < cookies_.capacity()) return rank;
  try {  // before the transfer starts: once MPI has it, nothing may fail
    const size_t capacity = std::max<size_t>(16, requests_.size() * 2);
    requests_.reserve(capacity);
    ended_indices_.resize(capacity);
    statuses_.resize(capacity);
    ended_.reserve(capacity);
    cookies_.reserve(capacity);  // last: its capacity stands for all
  } catch (const std::bad_alloc&) {
    return Status{Code::out_of_memory,
                  "MPI endpoint: no memory for " + std::to_string(requests_.size() + 1) + " transfers"};
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
  cookies_.push_back(cookie);
  return {};
}

Status MpiEndpoint::recv(Peer from, Tag tag, Bytes data, uint64_t cookie) {
  const Result<int> rank = prepare(from, data.size());
  if (!rank) return rank.status();
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Irecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, *rank,
                              static_cast<int>(tag), comm_, &request);
  if (code != MPI_SUCCESS) return mpi_error("MPI_Irecv", code);
  requests_.push_back(request);
  cookies_.push_back(cookie);
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
  if (code != MPI_SUCCESS && !is_error_of_one(code)) return give_up(code, done);
  if (count == MPI_UNDEFINED || count == 0) return 0;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const int error = code == MPI_SUCCESS ? MPI_SUCCESS : statuses_[i].MPI_ERROR;
    ended_.push_back({.cookie = cookies_[static_cast<size_t>(ended_indices_[i])],
                      .code = error == MPI_SUCCESS ? Code::ok : Code::mpi,
                      .native = error == MPI_SUCCESS ? 0 : error});
  }
  drop_ended();
  return hand_over(done);
}

size_t MpiEndpoint::give_up(int code, std::span<Completion> done) {
  for (uint64_t cookie : cookies_) ended_.push_back({.cookie = cookie, .code = Code::mpi, .native = code});
  requests_.clear();
  cookies_.clear();
  return hand_over(done);
}

void MpiEndpoint::drop_ended() {
  size_t kept = 0;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    cookies_[kept] = cookies_[i];
    ++kept;
  }
  requests_.resize(kept);
  cookies_.resize(kept);
}

size_t MpiEndpoint::hand_over(std::span<Completion> done) {
  size_t count = 0;
  while (count < done.size() && handed_over_ < ended_.size()) done[count++] = ended_[handed_over_++];
  return count;
}

}  // namespace tutti::transport
