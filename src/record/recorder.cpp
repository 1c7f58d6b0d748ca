#include "record/recorder.hpp"

#include "record/modules.hpp"

namespace tutti::record {

namespace {

uint32_t counting(uint32_t row) {
  return row == RowTable::k_none ? k_void_row : row;
}

/// Record of a call that has begun and not ended.
PackedRecord under_way(const BegunCall& call, uint32_t sequence, uint32_t row) {
  return PackedRecord::of({.arrival_ns = call.arrival_ns, .row = row, .sequence = sequence});
}

Row row_in_words(const RowKey& key, uint32_t place) {
  return {.place = place,
          .communicator = key.communicator,
          .stream = key.stream,
          .message = key.message,
          .collective = key.collective,
          .interface = key.interface,
          .choice = key.choice.choice == nullptr ? "native" : *key.choice.choice,
          .reason = key.choice.reason == nullptr ? "" : *key.choice.reason};
}

}  // namespace

base::Result<std::unique_ptr<Recorder>> Recorder::make(const RecorderOptions& options,
                                                       std::unique_ptr<LiveFile> file,
                                                       const RankDescription& description) {
  auto ring = Ring::make(options.bytes, options.keeps_newest, file.get());
  if (!ring) return ring.status();
  if (file != nullptr && (*ring)->file_bytes() == 0) {
    file->remove();
    file = nullptr;
  }
  if (file != nullptr) {
    RankDescription known = description;
    known.sampled_every = options.every;
    known.keeps_newest = options.keeps_newest;
    file->begin_lines((*ring)->file_bytes(), known);
  }
  return std::unique_ptr<Recorder>(new Recorder(std::move(*ring), options, std::move(file)));
}

Recorder::Recorder(std::unique_ptr<Ring> ring, const RecorderOptions& options, std::unique_ptr<LiveFile> file)
    : file_(std::move(file)),
      ring_(std::move(ring)),
      options_(options),
      modules_(options.program),
      rows_([this](const RowKey& key) {
        if (file_ == nullptr) return;
        const size_t before = modules_.places().size();
        const uint32_t place = modules_.number_of(key.caller);
        if (modules_.places().size() > before) file_->add(modules_.places().back());
        file_->add(row_in_words(key, place));
      }),
      communicators_([this](const CommunicatorDescription& communicator) {
        if (file_ != nullptr) file_->add(communicator);
      }) {}

uint32_t Recorder::row_of(const BegunCall& call, const ServingChoice& choice) {
  return counting(rows_.number_of({.caller = call.caller,
                                   .communicator = call.counter->communicator(),
                                   .stream = call.counter->stream(),
                                   .collective = call.collective,
                                   .interface = call.interface,
                                   .choice = choice}));
}

CallTicket Recorder::begin(const BegunCall& call) {
  const uint32_t sequence = call.counter->next();
  if (!is_recorded(sequence)) return {.sequence = sequence};
  const CallTicket ticket{.place = ring_->take(), .sequence = sequence};
  if (ticket.place != Ring::k_none)
    ring_->write(ticket.place, under_way(call, sequence, row_of(call, ServingChoice{})));
  return ticket;
}

void Recorder::end(const BegunCall& call, CallTicket ticket, const EndedCall& ended) {
  if (!ring_->has(ticket.place)) return;
  ring_->write(ticket.place, PackedRecord::of({.arrival_ns = call.arrival_ns,
                                               .row = row_of(call, ended.choice),
                                               .sequence = ticket.sequence,
                                               .inside_ns = ended.inside_ns,
                                               .whole_ns = ended.whole_ns,
                                               .bytes = ended.bytes,
                                               .root = ended.root}));
}

void Recorder::complete(CallTicket ticket, uint64_t arrival_ns, uint64_t inside_ns, uint64_t whole_ns) {
  if (!ring_->has(ticket.place)) return;
  CallRecord record = ring_->read(ticket.place).unpack();
  if (record.arrival_ns != arrival_ns) return;
  if (inside_ns != k_unknown_ns) record.inside_ns = inside_ns;
  record.whole_ns = whole_ns;
  ring_->write(ticket.place, PackedRecord::of(record));
}

void Recorder::refused(const BegunCall& call, CallTicket ticket) {
  call.counter->take_back();
  if (!ring_->has(ticket.place)) return;
  ring_->write(ticket.place, under_way(call, ticket.sequence, k_void_row));
}

uint32_t Recorder::row_of(const Message& of) {
  return counting(rows_.number_of({.communicator = of.counter->communicator(),
                                   .message = of.call,
                                   .choice = {.choice = of.name, .reason = nullptr}}));
}

size_t Recorder::open(const Message& of) {
  return ring_->open(
      PackedRecord::of({.arrival_ns = of.arrival_ns, .row = row_of(of), .sequence = 0, .root = of.peer}));
}

void Recorder::message(const Message& of) {
  const uint32_t row = row_of(of);
  const Ring::Ticket place = ring_->take();
  if (place == Ring::k_none) return;
  ring_->write(place, PackedRecord::of({.arrival_ns = of.arrival_ns,
                                        .row = row,
                                        .inside_ns = of.inside_ns,
                                        .whole_ns = of.inside_ns,
                                        .root = of.peer}));
}

std::vector<PackedRecord> Recorder::take(RankDescription* description) {
  std::vector<PackedRecord> records;
  records.reserve(ring_->end() - ring_->first());
  for (Ring::Ticket ticket = ring_->first(); ticket < ring_->end(); ++ticket)
    if (const PackedRecord record = ring_->read(ticket); record.unpack().row != k_void_row)
      records.push_back(record);
  const std::vector<PackedRecord> open = ring_->open_calls();
  records.insert(records.end(), open.begin(), open.end());
  Modules modules(options_.program);
  for (const RowKey& key : rows_.all())
    description->rows.push_back(row_in_words(key, modules.number_of(key.caller)));
  description->places = modules.places();
  description->communicators = communicators_.all();
  description->communicators_left_out = communicators_.left_out();
  description->sampled_every = options_.every;
  description->keeps_newest = options_.keeps_newest;
  description->taken = ring_->taken() + open.size();
  description->records = records.size();
  return records;
}

void Recorder::remove_file() {
  if (file_ != nullptr) file_->remove();
}

}  // namespace tutti::record
