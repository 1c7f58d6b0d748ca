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

/// The MPI's own definition of a binding. A program that was linked with Tutti's library may not need the MPI's Fortran
/// library for anything that the linker knew of (--as-needed): it is opened then. Without one the process ends with a
/// line that says so.
void* native_binding(const char* name);

}  // namespace tutti::mpi::fortran

/// Defines the binding `name`, which does `before`, a statement that may use the words a to p, and goes on with the
/// MPI's own.
#define TUTTI_FORTRAN_BINDING(name, before)                                                              \
  namespace {                                                                                            \
  constinit tutti::base::NextFunction<tutti::mpi::fortran::Binding, tutti::mpi::fortran::native_binding> \
      next_##name(#name);                                                                                \
  }                                                                                                      \
  void name(tutti::mpi::fortran::Word a, tutti::mpi::fortran::Word b, tutti::mpi::fortran::Word c,       \
            tutti::mpi::fortran::Word d, tutti::mpi::fortran::Word e, tutti::mpi::fortran::Word f,       \
            tutti::mpi::fortran::Word g, tutti::mpi::fortran::Word h, tutti::mpi::fortran::Word i,       \
            tutti::mpi::fortran::Word j, tutti::mpi::fortran::Word k, tutti::mpi::fortran::Word l,       \
            tutti::mpi::fortran::Word m, tutti::mpi::fortran::Word n, tutti::mpi::fortran::Word o,       \
            tutti::mpi::fortran::Word p) {                                                               \
    before;                                                                                              \
    next_##name(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);                                         \
  }

/// All of the words a to p.
#define TUTTI_FORTRAN_WORDS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p

/// Defines the binding `name`, which waits for early calls, does `more`, and goes on with the MPI's own.
#define TUTTI_FORTRAN_PASSAGE(name, more) \
  TUTTI_FORTRAN_BINDING(name, tutti::mpi::settle_early_calls({TUTTI_FORTRAN_WORDS}); more)
/// The same for one that sends nothing on.
#define TUTTI_FORTRAN_SETTLING(name, more) \
  TUTTI_FORTRAN_BINDING(name, tutti::mpi::settle_for_arguments({TUTTI_FORTRAN_WORDS}); more)
/// The same for one that is given single values: only what lies there has to have arrived.
#define TUTTI_FORTRAN_OBJECTS(name, more) \
  TUTTI_FORTRAN_BINDING(name, tutti::mpi::await_words({TUTTI_FORTRAN_WORDS}); more)

/// Another name of a binding that has been defined.
#define TUTTI_FORTRAN_SAME(name, of) tutti::mpi::fortran::Binding name __attribute__((alias(#of)));

/// Defines the binding `name`, a collective's, which notes where the call comes from and goes on with the MPI's own.
#define TUTTI_FORTRAN_PLACE(name) \
  TUTTI_FORTRAN_BINDING(name, const tutti::mpi::FortranCall from(__builtin_return_address(0)))
