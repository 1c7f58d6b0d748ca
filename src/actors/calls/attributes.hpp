#pragma once
// Attributes of communicators (MPI 4.0, §7.7).

#include <mpi.h>

#include <map>
#include <memory>
#include <vector>

#include "actors/calls/attribute_functions.hpp"

namespace tutti::actors {

class Rank;

struct Keyval {
  MPI_Comm_copy_attr_function* copy = nullptr;
  MPI_Comm_delete_attr_function* erase = nullptr;
  void* extra_state = nullptr;
  ForeignFunctions foreign = {};
  bool is_freed = false;
  int users = 0;  // attributes
};

/// The keyvals that a rank has made.
class Attributes {
 public:
  int add(const Keyval& keyval);
  /// nullptr: there is none.
  Keyval* find(int number);
  void free(int number);
  void release(int number);

 private:
  static constexpr int k_first_number = 0x6f00'0000;  // beyond those that either MPI predefines
  std::vector<std::unique_ptr<Keyval>> keyvals_;
};

/// Of one communicator: keyval -> value.
using AttributeValues = std::map<int, AttributeValue>;

/// All of `from` whose functions say so, for a duplicate. What MPI_Comm_dup returns.
int copy_attributes(Rank& me, MPI_Comm from, const AttributeValues& values, AttributeValues* copies);
/// Calls the functions, last keyval first.
int delete_attributes(Rank& me, MPI_Comm of, AttributeValues* values);

/// As MPI_Comm_get_attr(), in any language. *found: nullptr where there is no value; valid until it is deleted.
int find_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue** found);
/// As MPI_Comm_set_attr().
int set_attribute(Rank& me, MPI_Comm comm, int keyval, AttributeValue value);

}  // namespace tutti::actors
