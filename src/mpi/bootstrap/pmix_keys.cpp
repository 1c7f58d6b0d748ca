// Keys of the ranks of a job at the PMIx server, through the PMIx library that Open MPI itself will use.
//
// Open MPI 4: the key-value space. PMIx counts its initialisations in a process, so the value can be put before Open
// MPI initialises it.
//
// Open MPI 5 skips its own initialisation if there has been one, then never requests its name and fails (ompi_rte_init,
// 5.0.0 to 5.0.9). There the value is stored directly after Open MPI's initialisation of PMIx, which is intercepted
// (entry/pmix_call.cpp). Its PMIx (5.0) finds keys of ranks of other nodes only by a request to their server, which
// never answers if there is no such key. So the value is published at the server that answers for all nodes.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "mpi/bootstrap/launcher_keys.hpp"
#include "mpi/bootstrap/pmix_abi.hpp"
#include "mpi/native/library_version.hpp"

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
  pmix::Publish* publish = nullptr;
  pmix::LookUp* look_up = nullptr;
  pmix::Finalize* finalize = nullptr;

  /// The library stays loaded, as Open MPI expects.
  bool load() {
    void* const handle = dlopen(pmix::k_library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) return false;
    return find(handle, "PMIx_Get_version", &version) && find(handle, "PMIx_Init", &init) &&
           find(handle, "PMIx_Put", &put) && find(handle, "PMIx_Get", &get) &&
           find(handle, "PMIx_Publish", &publish) && find(handle, "PMIx_Lookup", &look_up) &&
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

/// The text of a value, whose memory this frees.
std::optional<std::string> take_word(pmix::Value& value) {
  if (value.type != pmix::k_string || value.string == nullptr) return std::nullopt;
  std::string word = value.string;
  std::free(value.string);
  return word;
}

/// For Open MPI 4.
class KeyValueSpace final : public LauncherKeys {
 public:
  explicit KeyValueSpace(const Library& library) : library_(library) {}

  ~KeyValueSpace() override {
    // A forked child has the parent's connection to the server.
    if (is_initialised_ && process_id_ == getpid()) library_.finalize(nullptr, 0);
  }

  /// The MPI commits the value together with its own. (If a commit here failed, this rank would decline while the
  /// others might still see its value.)
  Status put(const std::string& word) override {
    if (const int code = library_.init(&self_, nullptr, 0); code != pmix::k_success)
      return pmix_error("initialisation", code);
    is_initialised_ = true;
    std::string copy = word;
    pmix::Value value{};
    value.type = pmix::k_string;
    value.string = copy.data();
    const int code = library_.put(pmix::k_global, k_key, &value);
    return code == pmix::k_success ? Status() : pmix_error("a put", code);
  }

  /// The server of this node answers from its own data, which is complete since the collective fence in the MPI's
  /// initialisation. Without "immediate" it would wait two seconds for a missing key.
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
    std::optional<std::string> word = take_word(*value);
    std::free(value);
    return word;
  }

  /// If Open MPI is set to let ranks fetch each other's data on demand (pmix_base_collect_data), no fence distributes
  /// it. MPI_T also reports that setting, but takes most of a second to load all of Open MPI.
  bool is_shared() const override {
    const auto* const collects = static_cast<const bool*>(dlsym(RTLD_DEFAULT, "opal_pmix_collect_all_data"));
    return collects != nullptr && *collects;
  }

 private:
  const Library library_;
  pmix::Process self_{};
  const pid_t process_id_ = getpid();
  bool is_initialised_ = false;  // by this object
};

/// For Open MPI 5. A publication is visible before its call returns, and so before any rank has left the barrier in the
/// MPI's initialisation.
class Publications final : public LauncherKeys {
 public:
  explicit Publications(const Library& library) : library_(library) {}

  ~Publications() override {
    if (waiting_ == this) waiting_ = nullptr;
  }

  Status put(const std::string& word) override {
    word_ = word;
    waiting_ = this;
    return {};
  }

  Status late_status() const override { return status_; }

  static void publish_waiting(const pmix::Process& self) {
    if (waiting_ != nullptr) std::exchange(waiting_, nullptr)->publish(self);
  }

  Result<std::optional<std::string>> get(int rank) override {
    pmix::Lookup lookup{};
    write_key(static_cast<uint32_t>(rank), lookup.key);
    const int code = library_.look_up(&lookup, 1, nullptr, 0);
    if (code == pmix::k_not_found) return std::optional<std::string>();
    if (code != pmix::k_success) return pmix_error("a look-up", code);
    return take_word(lookup.value);
  }

  /// False: the launcher does not support publication at all, for any rank, which is possible for launchers other than
  /// PRRTE. Any other failure affects this rank only: it declines, and the others do not find its value.
  bool is_shared() const override { return can_publish_; }

 private:
  void publish(const pmix::Process& self) {
    self_ = self;
    pmix::Info info{};
    write_key(self.rank, info.key);
    info.value.type = pmix::k_string;
    info.value.string = word_.data();
    const int code = library_.publish(&info, 1);
    can_publish_ = code != pmix::k_not_supported;
    status_ = code == pmix::k_success || !can_publish_ ? Status() : pmix_error("a publication", code);
  }

  /// The key contains the job's name space, because all jobs of the launcher share the publications.
  template <size_t size>
  void write_key(uint32_t rank, char (&key)[size]) const {
    std::snprintf(key, size, "%s.%s.%u", k_key, self_.name_space, rank);
  }

  static Publications* waiting_;  // for the MPI's initialisation of PMIx

  const Library library_;
  pmix::Process self_{};
  std::string word_;
  Status status_ = Status::not_supported("the MPI has not initialised PMIx");
  bool can_publish_ = true;
};

Publications* Publications::waiting_ = nullptr;

/// "OpenPMIx 4.2.2rc2, repo rev: …" is the library of a server of version 4.2.2rc2. An Open MPI that includes its own
/// PMIx would not see calls to another one.
bool is_of_version(std::string_view library, std::string_view server) {
  const size_t at = library.find(server);
  if (server.empty() || at == std::string_view::npos || at == 0 || library[at - 1] != ' ') return false;
  const std::string_view rest = library.substr(at + server.size());
  return rest.empty() || rest[0] == ',' || rest[0] == ' ';
}

}  // namespace

void pmix_is_initialised(const pmix::Process& self) {
  Publications::publish_waiting(self);
}

std::unique_ptr<LauncherKeys> open_pmix_keys() {
  const char* const server = std::getenv("PMIX_VERSION");
  if (server == nullptr || std::getenv("PMIX_NAMESPACE") == nullptr || std::getenv("PMIX_RANK") == nullptr)
    return nullptr;
  Library library;
  if (!library.load() || !is_of_version(library.version(), server)) return nullptr;
  if (library_version().is("Open MPI", 4)) return std::make_unique<KeyValueSpace>(library);
  return std::make_unique<Publications>(library);
}

}  // namespace tutti::mpi
