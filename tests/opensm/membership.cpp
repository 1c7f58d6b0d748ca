#include "membership.hpp"

#include <arpa/inet.h>
#include <endian.h>
#include <infiniband/umad_sa.h>
#include <infiniband/umad_sa_mcm.h>
#include <infiniband/umad_types.h>

#include <algorithm>
#include <cstring>

namespace tutti::opensm_test {

using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_default_prefix = 0xFE80000000000000;
constexpr uint16_t k_attribute = 0x38;  // MCMemberRecord
constexpr uint8_t k_set = 0x02, k_delete = 0x15;
constexpr int k_patience_ms = 20'000;
/// After this time without an answer, the pending requests are deferred, and more may follow.
constexpr int k_pause_ms = 10;

void put_gid(uint8_t* to, uint64_t high, uint64_t low) {
  high = htobe64(high);
  low = htobe64(low);
  std::memcpy(to, &high, sizeof high);
  std::memcpy(to + sizeof high, &low, sizeof low);
}

umad_sa_packet request(const Change& change, uint8_t method, uint64_t number) {
  constexpr uint64_t k_join =
      UMAD_SA_MCM_COMP_MASK_MGID | UMAD_SA_MCM_COMP_MASK_PORT_GID | UMAD_SA_MCM_COMP_MASK_JOIN_STATE;
  // The components required to create the group with the first join.
  constexpr uint64_t k_create = UMAD_SA_MCM_COMP_MASK_QKEY | UMAD_SA_MCM_COMP_MASK_TCLASS |
                                UMAD_SA_MCM_COMP_MASK_PKEY | UMAD_SA_MCM_COMP_MASK_SL |
                                UMAD_SA_MCM_COMP_MASK_FLOW_LABEL;
  umad_sa_packet packet{};
  packet.mad_hdr.base_version = 1;
  packet.mad_hdr.mgmt_class = UMAD_CLASS_SUBN_ADM;
  packet.mad_hdr.class_version = UMAD_SA_CLASS_VERSION;
  packet.mad_hdr.method = method;
  packet.mad_hdr.tid = htobe64(number);
  packet.mad_hdr.attr_id = htons(k_attribute);
  packet.comp_mask = htobe64(method == k_set ? k_join | k_create : k_join);
  umad_sa_mcmember_record record{};
  put_gid(record.mgid, change.mgid.high, change.mgid.low);
  put_gid(record.portgid, k_default_prefix, change.port_guid);
  record.qkey = htonl(0x0B1B);
  record.pkey = htons(0xFFFF);
  record.scope_state = UMAD_SA_MCM_JOIN_STATE_FULL_MEMBER;
  std::memcpy(packet.data, &record, sizeof record);
  return packet;
}

Result<std::vector<Answer>> exchange(Port& port, const std::vector<Change>& changes, unsigned window,
                                     uint8_t method) {
  const Port::Address administrator{port.sm_lid(), 1, UMAD_QKEY};
  std::vector<Answer> answers(changes.size());
  size_t sent = 0, answered = 0, allowed = window;
  int waited_ms = 0;
  while (answered < changes.size()) {
    for (; sent < std::min(allowed, changes.size()); ++sent) {
      const umad_sa_packet packet = request(changes[sent], method, sent + 1);
      if (Status status = port.send(&packet, administrator); !status) return status;
    }
    umad_sa_packet answer;
    if (!port.receive(&answer, k_pause_ms)) {
      allowed = sent + window;
      if ((waited_ms += k_pause_ms) > k_patience_ms)
        return Status::not_found("the subnet administrator does not answer; is OpenSM running?");
      continue;
    }
    waited_ms = 0;
    const uint64_t number = be64toh(answer.mad_hdr.tid) & UINT32_MAX;
    if (number == 0 || number > sent) continue;  // not an answer to one of these
    umad_sa_mcmember_record record;
    std::memcpy(&record, answer.data, sizeof record);
    answers[number - 1] = {answer.mad_hdr.status == 0, ntohs(record.mlid)};
    ++answered;
    allowed = std::max(allowed, answered + window);
  }
  return answers;
}

}  // namespace

Result<std::vector<Answer>> join(Port& port, const std::vector<Change>& changes, unsigned window) {
  return exchange(port, changes, window, k_set);
}

Result<std::vector<Answer>> leave(Port& port, const std::vector<Change>& changes, unsigned window) {
  return exchange(port, changes, window, k_delete);
}

}  // namespace tutti::opensm_test
