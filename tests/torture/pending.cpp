#include "pending.hpp"

#include <algorithm>

#include "calls.hpp"

namespace torture {

PendingRequests::Places PendingRequests::choose(Random& random, int behind) const {
  Places places;
  const int share = random.between(20, 100);
  for (size_t i = 0; i < pending_.size(); ++i)
    if (pending_[i].ready <= behind && random.percent(share)) places.push_back(i);
  random.shuffle(places);
  return places;
}

/// Lays out the arguments of a call, with requests in between that count as complete.
MPI_Request* PendingRequests::array(const Places& places, Random& random) {
  requests_.clear();
  owners_.clear();
  for (const size_t place : places) {
    if (random.percent(15)) {
      requests_.push_back(MPI_REQUEST_NULL);
      owners_.push_back(-1);
    }
    requests_.push_back(pending_[place].request);
    owners_.push_back(static_cast<int>(place));
  }
  statuses_.assign(requests_.size(), MPI_Status{});
  return requests_.data();
}

/// `indices` are places in the arguments, the n-th of which has the n-th status.
void PendingRequests::finish(const std::vector<int>& indices) {
  std::vector<Pending> ended;
  std::vector<size_t> gone;
  std::vector<MPI_Status> statuses;
  for (size_t i = 0; i < indices.size(); ++i) {
    const int owner = owners_[static_cast<size_t>(indices[i])];
    if (owner < 0) continue;
    Pending& pending = pending_[static_cast<size_t>(owner)];
    pending.request = requests_[static_cast<size_t>(indices[i])];
    ended.push_back(std::move(pending));
    gone.push_back(static_cast<size_t>(owner));
    statuses.push_back(statuses_[i]);
  }
  std::sort(gone.rbegin(), gone.rend());
  for (const size_t place : gone) pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(place));
  for (size_t i = 0; i < ended.size(); ++i) ended[i].end(ended[i].request, statuses[i]);
}

void PendingRequests::complete_some(int behind, const std::vector<MPI_Request>& inactive, Random random) {
  const int kind = random.below(pending_.size() > 10 ? 60 : 100);
  if (kind >= 60 || pending_.empty()) return;
  const bool only_asks = kind < 20;
  const Places places = choose(random, only_asks ? INT32_MAX : behind);
  if (places.empty()) return;
  array(places, random);
#ifdef MPICH
  const bool may_be_inactive = false;  // MPICH 4.0 waits for ever, or takes them for active ones
#else
  const bool may_be_inactive = kind >= 20;
#endif
  if (may_be_inactive && !inactive.empty() && random.percent(30)) {
    requests_.push_back(random.one_of(inactive));
    owners_.push_back(-1);
    statuses_.emplace_back();
  }
  if (only_asks) return test(random);
  if (kind < 28) return wait_one(random);
  if (kind < 38) return wait_all();
  if (kind < 45) return wait_any();
  if (kind < 52) return wait_some();
  if (kind < 56) return test_until_done(places.front());
  ask_until_done(places.front());
}

void PendingRequests::wait_for(int operation) {
  for (size_t i = 0; i < pending_.size();) {
    if (pending_[i].operation != operation) {
      ++i;
      continue;
    }
    Random random(static_cast<uint64_t>(operation));
    array({i}, random);
    wait_all();
    i = 0;
  }
}

void PendingRequests::wait_for_all() {
  while (!pending_.empty()) {
    Random random(pending_.size());
    Places places;
    for (size_t i = 0; i < pending_.size(); ++i) places.push_back(i);
    array(places, random);
    wait_all();
  }
}

void PendingRequests::wait_all() {
  CALL(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data()));
  std::vector<int> all;
  for (size_t i = 0; i < requests_.size(); ++i) all.push_back(static_cast<int>(i));
  finish(all);
}

void PendingRequests::wait_one(Random& random) {
  const int at = random.below(static_cast<int>(requests_.size()));
  CALL(MPI_Wait(&requests_[static_cast<size_t>(at)], statuses_.data()));
  finish({at});
}

void PendingRequests::wait_any() {
  int index = -1;
  CALL(MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, statuses_.data()));
  if (index < 0 || index >= static_cast<int>(requests_.size())) fail("MPI_Waitany chose no request");
  if (owners_[static_cast<size_t>(index)] < 0) fail("MPI_Waitany chose a request that is not active");
  finish({index});
}

void PendingRequests::wait_some() {
  int count = 0;
  std::vector<int> indices(requests_.size());
  CALL(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count, indices.data(),
                    statuses_.data()));
  if (count < 1 || count > static_cast<int>(requests_.size())) fail("MPI_Waitsome completed none");
  indices.resize(static_cast<size_t>(count));
  finish(indices);
}

/// MPICH 4.0 returns MPI_ERR_PENDING from MPI_Testall where persistent collectives are among others.
bool PendingRequests::may_test_all() const {
#ifdef MPICH
  return std::none_of(owners_.begin(), owners_.end(), [&](int owner) {
    return owner >= 0 && pending_[static_cast<size_t>(owner)].is_persistent_collective;
  });
#else
  return true;
#endif
}

void PendingRequests::test(Random& random) {
  int is_done = 0, index = 0;
  const auto count = static_cast<int>(requests_.size());
  std::vector<int> indices(requests_.size());
  switch (random.below(5)) {
    case 0:
      CALL(MPI_Test(requests_.data(), &is_done, statuses_.data()));
      if (is_done != 0) finish({0});
      return;
    case 1:
      CALL(MPI_Testany(count, requests_.data(), &index, &is_done, statuses_.data()));
      if (is_done != 0 && index != MPI_UNDEFINED) finish({index});
      return;
    case 2:
      CALL(MPI_Testsome(count, requests_.data(), &index, indices.data(), statuses_.data()));
      if (index == MPI_UNDEFINED) return;
      indices.resize(static_cast<size_t>(index));
      return finish(indices);
    case 3:
      CALL(MPI_Request_get_status(requests_.front(), &is_done, statuses_.data()));
      return;
    default:
      if (!may_test_all()) return;
      CALL(MPI_Testall(count, requests_.data(), &is_done, statuses_.data()));
      if (is_done == 0) return;
      for (int i = 0; i < count; ++i) indices[static_cast<size_t>(i)] = i;
      finish(indices);
  }
}

void PendingRequests::test_until_done(size_t at) {
  const auto found = std::find(owners_.begin(), owners_.end(), static_cast<int>(at));
  const auto place = found - owners_.begin();
  for (int is_done = 0; is_done == 0;) {
    CALL(MPI_Test(&requests_[static_cast<size_t>(place)], &is_done, statuses_.data()));
  }
  finish({static_cast<int>(place)});
}

void PendingRequests::ask_until_done(size_t at) {
  const auto found = std::find(owners_.begin(), owners_.end(), static_cast<int>(at));
  const auto place = found - owners_.begin();
  for (int is_done = 0; is_done == 0;) {
    CALL(MPI_Request_get_status(requests_[static_cast<size_t>(place)], &is_done, statuses_.data()));
  }
  CALL(MPI_Wait(&requests_[static_cast<size_t>(place)], statuses_.data()));
  finish({static_cast<int>(place)});
}

}  // namespace torture
