#include "record/recorder.hpp"

#include "record/modules.hpp"

namespace tutti::record {

namespace {

// Of a record whose call is under way: in place of its row, and what the other words hold.
constexpr uint32_t k_under_way = UINT32_MAX;
// Of a record that does not count.
constexpr uint32_t k_void = UINT32_MAX - 1;

PackedRecord under_way(const BegunCall& call, uint32_t sequence) {
  return {{call.arrival_ns, uint64_t{sequence} << 32 | k_under_way, reinterpret_cast<uintptr_t>(call.caller),
           uint64_t{call.track->communicator()} | static_cast<uint64_t>(call.collective) << 32 |
               static_cast<uint64_t>(call.interface) << 40}};
}

/// The key of such a record. Persistent requests are not told apart in it.
RowKey key_of_begun(const PackedRecord& record) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the pointer that under_way() has put there
  return {.caller = reinterpret_cast<const void*>(record.words[2]),
          .communicator = static_cast<uint32_t>(record.words[3]),
          .stream = 0,
          .collective = static_cast<algorithm::Collective>(record.words[3] >> 32 & 0xFF),
          .interface = static_cast<select::CallKind>(record.words[3] >> 40 & 0xFF),
          .choice = {}};
}

uint32_t row_of(const PackedRecord& record) {
  return static_cast<uint32_t>(record.words[1]);
}

}  // namespace

base::Result<std::unique_ptr<Recorder>> Recorder::make(const RecorderOptions& options) {
  auto ring = Ring::make(options.bytes, options.keeps_newest);
  if (!ring) return ring.status();
  return std::unique_ptr<Recorder>(new Recorder(std::move(*ring), options));
}

CallTicket Recorder::begin(const BegunCall& call) {
  const uint32_t sequence = call.track->next();
  if (!is_recorded(sequence)) return {.sequence = sequence};
  const CallTicket ticket{.place = ring_->take(), .sequence = sequence};
  if (ticket.place != Ring::k_none) ring_->write(ticket.place, under_way(call, sequence));
  return ticket;
}

void Recorder::end(const BegunCall& call, CallTicket ticket, const EndedCall& ended) {
  if (!ring_->has(ticket.place)) return;
  const uint32_t row = rows_.number_of({.caller = call.caller,
                                        .communicator = call.track->communicator(),
                                        .stream = call.track->stream(),
                                        .collective = call.collective,
                                        .interface = call.interface,
                                        .choice = ended.choice});
  ring_->write(ticket.place, PackedRecord::of({.arrival_ns = call.arrival_ns,
                                               .row = row == RowTable::k_none ? k_void : row,
                                               .sequence = ticket.sequence,
                                               .inside_ns = ended.inside_ns,
                                               .whole_ns = ended.whole_ns,
                                               .bytes = ended.bytes,
                                               .root = ended.root}));
}

void Recorder::complete(CallTicket ticket, uint64_t arrival_ns, uint64_t inside_ns, uint64_t whole_ns) {
  if (!ring_->has(ticket.place)) return;
  CallRecord record = ring_->read(ticket.place).unpack();
  if (record.arrival_ns != arrival_ns || record.row == k_under_way) return;
  if (inside_ns != k_unknown_ns) record.inside_ns = inside_ns;
  record.whole_ns = whole_ns;
  ring_->write(ticket.place, PackedRecord::of(record));
}

void Recorder::refused(const BegunCall& call, CallTicket ticket) {
  call.track->take_back();
  if (!ring_->has(ticket.place)) return;
  PackedRecord record = under_way(call, ticket.sequence);
  record.words[1] = record.words[1] >> 32 << 32 | k_void;
  ring_->write(ticket.place, record);
}

void Recorder::message(const Message& of) {
  const uint32_t row = rows_.number_of({.communicator = of.track->communicator(), .message = of.call});
  const Ring::Ticket place = ring_->take();
  if (place == Ring::k_none || row == RowTable::k_none) return;
  ring_->write(place, PackedRecord::of({.arrival_ns = of.arrival_ns,
                                        .row = row,
                                        .inside_ns = of.inside_ns,
                                        .whole_ns = of.inside_ns,
                                        .root = of.peer}));
}

std::vector<PackedRecord> Recorder::take(RankDescription* description) {
  std::vector<PackedRecord> records;
  records.reserve(ring_->end() - ring_->first());
  for (Ring::Ticket ticket = ring_->first(); ticket < ring_->end(); ++ticket) {
    const PackedRecord record = ring_->read(ticket);
    if (row_of(record) == k_void) continue;
    if (row_of(record) != k_under_way) {
      records.push_back(record);
      continue;
    }
    const uint32_t row = rows_.number_of(key_of_begun(record));
    if (row == RowTable::k_none) continue;
    records.push_back(PackedRecord::of({.arrival_ns = record.words[0],
                                        .row = row,
                                        .sequence = static_cast<uint32_t>(record.words[1] >> 32)}));
  }
  Modules modules;
  for (const RowKey& key : rows_.all())
    description->rows.push_back({.place = modules.number_of(key.caller),
                                 .communicator = key.communicator,
                                 .stream = key.stream,
                                 .message = key.message,
                                 .collective = key.collective,
                                 .interface = key.interface,
                                 .choice = key.choice.choice == nullptr ? "native" : *key.choice.choice,
                                 .reason = key.choice.reason == nullptr ? "" : *key.choice.reason});
  description->places = modules.places();
  description->communicators = communicators_.all();
  description->communicators_left_out = communicators_.left_out();
  description->sampled_every = options_.every;
  description->keeps_newest = options_.keeps_newest;
  description->taken = ring_->taken();
  description->records = records.size();
  return records;
}

}  // namespace tutti::record
