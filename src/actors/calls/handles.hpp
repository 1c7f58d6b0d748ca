#pragma once
// Handles of one rank's program. Open MPI's handles are addresses of objects in its library, so each rank,
// which has its own copy of the library, has different handles for predefined objects. MPICH's handles are
// numbers, equal in all ranks. An object that the program creates has one handle in both the program and the
// container.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace tutti::actors {

/// Filled before the rank's program starts; then read by that rank only.
class Handles {
 public:
  /// The rank's library has this variable at `address`. The native MPI's variable of that name is its
  /// counterpart.
  void add(const char* name, void* address) {
    void* const below = dlsym(RTLD_DEFAULT, name);
    if (below != nullptr) add(below, address);
  }
  void add(void* below, void* address) {
    below_.emplace(address, below);
    programs_.emplace(below, address);
  }

  /// Converts a handle or address of the program to that of the native MPI. Unknown ones stay unchanged.
  template <class Handle>
  Handle native(Handle handle) const {
    return translated(below_, handle);
  }
  template <class Handle>
  Handle programs(Handle handle) const {
    return translated(programs_, handle);
  }

 private:
  using Map = std::unordered_map<const void*, void*>;
  template <class Handle>
  static Handle translated(const Map& map, Handle handle) {
    if constexpr (std::is_pointer_v<Handle>) {
      const auto found = map.find(reinterpret_cast<const void*>(handle));
      return found == map.end() ? handle : reinterpret_cast<Handle>(found->second);
    } else {
      return handle;
    }
  }

  Map below_, programs_;
};

/// Handles for Tutti's own objects: their addresses, or numbers.
template <class Handle, class Object>
class OwnHandles {
 public:
  Handle add(Object* object) {
    size_t place = 0;
    while (place < objects_.size() && objects_[place] != nullptr) ++place;
    if (place == objects_.size()) objects_.push_back(nullptr);
    objects_[place] = object;
    object->number = static_cast<int>(place) + k_first_number;
    if constexpr (std::is_pointer_v<Handle>)
      return reinterpret_cast<Handle>(object);
    else
      return static_cast<Handle>(object->number);
  }
  /// nullptr: not an object of this kind, as far as detectable.
  Object* find(Handle handle) const {
    if constexpr (std::is_pointer_v<Handle>)
      return reinterpret_cast<Object*>(handle);
    else
      return find_number(handle);
  }
  /// The same for any handle, also one of the native MPI.
  Object* find_own(Handle handle) const {
    if constexpr (std::is_pointer_v<Handle>) {
      const auto found = std::ranges::find(objects_, reinterpret_cast<Object*>(handle));
      return found == objects_.end() ? nullptr : *found;
    } else {
      return find_number(handle);
    }
  }
  /// Finds an object by its Fortran number.
  Object* find_number(int number) const {
    const auto place = static_cast<size_t>(static_cast<unsigned>(number) - k_first_number);
    return place < objects_.size() ? objects_[place] : nullptr;
  }
  void remove(Object* object) { objects_[static_cast<size_t>(object->number - k_first_number)] = nullptr; }

 private:
  /// First number: not used for predefined objects by either MPI.
  static constexpr int k_first_number = 0x1000'0000;
  std::vector<Object*> objects_;
};

}  // namespace tutti::actors
