#include "command/simulate/fit.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/file.hpp"
#include "base/text.hpp"
#include "command/command.hpp"
#include "command/output.hpp"
#include "simulate/fit.hpp"

namespace tutti::command {

using base::Status;

namespace {

std::string csv_of(const simulate::Measurements& measurements, const simulate::Fit& fit) {
  std::string text = "collective,algorithm,bytes,measured_us,simulated_us,ratio\n";
  for (size_t i = 0; i < measurements.calls.size(); ++i) {
    const simulate::MeasuredCall& one = measurements.calls[i];
    if (fit.ratios[i] == 0) continue;
    text += fmt::format("{},\"{}\",{},{:.2f},{:.2f},{:.4f}\n", to_string(one.call.collective),
                        algorithm::to_string(one.choice), one.call.bytes, one.ns / 1000,
                        fit.ratios[i] * one.ns / 1000, fit.ratios[i]);
  }
  return text;
}

void print_errors(const simulate::Measurements& measurements, const simulate::Fit& fit) {
  const auto unfit = static_cast<size_t>(std::count(fit.ratios.begin(), fit.ratios.end(), 0.0));
  const std::string errors =
      fit.is_telling()
          ? fmt::format("median error {:.0f} %, nine of ten within {:.0f} %", 100 * fit.median_error,
                        100 * fit.ninth_error)
          : fmt::format(
                "too few to tell how far off it is, since {} times were fitted to them (measure more "
                "algorithms and sizes)",
                fit.fitted);
  fmt::print(stderr, "fitted to {} on {}: {}; {} left out, which no algorithm of the catalogue made\n",
             base::counted(fit.ratios.size() - unfit, "call"),
             base::counted(static_cast<uint64_t>(measurements.topology.node_count()), "node"), errors,
             base::counted(measurements.others + unfit, "measurement"));
}

}  // namespace

int fit_machine(const FitOptions& options) {
  auto start = simulate::load_machine(options.machine);
  if (!start) return fail("--machine: " + start.status().message());
  if (!options.topology.empty()) start->topology = options.topology;
  const auto text = base::read_file(options.file);
  if (!text) return fail("--fit: " + text.status().message());
  const auto measurements = simulate::parse_measurements(*text, options.file);
  if (!measurements) return fail("--fit: " + measurements.status().message());
  const StopRequest stop;
  ProgressLine progress("simulations of all calls", 0);
  auto fit = simulate::fit(
      *measurements, *start, [&](uint64_t done) { progress.show(done); }, StopRequest::is_asked);
  if (StopRequest::is_asked()) return fail("interrupted; nothing is written", k_interrupted);
  if (!fit) return fail("--fit: " + fit.status().message(), k_failed);
  fit->machine.name = "fitted";
  if (!options.csv.empty())
    if (const Status written = write_output(options.csv, csv_of(*measurements, *fit)); !written)
      return fail(written.message(), k_failed);
  fmt::print("{}", simulate::format_machine(fit->machine));
  print_errors(*measurements, *fit);
  return k_done;
}

}  // namespace tutti::command
