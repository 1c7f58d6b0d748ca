#pragma once
// The C library's function of a name that the guest has taken.

#include <dlfcn.h>
#include <unistd.h>

namespace tutti::actors {

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// A child of fork() is a process like any other.
bool is_child();

}  // namespace tutti::actors
