#pragma once
// Handles of one rank's program. Open MPI's are addresses of objects in its library, so that each rank, with a library
// of its own, has others for what MPI predefines; MPICH's are numbers, the same everywhere. What the program makes
// itself has one handle for both.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace tutti::actors {

/// Filled before the rank's program begins; then read by that rank only.
class Handles {
 public:
  /// The rank's library has this variable there. That of the MPI below is its counterpart.
  void add(const char* name, void* address) {
    void* const below = dlsym(RTLD_DEFAULT, name);
    if (below != nullptr) add(below, address);
  }
  void add(void* below, void* address) {
    below_.emplace(address, below);
    programs_.emplace(below, address);
  }

  /// Handle or address of the program -> that of the MPI below. Others stay as they are.
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

/// A handle for an object of ours: its address, or a number.
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
  /// nullptr: it is none, as far as one can tell.
  Object* find(Handle handle) const {
    if constexpr (std::is_pointer_v<Handle>)
      return reinterpret_cast<Object*>(handle);
    else
      return find_number(handle);
  }
  /// The same of any handle, one of the MPI below too.
  Object* find_own(Handle handle) const {
    if constexpr (std::is_pointer_v<Handle>) {
      const auto found = std::ranges::find(objects_, reinterpret_cast<Object*>(handle));
      return found == objects_.end() ? nullptr : *found;
    } else {
      return find_number(handle);
    }
  }
  /// By the number that Fortran has.
  Object* find_number(int number) const {
    const auto place = static_cast<size_t>(static_cast<unsigned>(number) - k_first_number);
    return place < objects_.size() ? objects_[place] : nullptr;
  }
  void remove(Object* object) { objects_[static_cast<size_t>(object->number - k_first_number)] = nullptr; }

 private:
  /// Numbers that neither MPI uses for what it predefines.
  static constexpr int k_first_number = 0x1000'0000;
  std::vector<Object*> objects_;
};

}  // namespace tutti::actors
