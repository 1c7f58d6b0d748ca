// Completion, start, cancellation and freeing of requests (MPI 4.0, §3.7 and §3.9).

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "actors/calls/rank.hpp"
#include "actors/calls/recorded_wait.hpp"
#include "calls.hpp"

namespace tutti::actors {

namespace {

/// An array of request handles of the program.
class Requests {
 public:
  Requests(Rank& me, int count, MPI_Request* handles) : me_(me), handles_(handles) {
    requests_.reserve(static_cast<size_t>(std::max(count, 0)));
    for (int i = 0; i < count; ++i) requests_.push_back(me.find_request(me.native(handles[i])));
  }

  int count() const { return static_cast<int>(requests_.size()); }
  bool is_active(int i) const { return at(i) != nullptr && at(i)->is_active; }
  bool is_done(int i) const { return at(i)->is_done(); }
  bool has_active() const {
    return std::ranges::any_of(requests_,
                               [](const Request* one) { return one != nullptr && one->is_active; });
  }
  /// Index of the first active request that is done; -1: none.
  int find_done() const {
    for (int i = 0; i < count(); ++i)
      if (is_active(i) && is_done(i)) return i;
    return -1;
  }
  bool are_all_done() const {
    return std::ranges::all_of(
        requests_, [](const Request* one) { return one == nullptr || !one->is_active || one->is_done(); });
  }
  std::span<Request* const> all() const { return requests_; }
  const Communicator* communicator(int i) const { return at(i) == nullptr ? nullptr : at(i)->communicator(); }

  /// The call `waiting` waits for the active requests.
  void begin(RecordedWait* waiting) const {
    for (int i = 0; i < count(); ++i)
      if (is_active(i)) waiting->begin(*at(i));
  }
  /// The call completes the request. nullptr: it has not waited for it.
  void set_wait(RecordedWait* waiting) { waiting_ = waiting; }

  /// Completes a request that is done. Returns its error.
  int finish(int i, MPI_Status* status) {
    MPI_Status own;
    Request* const request = at(i);
    request->completed(waiting_ == nullptr ? 0 : waiting_->arrival_ns());
    if (waiting_ != nullptr) waiting_->end(*request);
    const int code = request->finish_once(status == MPI_STATUS_IGNORE ? &own : status);
    request->is_active = false;
    if (request->is_persistent) return code;
    me_.drop(request);
    requests_[static_cast<size_t>(i)] = nullptr;
    handles_[i] = me_.programs(MPI_REQUEST_NULL);
    return code;
  }

 private:
  Request* at(int i) const { return requests_[static_cast<size_t>(i)]; }

  Rank& me_;
  MPI_Request* handles_;
  std::vector<Request*> requests_;
  RecordedWait* waiting_ = nullptr;
};

/// Waits in a call of that name until the condition holds.
template <class Condition>
void wait_for(Rank& me, RecordedWait& waiting, Requests& requests, Condition condition) {
  requests.begin(&waiting);
  requests.set_wait(&waiting);
  me.wait_until(condition);
}

MPI_Status* status_at(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
}

/// The result of calls that complete several requests: if one fails, each status contains the error of its
/// request.
class Outcome {
 public:
  void add(MPI_Status* status, int code, const Communicator* on) {
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
    if (code == MPI_SUCCESS || result_ != MPI_SUCCESS) return;
    result_ = MPI_ERR_IN_STATUS;
    on_ = on;
  }
  /// The call's result: the error handler is that of the first failed request.
  int result(Rank& me) const { return me.result(on_, result_); }

