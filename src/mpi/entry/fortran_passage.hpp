#pragma once
// Fortran bindings through which calls pass with their arguments untouched.

#include <cstddef>

#include "base/next_function.hpp"
#include "mpi/entry/calling_place.hpp"
#include "mpi/entry/pending_data.hpp"

namespace tutti::mpi::fortran {

/// More than any binding of MPI has, hidden lengths of texts included. Each argument takes one word, and what a binding
/// does not have it does not look at: calling conventions of 64-bit systems leave the rest to the caller.
using Word = void*;
using Binding = void(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                     Word);

}  // namespace tutti::mpi::fortran

/// Defines the binding `name`, which does `before`, a statement that may use the words a to p, and goes on with the
/// MPI's own.
#define TUTTI_FORTRAN_BINDING(name, before)                                                        \
  namespace {                                                                                      \
  constinit tutti::base::NextFunction<tutti::mpi::fortran::Binding> next_##name(#name);            \
  }                                                                                                \
  void name(tutti::mpi::fortran::Word a, tutti::mpi::fortran::Word b, tutti::mpi::fortran::Word c, \
            tutti::mpi::fortran::Word d, tutti::mpi::fortran::Word e, tutti::mpi::fortran::Word f, \
            tutti::mpi::fortran::Word g, tutti::mpi::fortran::Word h, tutti::mpi::fortran::Word i, \
            tutti::mpi::fortran::Word j, tutti::mpi::fortran::Word k, tutti::mpi::fortran::Word l, \
            tutti::mpi::fortran::Word m, tutti::mpi::fortran::Word n, tutti::mpi::fortran::Word o, \
            tutti::mpi::fortran::Word p) {                                                         \
    before;                                                                                        \
    next_##name(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);                                   \
  }

/// Defines the binding `name`, which waits for early calls and goes on with the MPI's own.
#define TUTTI_FORTRAN_PASSAGE(name) \
  TUTTI_FORTRAN_BINDING(name,       \
                        tutti::mpi::settle_early_calls({a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p}))

/// Defines the binding `name`, a collective's, which notes where the call comes from and goes on with the MPI's own.
#define TUTTI_FORTRAN_PLACE(name) \
  TUTTI_FORTRAN_BINDING(name, const tutti::mpi::FortranCall from(__builtin_return_address(0)))
