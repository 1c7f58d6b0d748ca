#include "actors/loader/guest/copied_variables.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#include "actors/loader/guest/object.hpp"

namespace tutti::actors {

namespace {

constexpr uintptr_t k_page = 4096;

/// Addresses from the dynamic section.
struct Tables {
  const Elf64_Rela* relocations = nullptr;
  size_t relocation_bytes = 0;
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  const Elf64_Half* versions = nullptr;
  const Elf64_Verneed* needed_versions = nullptr;
};

/// The loader has relocated most of these addresses, except those of versions.
template <class T>
void take(const T*& into, const Elf64_Dyn& entry, Elf64_Addr base) {
  const Elf64_Addr address = entry.d_un.d_ptr;
  into = at_address<const T>(address < base ? base + address : address);
}

Tables tables_of(const dl_phdr_info& program) {
  Tables tables;
  const Elf64_Dyn* entry = dynamic_section(program);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) switch (entry->d_tag) {
      case DT_RELA:
        take(tables.relocations, *entry, program.dlpi_addr);
        break;
      case DT_RELASZ:
        tables.relocation_bytes = entry->d_un.d_val;
        break;
      case DT_SYMTAB:
        take(tables.symbols, *entry, program.dlpi_addr);
        break;
      case DT_STRTAB:
        take(tables.names, *entry, program.dlpi_addr);
        break;
      case DT_VERSYM:
        take(tables.versions, *entry, program.dlpi_addr);
        break;
      case DT_VERNEED:
        take(tables.needed_versions, *entry, program.dlpi_addr);
        break;
      default:
        break;
    }
  return tables;
}

template <class T, class U>
const T* behind(const U* from, size_t bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
}

/// The version of a symbol that the program requires; nullptr: any.
const char* version_of(const Tables& tables, size_t symbol) {
  if (tables.versions == nullptr || tables.needed_versions == nullptr) return nullptr;
  const Elf64_Half wanted = tables.versions[symbol] & 0x7fff;
  for (const Elf64_Verneed* file = tables.needed_versions;;
       file = behind<Elf64_Verneed>(file, file->vn_next)) {
    auto* version = behind<Elf64_Vernaux>(file, file->vn_aux);
    for (int i = 0; i < file->vn_cnt; ++i, version = behind<Elf64_Vernaux>(version, version->vna_next))
      if (version->vna_other == wanted) return tables.names + version->vna_name;
    if (file->vn_next == 0) return nullptr;
  }
}

/// The definition in the library: in lookup order the program precedes this library, and the others follow
/// it.
const void* original(const char* name, const char* version, size_t* bytes) {
  const void* const found = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
  Dl_info info;
  const Elf64_Sym* symbol = nullptr;
  if (found != nullptr &&
      dladdr1(found, &info, const_cast<void**>(reinterpret_cast<const void**>(&symbol)), RTLD_DL_SYMENT) !=
          0 &&
      symbol != nullptr && symbol->st_size < *bytes)
    *bytes = symbol->st_size;
  return found;
}

/// Some copies are constants: the loader has made their pages read-only.
void set_constants_writable(const dl_phdr_info& program, bool is_writable) {
  for (int i = 0; i < program.dlpi_phnum; ++i) {
    const Elf64_Phdr& segment = program.dlpi_phdr[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    const uintptr_t begin = (program.dlpi_addr + segment.p_vaddr) & ~(k_page - 1);
    const uintptr_t end = (program.dlpi_addr + segment.p_vaddr + segment.p_memsz) & ~(k_page - 1);
    if (end > begin)
      mprotect(at_address<void>(begin), end - begin, is_writable ? PROT_READ | PROT_WRITE : PROT_READ);
  }
}

}  // namespace

void fill_copied_variables(const dl_phdr_info& program) {
  const Tables tables = tables_of(program);
  if (tables.relocations == nullptr || tables.symbols == nullptr || tables.names == nullptr) return;
  set_constants_writable(program, true);
  for (size_t i = 0; i < tables.relocation_bytes / sizeof(Elf64_Rela); ++i) {
    const Elf64_Rela& relocation = tables.relocations[i];
    if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_COPY) continue;
    const size_t number = ELF64_R_SYM(relocation.r_info);
    const Elf64_Sym& symbol = tables.symbols[number];
    size_t bytes = symbol.st_size;
    const void* const from = original(tables.names + symbol.st_name, version_of(tables, number), &bytes);
    if (from != nullptr) memcpy(at_address<void>(program.dlpi_addr + relocation.r_offset), from, bytes);
  }
  set_constants_writable(program, false);
}

}  // namespace tutti::actors
