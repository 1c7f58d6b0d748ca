#pragma once
// Fortran bindings that call the MPI's own binding with unchanged arguments.

#include <cstddef>

#include "base/next_function.hpp"
#include "mpi/entry/calling_place.hpp"
#include "mpi/entry/pending_data.hpp"

namespace tutti::mpi::fortran {

/// A binding with 16 arguments: more than any binding of MPI has, including hidden lengths of strings. Each argument
/// takes one machine word. A binding ignores surplus arguments, because the caller cleans up in 64-bit calling
/// conventions.
using Word = void*;
using Binding = void(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                     Word);

/// The MPI's own definition of a binding. If a program is linked with Tutti's library, the linker may have dropped the
/// MPI's Fortran library as unneeded (--as-needed): then it is opened here. If there is none, the process prints a line
/// and ends.
void* native_binding(const char* name);

}  // namespace tutti::mpi::fortran

/// Defines the binding `name`, which executes `before`, a statement that may use the arguments a to p, and calls the
/// MPI's own binding.
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

/// All of the arguments a to p.
#define TUTTI_FORTRAN_WORDS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p

/// Defines the binding `name`, which waits for early calls, executes `more`, and calls the MPI's own binding.
#define TUTTI_FORTRAN_PASSAGE(name, more) \
  TUTTI_FORTRAN_BINDING(name, tutti::mpi::settle_early_calls({TUTTI_FORTRAN_WORDS}); more)
/// The same for a binding that sends no data.
#define TUTTI_FORTRAN_SETTLING(name, more) \
  TUTTI_FORTRAN_BINDING(name, tutti::mpi::settle_for_arguments({TUTTI_FORTRAN_WORDS}); more)
/// The same for a binding whose arguments are single values: it waits only for the data at these addresses.
#define TUTTI_FORTRAN_OBJECTS(name, more) \
  TUTTI_FORTRAN_BINDING(name, tutti::mpi::await_words({TUTTI_FORTRAN_WORDS}); more)

/// Defines another name of the binding `of`.
#define TUTTI_FORTRAN_SAME(name, of) tutti::mpi::fortran::Binding name __attribute__((alias(#of)));

/// Defines the binding `name` of a collective, which stores the program's return address and calls the MPI's own
/// binding.
#define TUTTI_FORTRAN_PLACE(name) \
  TUTTI_FORTRAN_BINDING(name, const tutti::mpi::FortranCall from(__builtin_return_address(0)))
