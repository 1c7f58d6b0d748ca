#include "bench/overlap/measure.hpp"

#include <algorithm>

#include "bench/collective/cpu_time.hpp"

namespace tutti::bench {

namespace {

constexpr int k_calibrations = 5;

double now_us() {
  return PMPI_Wtime() * 1e6;
}

/// While this lives, a case's calls are on `comm`.
class OnCommunicator {
 public:
  OnCommunicator(Buffers& buffers, MPI_Comm comm) : buffers_(buffers), before_(buffers.world.comm) {
    buffers_.world.comm = comm;
  }
  ~OnCommunicator() { buffers_.world.comm = before_; }
  OnCommunicator(const OnCommunicator&) = delete;
  OnCommunicator& operator=(const OnCommunicator&) = delete;

 private:
  Buffers& buffers_;
  const MPI_Comm before_;
};

/// One collective with everything that is needed to time it.
class Subject {
 public:
  Subject(Case& subject, const std::string& collective, int batch, const CoreTime& core_time)
      : case_(subject), start_(start_of(collective)), batch_(batch), core_time_(core_time) {}

  bool call_and_check(Side side);
  double blocking_us(Side side, double* cpu_us);
  double pure_us(Side side);
  double compute_us(Computation& computation, double* cpu_us);
  void together(Side side, const Companion& companion, int tests, Together* result);
  // Untimed calls on Tutti's side, in which run-time selection may try anything: with nothing between start and wait,
  // blocking ones, and calls beside a computation.
  void warm_up(int calls);
  void warm_up(const Companion& companion, int calls);

 private:
  /// Time of one rank in a batch, as means per call. As in the OSU benchmarks the ranks synchronise before every
  /// call.
  template <class Call>
  double slowest_us(Call call, double* cpu_us = nullptr);
  double slowest(double own) const {
    PMPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_MAX, core_time_.comm);
    return own;
  }
  bool everywhere(int own) const {
    PMPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_MIN, core_time_.comm);
    return own != 0;
  }

  Case& case_;
  const Start start_;
  const int batch_;
  const CoreTime& core_time_;
};

template <class Call>
double Subject::slowest_us(Call call, double* cpu_us) {
  double own = 0, cpu = 0;
  for (int i = 0; i < batch_; ++i) {
    PMPI_Barrier(core_time_.comm);
    const double cpu_before = process_cpu_us();
    const double before = now_us();
    call();
    own += now_us() - before;
    cpu += process_cpu_us() - cpu_before;
  }
  if (cpu_us != nullptr) *cpu_us = core_time_.of(cpu / batch_);
  return slowest(own / batch_);
}

double Subject::blocking_us(Side side, double* cpu_us) {
  return slowest_us([&] { case_.call(side); }, cpu_us);
}

double Subject::pure_us(Side side) {
  return slowest_us([&] {
    MPI_Request request = MPI_REQUEST_NULL;
    start_(case_.buffers(), side, &request);
    complete(side, &request);
  });
}

double Subject::compute_us(Computation& computation, double* cpu_us) {
  return slowest_us([&] { computation.run(1); }, cpu_us);
}

void Subject::together(Side side, const Companion& companion, int tests, Together* result) {
  const OnCommunicator on(case_.buffers(), companion.comm);
  double in_start = 0, in_computation = 0, cpu_us = 0;
  const auto call = [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    const double begin = now_us();
    start_(case_.buffers(), side, &request);
    const double started = now_us();
    for (int part = 0; part <= tests; ++part) {
      companion.computation->run(tests + 1);
      if (part < tests) test(side, &request);
    }
    const double computed = now_us();
    complete(side, &request);
    in_start += started - begin;
    in_computation += computed - started;
  };
  result->total_us.values.push_back(slowest_us(call, &cpu_us));
  result->start_us.values.push_back(slowest(in_start / batch_));
  result->compute_us.values.push_back(slowest(in_computation / batch_));
  result->cpu_us.values.push_back(cpu_us);
}

void Subject::warm_up(int calls) {
  for (int i = 0; i < calls; i += batch_) {
    pure_us(Side::tutti);
    blocking_us(Side::tutti, nullptr);
  }
}

void Subject::warm_up(const Companion& companion, int calls) {
  const OnCommunicator on(case_.buffers(), companion.comm);
  for (int i = 0; i < calls; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Barrier(core_time_.comm);
    start_(case_.buffers(), Side::tutti, &request);
    companion.computation->run(1);
    complete(Side::tutti, &request);
  }
}

