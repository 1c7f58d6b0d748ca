#pragma once
// The argument functions of all collectives; sides.hpp describes them.

#include "collective/mpi/arguments/equal_blocks.hpp"
#include "collective/mpi/arguments/one_to_all.hpp"
#include "collective/mpi/arguments/reductions.hpp"
#include "collective/mpi/arguments/vectors.hpp"
