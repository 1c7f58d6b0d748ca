// The key-value space of a PMIx server, through the PMIx library that Open MPI itself is going to use. PMIx
// counts how often it is initialised in a process. But Open MPI 5 does without an initialisation of its own where there
// has been one, and then never asks for its name and fails (ompi_rte_init, 5.0.0 to 5.0.9). There the word is put
// right behind Open MPI's initialisation of PMIx, which comes by here (entry/pmix_call.cpp), and before its commit.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "mpi/lifecycle/launcher_keys.hpp"
#include "mpi/lifecycle/library_version.hpp"
#include "mpi/lifecycle/pmix_abi.hpp"

namespace tutti::mpi {

using base::Result;
using base::Status;

namespace {

constexpr const char* k_key = "tutti";

struct Library {
  pmix::GetVersion* version = nullptr;
  pmix::Init* init = nullptr;
  pmix::Put* put = nullptr;
  pmix::Get* get = nullptr;
  pmix::Finalize* finalize = nullptr;

  /// It stays loaded, as Open MPI expects of it.
  bool load() {
    void* const handle = dlopen(pmix::k_library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) return false;
    return find(handle, "PMIx_Get_version", &version) && find(handle, "PMIx_Init", &init) &&
           find(handle, "PMIx_Put", &put) && find(handle, "PMIx_Get", &get) &&
           find(handle, "PMIx_Finalize", &finalize);
  }

 private:
  template <class Function>
  static bool find(void* handle, const char* name, Function** function) {
    *function = reinterpret_cast<Function*>(dlsym(handle, name));
    return *function != nullptr;
  }
};

Status pmix_error(const char* what, int code) {
  return Status::not_supported(std::string(what) + " of PMIx failed: " + std::to_string(code));
}

class PmixKeys final : public LauncherKeys {
 public:
  explicit PmixKeys(const Library& library) : library_(library) {}

  ~PmixKeys() override {
    if (late_word.keys == this) late_word.keys = nullptr;
    // A forked child has the parent's connection to the server.
    if (is_initialised_ && process_id_ == getpid()) library_.finalize(nullptr, 0);
  }

  Status put(const std::string& word) override {
    if (!library_version().is("Open MPI", 4)) {
      late_word = {
          .keys = this, .word = word, .status = Status::not_supported("the MPI has not initialised PMIx")};
      return {};
    }
    if (const int code = library_.init(&self_, nullptr, 0); code != pmix::k_success)
      return pmix_error("initialisation", code);
    is_initialised_ = true;
    return put_word(word);
  }

  Status late_status() const override { return late_word.keys == this ? late_word.status : Status(); }

  static void put_late(const pmix::Process& self) {
    if (late_word.keys == nullptr || late_word.keys->is_put_) return;
    late_word.keys->is_put_ = true;
    late_word.keys->self_ = self;
    late_word.status = late_word.keys->put_word(late_word.word);
  }

  /// The server of this node answers from what it has: it has everything since the collective fence in the
  /// MPI's initialisation. Without "immediate" it would wait for two seconds for a key that is not there.
  Result<std::optional<std::string>> get(int rank) override {
    pmix::Process process = self_;
    process.rank = static_cast<uint32_t>(rank);
    pmix::Info immediate{};
    std::snprintf(immediate.key, sizeof immediate.key, "%s", pmix::k_immediate);
    immediate.value.type = pmix::k_bool;
    immediate.value.flag = true;
    pmix::Value* value = nullptr;
    const int code = library_.get(&process, k_key, &immediate, 1, &value);
    if (code == pmix::k_not_found) return std::optional<std::string>();
    if (code != pmix::k_success || value == nullptr) return pmix_error("a get", code);
    std::optional<std::string> word;
    if (value->type == pmix::k_string && value->string != nullptr) {
      word = value->string;
      std::free(value->string);
    }
    std::free(value);
    return word;
  }

  /// Where Open MPI is told to let the ranks find each other's data one by one (pmix_base_collect_data),
  /// there is no fence that spreads it. MPI_T would say so as well, but takes most of a second to load all of
  /// Open MPI.
  bool is_shared() const override {
    const auto* const collects = static_cast<const bool*>(dlsym(RTLD_DEFAULT, "opal_pmix_collect_all_data"));
    return collects != nullptr && *collects;
  }

 private:
  /// The MPI commits it, with what it puts itself. (A commit of ours that failed would make this rank decline while the
  /// others see its word all the same.)
  Status put_word(std::string word) {
    pmix::Value value{};
    value.type = pmix::k_string;
    value.string = word.data();
    const int code = library_.put(pmix::k_global, k_key, &value);
    return code == pmix::k_success ? Status() : pmix_error("a put", code);
  }

  /// The word that is put once the MPI has initialised PMIx.
  struct LateWord {
    PmixKeys* keys = nullptr;  // nullptr: there is none
    std::string word;
    Status status;
  };
  static LateWord late_word;

  const Library library_;
  pmix::Process self_{};
  const pid_t process_id_ = getpid();
  bool is_initialised_ = false;  // by this object
  bool is_put_ = false;
};

PmixKeys::LateWord PmixKeys::late_word;

/// "OpenPMIx 4.2.2rc2, repo rev: …" is the library of a server of version 4.2.2rc2. An Open MPI that has
/// brought a PMIx of its own would not see what is said to another one.
bool is_of_version(std::string_view library, std::string_view server) {
  const size_t at = library.find(server);
  if (server.empty() || at == std::string_view::npos || at == 0 || library[at - 1] != ' ') return false;
  const std::string_view rest = library.substr(at + server.size());
  return rest.empty() || rest[0] == ',' || rest[0] == ' ';
}

}  // namespace

void pmix_is_initialised(const pmix::Process& self) {
  PmixKeys::put_late(self);
}

std::unique_ptr<LauncherKeys> open_pmix_keys() {
  const char* const server = std::getenv("PMIX_VERSION");
  if (server == nullptr || std::getenv("PMIX_NAMESPACE") == nullptr || std::getenv("PMIX_RANK") == nullptr)
    return nullptr;
  Library library;
  if (!library.load() || !is_of_version(library.version(), server)) return nullptr;
  return std::make_unique<PmixKeys>(library);
}

}  // namespace tutti::mpi
