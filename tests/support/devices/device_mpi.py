#!/usr/bin/env python3
"""Writes a library that makes an MPI take device memory (heap.h): it stands in front of every function that has a buffer,
and gives the MPI the address at which the processor reaches the same bytes.

    device_mpi.py --compiler cc --include FOLDER... --prototypes src/mpi --out device_mpi.c
"""

import argparse
import pathlib
import re
import sys

HEAD = """// Written by device_mpi.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "heap.h"

/// Calls of the native MPI's collectives with a buffer of a device.
extern unsigned long device_mpi_collectives;
unsigned long device_mpi_collectives;

static void* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

static void* reachable(const void* buffer, int is_collective) {
  if (buffer == MPI_IN_PLACE || buffer == MPI_BOTTOM) return (void*)buffer;
  void* const shadow = device_heap_shadow(buffer);
  if (is_collective && shadow != buffer) __atomic_fetch_add(&device_mpi_collectives, 1, __ATOMIC_RELAXED);
  return shadow;
}

int MPIX_Query_cuda_support(void) {
  return 1;
}
"""
# Functions that keep a buffer for later, or use it for other purposes: memory of files, windows, attributes and
# addresses.
OTHERS = re.compile(r"MPIX?_(Buffer|Get_address|Aint|Win|File|Free_mem|Alloc_mem|Comm_(set|get)_attr|Type_(set|get)_attr|Attr"
                    r"|Address|Register_datarep|Grequest|Comm_(attach|detach)_buffer|Session_(attach|detach)_buffer|T_|Init|Query"
                    r"|\w*keyval|Op_|GPU|Threadcomm|Stream|Enqueue)")
COLLECTIVE = re.compile(r"P?MPIX?_I?(bcast|gather|scatter|all|reduce|scan|exscan)", re.IGNORECASE)
BUFFER = re.compile(r"^(const )?void ?\* ?(\w+)$")


def function(prototype, symbol):
    names, buffers = prototype.names(), []
    for parameter in prototype.parameters:
        if found := BUFFER.match(parameter):
            buffers.append(found[2])
    if not buffers:
        return ""
    is_collective = int(COLLECTIVE.match(symbol) is not None)
    arguments = [f"reachable({name}, {is_collective})" if name in buffers else name for name in names]
    types = ", ".join(prototype.parameters)
    return (f"\n{prototype.signature(symbol)} {{\n  static {prototype.result} (*real)({types});\n"
            f"  if (real == NULL) *(void**)&real = next(\"{symbol}\");\n  return real({', '.join(arguments)});\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", nargs="*", default=[])
    parser.add_argument("--prototypes", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    sys.path.insert(0, options.prototypes)
    import prototypes  # pylint: disable=import-outside-toplevel
    text = HEAD
    for symbol, prototype in prototypes.prototypes(options.compiler, options.include, of_all_versions=False).items():
        if OTHERS.match(symbol):
            continue
        text += function(prototype, symbol) + function(prototype, "P" + symbol)
    options.out.write_text(text)


if __name__ == "__main__":
    main()
