#pragma once
// The argument functions of all collectives; sides.hpp describes them.

#include "mpi/arguments/equal_blocks.hpp"
#include "mpi/arguments/one_to_all.hpp"
#include "mpi/arguments/reductions.hpp"
#include "mpi/arguments/vectors.hpp"
