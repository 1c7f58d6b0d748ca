#pragma once
// What calls of the program wait for before they reach the kernel: it refuses memory that is closed to threads (EFAULT,
// or less than was asked for), and a call that is made again after that would do its work twice.
//
// Arguments are words here (generate.py): addresses, lengths and numbers. All functions may be called by any thread,
// also in a signal handler; all keep errno. They are slow, and called where something is closed.

#include <cstdint>

#include "overlap/guard/closed_ranges.hpp"

namespace tutti::overlap::calls {

/// What fits in a register of a 64-bit system.
using Word = long;

/// What an argument leads to (c_library.py says how it is described).
void await_bytes(Word address, uint64_t bytes);
void await_iovec(Word address, uint64_t count);
void await_message(Word address);
void await_messages(Word address, uint64_t count);
void await_control(Word address);
/// A path, and what it leads to: ranks tell each other of files by collectives.
void await_path(Word address);
void await_text(Word address);
void await_texts(Word address);
/// Memory of unknown size: as much as most of such calls use, and all of a buffer in which it begins.
void await_any(Word address);
void await_all(Word ignored);

/// A length; what is less than nothing is nothing.
uint64_t count(Word word);
uint64_t int_count(Word word);
/// At the address of a socklen_t.
uint64_t length_at(Word address);
bool is_this_process(Word id);

/// The same for the arguments of syscall().
void await_system_call(Word number, const Word (&arguments)[6]);

}  // namespace tutti::overlap::calls
