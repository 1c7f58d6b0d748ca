#pragma once
// The C library's function that a guest function of the same name overrides.

#include <dlfcn.h>
#include <unistd.h>

namespace tutti::actors {

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// True in a child of fork(), which behaves as a normal process.
bool is_child();

}  // namespace tutti::actors
