#pragma once
// Attributes of communicators (MPI 4.0, §7.7).

#include <mpi.h>

#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "actors/calls/attribute_value.hpp"

namespace tutti::actors {

struct Keyval {
  MPI_Comm_copy_attr_function* copy = nullptr;
  MPI_Comm_delete_attr_function* erase = nullptr;
  void* extra_state = nullptr;
  ForeignFunctions foreign = {};
  bool is_freed = false;
  int users = 0;  // number of attributes
};

/// The keyvals that a rank has created.
class Attributes {
 public:
  int add(const Keyval& keyval);
  /// nullptr: unknown keyval.
  Keyval* find(int number);
  void free(int number);
  void release(int number);

 private:
  static constexpr int k_first_number = 0x6f00'0000;  // larger than the predefined keyvals of either MPI
  std::vector<std::unique_ptr<Keyval>> keyvals_;
};

/// Attributes of one communicator: keyvals and values, in the order in which they were set.
using AttributeValues = std::list<std::pair<int, AttributeValue>>;

AttributeValues::iterator find_value(AttributeValues* values, int keyval);

}  // namespace tutti::actors
