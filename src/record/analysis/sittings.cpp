#include "record/analysis/sittings.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "record/analysis/ending.hpp"
#include "record/analysis/open_waits.hpp"

namespace tutti::record::analysis {

std::string call_text(const Analysis& of, const MemberCall& one, Symbols* symbols) {
  const bool is_blocking = one.interface == select::CallInterface::blocking;
  return fmt::format("{}{} in {}", is_blocking ? "" : "i", algorithm::to_string(one.collective),
                     symbols->name(of.tables.places[one.place]));
}

namespace {

Ranks absent_from(const Analysis& of, const CallInstance& call) {
  Ranks absent;
  const Ranks& members = of.tables.groups[call.group].members;
  for (size_t i = 0; i < members.size(); ++i)
    if (!call.calls[i].is_present) absent.push_back(members[i]);
  std::ranges::sort(absent);
  return absent;
}

/// Ranks that have to make the same call, beside collectives.
Ranks members_of(const OpenWait* wait) {
  return wait == nullptr ? Ranks() : wait->members;
}

/// Merges ranks that are in the same call.
void sit_down(Sitting sitting, Sittings* in) {
  const auto same = std::ranges::find_if(in->all, [&](const Sitting& other) {
    return other.call == sitting.call && other.text == sitting.text &&
           members_of(other.wait) == members_of(sitting.wait);
  });
  const uint32_t rank = sitting.inside.front();
  if (same == in->all.end()) {
    in->all.push_back(std::move(sitting));
    return;
  }
  if (std::ranges::find(same->inside, rank) == same->inside.end()) same->inside.push_back(rank);
  std::erase(same->absent, rank);
  same->since_ns = std::max(same->since_ns, sitting.since_ns);
}

void sit_in_collectives(const Analysis& of, Symbols* symbols, Sittings* in) {
  for (const CallInstance& call : of.assembled.unfinished) {
    const Ranks& members = of.tables.groups[call.group].members;
    for (size_t i = 0; i < members.size(); ++i)
      if (const MemberCall& one = call.calls[i];
          is_under_way(one) && one.interface == select::CallInterface::blocking)
        sit_down({.call = &call,
                  .text = call_text(of, one, symbols),
                  .inside = {members[i]},
                  .absent = absent_from(of, call),
                  .since_ns = one.arrival_ns},
                 in);
  }
}

std::string wait_text(const OpenWait& wait) {
  if (wait.peers.empty()) return wait.call == MessageCall::poll ? "tests with " + wait.name : wait.name;
  Ranks peers = wait.peers;
  std::ranges::sort(peers);
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  constexpr std::string_view k_joins[] = {"", "to", "from", "with", "from", "for a message of", "for", "for"};
  return fmt::format("{} {} {}", wait.name, k_joins[static_cast<size_t>(wait.call)], ranks_text(peers));
}

void sit_in_waits(const Analysis& of, bool with_peers, Symbols* symbols, Sittings* in) {
  for (const OpenWait& wait : of.assembled.open_waits) {
    Sitting sitting{.wait = &wait, .inside = {wait.rank}, .since_ns = wait.arrival_ns};
    sitting.text = with_peers ? wait_text(wait) : wait.name;
    const BegunCall begun = awaited_collective(wait, of.tables, of.assembled.unfinished);
    if (begun.call != nullptr) {
      sitting.call = begun.call;
      sitting.text = fmt::format("{} for {}", wait.name, call_text(of, *begun.its, symbols));
      sitting.absent = absent_from(of, *begun.call);
    } else {
      std::ranges::remove_copy(wait.members, std::back_inserter(sitting.absent), wait.rank);
    }
    sit_down(std::move(sitting), in);
  }
}

/// Ranks that wait for messages of each other in a circle; empty: none.
Ranks circle_of(const Sittings& sittings) {
  std::map<uint32_t, uint32_t> awaited;
  for (const Sitting& one : sittings.all)
    if (one.wait != nullptr && one.inside.size() == 1 && one.wait->peers.size() == 1)
      awaited.emplace(one.inside.front(), one.wait->peers.front());
  for (const auto& [first, _] : awaited) {
    Ranks circle{first};
    for (auto next = awaited.find(first); next != awaited.end() && circle.size() <= awaited.size();
         next = awaited.find(next->second)) {
      if (next->second == first) return circle;
      circle.push_back(next->second);
    }
  }
  return {};
}

/// "it sits in barrier in main (a.c:3)": where these ranks are, after their names; empty: in several calls.
std::string place_text(const Ranks& ranks, const Sittings& sittings) {
  const bool is_one = ranks.size() == 1;
  const auto are_all = [&](auto is_there) { return std::ranges::all_of(ranks, is_there); };
  if (are_all([&](uint32_t rank) {
        return std::ranges::find(sittings.finalized, rank) != sittings.finalized.end();
      }))
    return is_one ? "it is in MPI_Finalize" : "they are in MPI_Finalize";
  for (const Sitting& one : sittings.all)
    if (are_all([&](uint32_t rank) { return std::ranges::binary_search(one.inside, rank); }))
      return fmt::format("{} in {}", is_one ? "it sits" : "they sit", one.text);
  return {};
}

std::string with_place(std::string sentence, const Ranks& ranks, const Sittings& sittings) {
  const std::string place = place_text(ranks, sittings);
  return sentence + (place.empty() ? "" : ": ") + place + '.';
}

bool is_for_message(const OpenWait& wait) {
  return wait.call != MessageCall::other && wait.call != MessageCall::poll && !wait.peers.empty();
}

/// The rank for whose messages most ranks wait, at least two, while it waits for none itself.
struct Awaited {
  uint32_t rank = 0;
  Ranks waiting;
};
std::optional<Awaited> most_awaited(const Analysis& of) {
  std::map<uint32_t, std::set<uint32_t>> waiting;
  for (const OpenWait& wait : of.assembled.open_waits)
    if (is_for_message(wait))
      for (const uint32_t peer : wait.peers) waiting[peer].insert(wait.rank);
  const auto size = [](const auto& one) { return one.second.size(); };
  const auto most = std::ranges::max_element(waiting, {}, size);
  if (most == waiting.end() || size(*most) < 2) return std::nullopt;
  const auto is_as_awaited = [&](const auto& one) { return size(one) == size(*most); };
  const auto waits_itself = [&](const OpenWait& wait) {
    return is_for_message(wait) && wait.rank == most->first;
  };
  if (std::ranges::count_if(waiting, is_as_awaited) > 1 ||
      std::ranges::any_of(of.assembled.open_waits, waits_itself))
    return std::nullopt;
  return Awaited{.rank = most->first, .waiting = Ranks(most->second.begin(), most->second.end())};
}

/// Text if a call waits for ranks that do not come to any call; otherwise empty.
std::string gone_text(const Sittings& sittings) {
  const auto gone = [&](const Ranks& of) {
    Ranks found;
    std::ranges::copy_if(of, std::back_inserter(found),
                         [&](uint32_t rank) { return sittings.is_gone(rank); });
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  };
  for (const Sitting& one : sittings.all) {
    if (const Ranks missing = gone(one.absent); !missing.empty())
      return with_place(fmt::format("Find out what keeps {} from {}", ranks_text(missing), one.text), missing,
                        sittings);
    if (one.wait == nullptr || !is_for_message(*one.wait)) continue;
    if (const Ranks missing = gone(one.wait->peers); !missing.empty())
      return fmt::format("Find out what keeps {}: {} {} in {}.", ranks_text(missing), ranks_text(one.inside),
                         one.inside.size() == 1 ? "sits" : "sit", one.text);
  }
  return {};
}

}  // namespace

Sittings sittings_of(const Analysis& of, const Ranks& unfinished, const Ranks& finalized, Symbols* symbols) {
  constexpr size_t k_most_with_peers = 4;
  Sittings found;
  for (const bool with_peers : {true, false}) {
    found = {};
    sit_in_collectives(of, symbols, &found);
    sit_in_waits(of, with_peers, symbols, &found);
    if (found.all.size() <= k_most_with_peers) break;
  }
  for (Sitting& one : found.all) {
    std::ranges::sort(one.inside);
    found.inside.insert(found.inside.end(), one.inside.begin(), one.inside.end());
  }
  std::ranges::sort(found.inside);
  found.inside.erase(std::unique(found.inside.begin(), found.inside.end()), found.inside.end());
  std::ranges::set_difference(unfinished, found.inside, std::back_inserter(found.outside));
  found.finalized = finalized;
  return found;
}

std::string where_text(const Sittings& sittings, bool goes_on) {
  constexpr size_t k_most_told = 4;
  const std::vector<Sitting>& all = sittings.all;
  std::string text;
  for (size_t i = 0; i < std::min(all.size(), k_most_told); ++i)
    text += fmt::format("{}{} {} in {}", text.empty() ? "" : ", ", ranks_text(all[i].inside),
                        goes_on && all[i].inside.size() == 1 ? "sits"
                        : goes_on                            ? "sit"
                                                             : "sat",
                        all[i].text);
  if (all.size() > k_most_told) text += fmt::format(", others in {} calls more", all.size() - k_most_told);
  if (!sittings.finalized.empty())
    text += fmt::format("{}{} in MPI_Finalize", text.empty() ? "" : ", ", ranks_text(sittings.finalized));
  if (!sittings.outside.empty())
    text += fmt::format("{}{} in no MPI call that is recorded", text.empty() ? "" : ", ",
                        ranks_text(sittings.outside));
  return text;
}

std::string hung_advice(const Analysis& of, const Sittings& sittings) {
  const std::vector<Sitting>& all = sittings.all;
  if (Ranks circle = circle_of(sittings); !circle.empty()) {
    std::string order;
    for (const uint32_t rank : circle) order += fmt::format("{} for ", rank);
    const uint32_t first = circle.front();
    std::ranges::sort(circle);
    return fmt::format("{} wait for each other in a circle ({}{}): none of them can go on.",
                       circle.size() == 1 ? "It" : "The " + ranks_text(circle), order, first);
  }
  if (std::string gone = gone_text(sittings); !gone.empty()) return gone;
  if (const std::optional<Awaited> awaited = most_awaited(of))
    return with_place(fmt::format("Find out what keeps rank {} from its messages with {}", awaited->rank,
                                  ranks_text(awaited->waiting)),
                      {awaited->rank}, sittings);
  // If ranks have gone to different calls, the one to which most have come is taken to be the right one.
  const auto is_behind = [](const Sitting& a, const Sitting& b) {
    if (a.absent.empty() || b.absent.empty()) return a.absent.empty() && !b.absent.empty();
    return std::pair(b.absent.size(), a.inside.size()) < std::pair(a.absent.size(), b.inside.size());
  };
  const Sitting& most = *std::ranges::max_element(all, is_behind);
  if (!most.absent.empty())
    return with_place(fmt::format("Find out what keeps {} from {}", ranks_text(most.absent), most.text),
                      most.absent, sittings);
  const Sitting& first = all.front();
  const bool is_one = first.inside.size() == 1;
  if (first.wait == nullptr || !first.wait->members.empty())
    return fmt::format("All ranks have come to {}: run it with TUTTI=0, to see whether the call ends there.",
                       first.text);
  if (first.wait->call == MessageCall::other)
    return fmt::format("Find out for which rank {} {} in {}.", ranks_text(first.inside),
                       is_one ? "waits" : "wait", first.text);
  if (first.wait->call == MessageCall::send)
    return fmt::format("Find out whether what {} {} in {} is ever received.", ranks_text(first.inside),
                       is_one ? "sends" : "send", first.text);
  return fmt::format("Find out whether what {} {} for in {} was ever sent.", ranks_text(first.inside),
                     is_one ? "waits" : "wait", first.text);
}

}  // namespace tutti::record::analysis
