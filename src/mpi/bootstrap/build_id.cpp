#include "mpi/bootstrap/build_id.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>

#include "base/loads.hpp"
#include "tutti/version.h"

namespace tutti::mpi {

namespace {

using Bytes = std::span<const unsigned char>;

/// The build id among the notes of an object, in hexadecimal.
std::string build_id_in(Bytes notes) {
  const auto padded = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const size_t content = sizeof note + padded(note.n_namesz);
    if (content + note.n_descsz > notes.size()) break;
    std::string digits;
    for (const unsigned char byte : notes.subspan(content, note.n_descsz)) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", byte);
      digits += two;
    }
    if (note.n_type == NT_GNU_BUILD_ID) return digits;
    notes = notes.subspan(std::min(notes.size(), content + padded(note.n_descsz)));
  }
  return {};
}

/// Finds the build id of the object that contains this function.
int look_at_object(dl_phdr_info* object, size_t, void* found) {
  const std::span parts(object->dlpi_phdr, object->dlpi_phnum);
  const auto here = reinterpret_cast<uintptr_t>(&look_at_object);
  bool is_ours = false;
  for (const auto& part : parts)
    if (part.p_type == PT_LOAD && here - (object->dlpi_addr + part.p_vaddr) < part.p_memsz) is_ours = true;
  if (!is_ours) return 0;
  for (const auto& part : parts) {
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the dynamic linker's addresses are numbers
    const auto* const begin = reinterpret_cast<const unsigned char*>(object->dlpi_addr + part.p_vaddr);
    auto& id = *static_cast<std::string*>(found);
    if (id.empty()) id = build_id_in({begin, part.p_memsz});
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  base::for_each_object(look_at_object, &id);
  return id.empty() ? TUTTI_VERSION : TUTTI_VERSION "-" + id;
}

}  // namespace tutti::mpi