 private:
  int result_ = MPI_SUCCESS;
  const Communicator* on_ = nullptr;
};

/// After an unsuccessful test: the awaited event depends on other ranks, which may need this core.
void let_others_go_on() {
  std::this_thread::yield();
}

/// The status without an active request (MPI 4.0, §3.7.3).
void set_no_request(MPI_Status* status) {
  set_empty(status);
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}

int finish_all(Rank& me, Requests& requests, MPI_Status* statuses) {
  Outcome outcome;
  for (int i = 0; i < requests.count(); ++i) {
    MPI_Status* const status = status_at(statuses, i);
    const Communicator* const on = requests.communicator(i);
    if (requests.is_active(i))
      outcome.add(status, requests.finish(i, status), on);
    else
      set_no_request(status);
  }
  return outcome.result(me);
}

int finish_some(Rank& me, Requests& requests, int* done, int* indices, MPI_Status* statuses) {
  Outcome outcome;
  *done = 0;
  for (int i = 0; i < requests.count(); ++i) {
    if (!requests.is_active(i) || !requests.is_done(i)) continue;
    MPI_Status* const status = status_at(statuses, *done);
    const Communicator* const on = requests.communicator(i);
    outcome.add(status, requests.finish(i, status), on);
    indices[(*done)++] = i;
  }
  return outcome.result(me);
}

int finish_one(Rank& me, Requests& requests, int i, MPI_Status* status) {
  const Communicator* const on = requests.communicator(i);
  return me.result(on, requests.finish(i, status));
}

int wait_any(Rank& me, const std::string& name, int count, MPI_Request* handles, int* index,
             MPI_Status* status) {
  Requests requests(me, count, handles);
  *index = MPI_UNDEFINED;
  if (!requests.has_active()) {
    set_no_request(status);
    return MPI_SUCCESS;
  }
  RecordedWait waiting(me, record::MessageCall::wait, name);
  wait_for(me, waiting, requests, [&] { return (*index = requests.find_done()) >= 0; });
  return finish_one(me, requests, *index, status);
}

/// The result of an unsuccessful test.
int failed(RecordedTest& test, const Requests& requests) {
  test.failed(requests.all());
  let_others_go_on();
  return MPI_SUCCESS;
}

int test_any(Rank& me, const std::string& name, int count, MPI_Request* handles, int* index, int* flag,
             MPI_Status* status) {
  RecordedTest test(me, name);
  me.progress();
  Requests requests(me, count, handles);
  *index = requests.find_done();
  *flag = 1;
  if (*index >= 0) {
    test.succeeded();
    return finish_one(me, requests, *index, status);
  }
  *index = MPI_UNDEFINED;
  if (!requests.has_active()) {
    set_no_request(status);
    return MPI_SUCCESS;
  }
  *flag = 0;
  return failed(test, requests);
}

}  // namespace

namespace calls {

// NOLINTBEGIN(readability-identifier-naming): names of MPI
int Wait(Rank& me, MPI_Request* request, MPI_Status* status) {
  static const std::string name = "MPI_Wait";
  int index = 0;
  return wait_any(me, name, 1, request, &index, status);
}

int Waitall(Rank& me, int count, MPI_Request* handles, MPI_Status* statuses) {
  static const std::string name = "MPI_Waitall";
  Requests requests(me, count, handles);
  RecordedWait waiting(me, record::MessageCall::wait, name);
  if (!requests.are_all_done())
    wait_for(me, waiting, requests, [&requests] { return requests.are_all_done(); });
  return finish_all(me, requests, statuses);
}

int Waitany(Rank& me, int count, MPI_Request* handles, int* index, MPI_Status* status) {
  static const std::string name = "MPI_Waitany";
  return wait_any(me, name, count, handles, index, status);
}

int Waitsome(Rank& me, int count, MPI_Request* handles, int* done, int* indices, MPI_Status* statuses) {
  Requests requests(me, count, handles);
  *done = MPI_UNDEFINED;
  if (!requests.has_active()) return MPI_SUCCESS;
  static const std::string name = "MPI_Waitsome";
  RecordedWait waiting(me, record::MessageCall::wait, name);
  wait_for(me, waiting, requests, [&requests] { return requests.find_done() >= 0; });
  return finish_some(me, requests, done, indices, statuses);
}

int Test(Rank& me, MPI_Request* request, int* flag, MPI_Status* status) {
  static const std::string name = "MPI_Test";
  int index = 0;
  return test_any(me, name, 1, request, &index, flag, status);
}

int Testall(Rank& me, int count, MPI_Request* handles, int* flag, MPI_Status* statuses) {
  static const std::string name = "MPI_Testall";
  RecordedTest test(me, name);
  me.progress();
  Requests requests(me, count, handles);
  *flag = requests.are_all_done() ? 1 : 0;
  if (*flag == 0) return failed(test, requests);
  test.succeeded();
  return finish_all(me, requests, statuses);
}

int Testany(Rank& me, int count, MPI_Request* handles, int* index, int* flag, MPI_Status* status) {
  static const std::string name = "MPI_Testany";
  return test_any(me, name, count, handles, index, flag, status);
}

int Testsome(Rank& me, int count, MPI_Request* handles, int* done, int* indices, MPI_Status* statuses) {
  static const std::string name = "MPI_Testsome";
  RecordedTest test(me, name);
  me.progress();
  Requests requests(me, count, handles);
  *done = MPI_UNDEFINED;
  if (!requests.has_active()) return MPI_SUCCESS;
  const int code = finish_some(me, requests, done, indices, statuses);
  if (*done == 0) return failed(test, requests);
  test.succeeded();
  return code;
}

int Request_get_status(Rank& me, MPI_Request handle, int* flag, MPI_Status* status) {
  static const std::string name = "MPI_Request_get_status";
  RecordedTest test(me, name);
  me.progress();
  Request* const request = me.find_request(handle);
  *flag = request == nullptr || !request->is_active || request->is_done() ? 1 : 0;
  if (*flag == 0) {
    test.failed({&request, 1});
    let_others_go_on();
    return MPI_SUCCESS;
  }
  test.succeeded();
  if (request == nullptr || !request->is_active) {
    set_no_request(status);
    return MPI_SUCCESS;
  }
  MPI_Status own;
  request->finish_once(status == MPI_STATUS_IGNORE ? &own : status);  // the completing call reports its error
  return MPI_SUCCESS;
}

int Start(Rank& me, MPI_Request* handle) {
  Request* const request = me.find_request(*handle);
  if (request == nullptr || !request->is_persistent || request->is_active)
    return me.result(request == nullptr ? nullptr : request->communicator(), MPI_ERR_REQUEST);
  request->activate();
  return me.result(request->communicator(), request->start());
}

int Startall(Rank& me, int count, MPI_Request* handles) {
  for (int i = 0; i < count; ++i) {
    MPI_Request handle = me.native(handles[i]);
    if (const int code = Start(me, &handle); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Request_free(Rank& me, MPI_Request* handle) {
  Request* const request = me.find_request(*handle);
  if (request == nullptr) return me.result(nullptr, MPI_ERR_REQUEST);
  me.requests().remove(request);
  std::unique_ptr<Request> owned(request);
  if (request->is_active) me.orphan(std::move(owned));
  *handle = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int Cancel(Rank& me, MPI_Request* handle) {
  Request* const request = me.find_request(*handle);
  if (request == nullptr) return me.result(nullptr, MPI_ERR_REQUEST);
  if (request->is_active) request->cancel();
  return MPI_SUCCESS;
}
// NOLINTEND(readability-identifier-naming)

}  // namespace calls

}  // namespace tutti::actors
