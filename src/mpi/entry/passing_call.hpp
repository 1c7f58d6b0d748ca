#pragma once
// Collective calls on communicators that Tutti does not serve, for observers.

#include "algorithm/request.hpp"
#include "dispatch/observer.hpp"
#include "select/candidate.hpp"

namespace tutti::mpi {

class Runtime;

/// Stands around the native call. One thread's business.
class PassingCall {
 public:
  explicit PassingCall(algorithm::Collective collective,
                       select::CallKind interface = select::CallKind::blocking);
  ~PassingCall();
  PassingCall(const PassingCall&) = delete;
  PassingCall& operator=(const PassingCall&) = delete;

 private:
  Runtime* observed_;  // nullptr: nobody observes
  dispatch::CallEvent event_;
};

}  // namespace tutti::mpi
