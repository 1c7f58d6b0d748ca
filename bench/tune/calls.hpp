#pragma once
// The calls that are tuned: one collective, in each of the ways in which a program can make it.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithm/request.hpp"

namespace tutti::bench {

/// Buffers for the calls of one collective and size. Their values do not matter here.
struct TunedData {
  MPI_Comm comm;
  uint64_t bytes;                               // as rules measure the size of such a call
  int block_bytes;                              // what one rank has to do with one other, where it has
  int vector_count;                             // elements of the reductions
  std::vector<double> in, out;                  // large enough for a block, or a vector part, of every rank
  std::vector<int> block_counts, block_places;  // in bytes, and
  std::vector<int> part_counts;                 // in elements of the vector: all ranks' parts are alike
};

struct TunedCalls {
  algorithm::Collective collective;
  int (*blocking)(TunedData& data);
  int (*native)(TunedData& data);  // the blocking call, past whatever is preloaded
  int (*start)(TunedData& data, MPI_Request* request);
  int (*make_persistent)(TunedData& data, MPI_Request* request);
};

/// The calls of that collective, one of tuned_names(), or nullptr.
const TunedCalls* find_tuned_calls(const std::string& collective);

/// Data for calls of about `bytes`: at least that, in whole elements for every rank where they are reduced.
TunedData make_tuned_data(algorithm::Collective collective, uint64_t bytes, MPI_Comm comm);

}  // namespace tutti::bench
