#pragma once
// Waits of intercepted C library calls before they enter the kernel. The kernel refuses memory that is closed to
// threads (EFAULT, or a partial result), and repeating the call afterwards would execute it twice.
//
// Arguments are passed as register-sized values (generate.py): addresses, lengths and numbers. All functions may be
// called by any thread, also in a signal handler, and preserve errno. They are slow, and called only while memory is
// closed.

#include <cstdint>

#include "overlap/guard/closed_ranges.hpp"

namespace tutti::overlap::calls {

/// Value of a register of a 64-bit system.
using Word = long;

/// Wait for the memory that an argument refers to (c_library.py describes the kinds of arguments).
void await_bytes(Word address, uint64_t bytes);
void await_iovec(Word address, uint64_t count);
void await_message(Word address);
void await_messages(Word address, uint64_t count);
void await_control(Word address);
/// Waits for the path. On threads that call collectives it waits for all closed memory: a rank may have created the
/// file before a collective that is still pending.
void await_path(Word address);
void await_text(Word address);
void await_texts(Word address);
/// Memory of unknown size: waits for as many bytes as most such calls use, and for the rest of the buffer that contains
/// it.
void await_any(Word address);
void await_all(Word ignored);

/// A length; negative values count as 0.
uint64_t count(Word word);
uint64_t int_count(Word word);
/// Value of the socklen_t at this address.
uint64_t length_at(Word address);
bool is_this_process(Word id);

/// Waits for the arguments of a call by syscall().
void await_system_call(Word number, const Word (&arguments)[6]);

}  // namespace tutti::overlap::calls