bool Subject::call_and_check(Side side) {
  case_.reset();
  MPI_Request request = MPI_REQUEST_NULL;
  bool is_called = start_(case_.buffers(), side, &request) == MPI_SUCCESS;
  is_called = complete(side, &request) == MPI_SUCCESS && is_called;
  return everywhere(is_called && case_.is_right());
}

/// Calls `measure_side` with both sides; the first side alternates, so that neither always follows the other.
template <class MeasureSide>
void in_turn(int repetition, MeasureSide measure_side) {
  const size_t first = static_cast<size_t>(repetition % 2);
  for (const Side side : {k_sides[first], k_sides[1 - first]}) measure_side(side);
}

size_t index(Side side) {
  return static_cast<size_t>(side);
}

void repeat(Subject& subject, int repetition, int tests, const std::vector<Companion>& companions,
            OverlapRow* row) {
  in_turn(repetition, [&](Side side) {
    Alone& alone = row->alone[index(side)];
    double cpu_us = 0;
    alone.blocking_us.values.push_back(subject.blocking_us(side, &cpu_us));
    alone.blocking_cpu_us.values.push_back(cpu_us);
    alone.pure_us.values.push_back(subject.pure_us(side));
  });
  for (size_t i = 0; i < companions.size(); ++i) {
    BesideComputation& beside = row->beside[i];
    double cpu_us = 0;
    beside.compute_us.values.push_back(subject.compute_us(*companions[i].computation, &cpu_us));
    beside.cpu_us.values.push_back(cpu_us);
    in_turn(repetition,
            [&](Side side) { subject.together(side, companions[i], tests, &beside.sides[index(side)]); });
  }
}

/// Median of the blocking native call: how long computations shall last. Warms up what it uses.
double calibration_us(Subject& subject) {
  Samples samples;
  for (int i = 0; i < k_calibrations; ++i)
    samples.values.push_back(subject.blocking_us(Side::native, nullptr));
  return samples.median();
}

}  // namespace

double CoreTime::of(double cpu_us) const {
  double longest = cpu_us, all = cpu_us;
  PMPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_DOUBLE, MPI_MAX, comm);
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return std::max(longest, all / cores);
}

double overlap_percent(const OverlapRow& row, const BesideComputation& beside, Side side) {
  const double not_hidden = beside.sides[index(side)].total_us.median() - beside.compute_us.median();
  return std::clamp(100 * (1 - not_hidden / row.alone[index(side)].pure_us.median()), 0.0, 100.0);
}

double slow_down_percent(const BesideComputation& beside, Side side) {
  const double alone = beside.compute_us.median();
  return 100 * (beside.sides[index(side)].compute_us.median() - alone) / alone;
}

double slow_down_beyond_cpu_percent(const OverlapRow& row, const BesideComputation& beside, Side side) {
  const double cpu_us = row.alone[index(Side::native)].blocking_cpu_us.median();
  return std::max(0.0, slow_down_percent(beside, side) - 100 * cpu_us / beside.compute_us.median());
}

OverlapRow measure(Case& subject, const std::string& collective, const OverlapOptions& options,
                   const CoreTime& core_time, const std::vector<Companion>& companions) {
  OverlapRow row{.collective = collective, .bytes = subject.buffers().bytes};
  const uint64_t fitting = options.batch_bytes / std::max<uint64_t>(row.bytes, 1);
  row.batch = static_cast<int>(std::clamp<uint64_t>(fitting, 1, 8));
  Subject timed(subject, collective, row.batch, core_time);
  const auto check = [&] {
    for (const Side side : k_sides)
      if (options.verify) row.right = timed.call_and_check(side) && row.right;
  };
  check();
  subject.reset();
  const double blocking_us = calibration_us(timed);
  const double wanted_us =
      options.computation.microseconds > 0 ? options.computation.microseconds : blocking_us;
  timed.warm_up(options.warm_up_calls);
  for (const Companion& companion : companions) {
    companion.computation->fit(wanted_us, core_time.comm);
    row.beside.push_back({.computation = companion.computation->name()});
    timed.warm_up(companion, options.warm_up_calls);
  }
  const ChoiceCounts before = choices_so_far('i' + collective);
  for (int i = 0; i < options.repetitions; ++i) repeat(timed, i, options.computation.tests, companions, &row);
  row.served = choices_between(before, choices_so_far('i' + collective));
  check();
  return row;
}

}  // namespace tutti::bench
