#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fake_system.h"
#include "poll/delta.h"
#include "poll/poller.h"
#include "poll/rows.h"

/// REQUIRE at a cost that millions of them can bear, under sanitizers too.
#define PROCSCOPE_REQUIRE(condition) \
  if (!(condition)) {                \
    FAIL(#condition);                \
  }                                  \
  static_assert(true)

namespace procscope {

enum class Style : uint8_t { kNone, kPidfd, kConnector, kForeign };

struct Settings {
  const char* name;
  Style style;
  int descriptors = 1000;
  FieldMask every_poll = 0;
  /// Ids that there are: the fewer, the sooner each is given out again.
  int32_t pid_max = 60;
  double max_age = 3000;
  double facts_age = 7000;
  double tracked_look = 0;
};

inline constexpr double kTrackedAge = 400;
inline constexpr double kYouth = 1000;

inline PollRequest request_of(const Settings& settings) {
  PollRequest request;
  request.fields = kStatFields | mask_of(Field::kArgv, Field::kUid);
  request.every_poll = settings.every_poll;
  request.max_age = settings.max_age;
  request.facts_age = settings.facts_age;
  request.tracked_age = kTrackedAge;
  request.tracked_look = settings.tracked_look;
  request.descriptors = settings.descriptors;
  request.deadline = std::chrono::milliseconds(60000);
  return request;
}

inline PollParts parts_of(FakeWorld& world, Style style,
                          std::shared_ptr<WorldReader>* last = nullptr) {
  return {
      [&world, style, last] {
        auto reader = std::make_shared<WorldReader>(world, style == Style::kForeign);
        if (last != nullptr) {
          *last = reader;
        }
        return reader;
      },
      [&world, style](Budget& budget) -> std::unique_ptr<ProcessEvents> {
        switch (style) {
          case Style::kPidfd:
            return std::make_unique<WorldPidfds>(world, budget);
          case Style::kConnector:
            return std::make_unique<WorldConnector>(world);
          default:
            return make_no_process_events();
        }
      },
      [&world] { return world.now; },
      [&world] { return world.now + world.wall_ahead; },
      [&world] { return world.now - 1000; },
  };
}

/// A process as a user of the deltas knows it.
struct Shown {
  RowDraft draft;
  double young_until = 0;
  bool tracked = false;
};

/// Moves a world, polls it, and holds what is told against what happened.
class Trial {
 public:
  Trial(const Settings& settings, uint32_t seed)
      : settings_(settings),
        random_(seed),
        world_(settings.pid_max),
        poller_(request_of(settings), parts_of(world_, settings.style, &reader_)) {
    world_.told_wrongly = [this] { return pick(100) == 0; };
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      for (uint32_t events = pick(6); events > 0; --events) {
        happen(true);
        world_.now += pick(20);
      }
      world_.now += pick(20) == 0 ? 4000 : 1 + pick(100);
      choose_tracked();
      world_.list_fails = pick(12) == 0;
      const uint32_t way = pick(4);
      if (way == 0) {
        poll_if_not_idle();
      } else {
        poll(way == 1);
      }
    }
    settle();
  }

 private:
  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

  WorldProcess* any_process(bool ended) {
    std::vector<WorldProcess*> found;
    for (const auto& [pid, process] : world_.table) {
      if (process->ended == ended && (pid != 1 || !ended)) {
        found.push_back(process.get());
      }
    }
    return found.empty() ? nullptr : found[pick(static_cast<uint32_t>(found.size()))];
  }

  /// Threads come and go between polls only: an id that passes from a listed process to a thread
  /// within one poll cannot be told from a process.
  void happen(bool between_polls) {
    WorldProcess* const process = any_process(false);
    const bool crowded = world_.table.size() * 2 > static_cast<size_t>(world_.pid_max);
    const uint32_t what = pick(between_polls ? 12 : 10);
    if (what <= 2 && !crowded) {
      world_.fork(process->pid);
    } else if (what <= 4 || crowded) {
      WorldProcess* const zombie = any_process(true);
      if (zombie != nullptr && (what % 2 == 0 || crowded)) {
        world_.reap(*zombie);
      } else if (process->pid != 1) {
        world_.end(*process);
        if (pick(2) == 0) {
          world_.reap(*process);
        }
      }
    } else {
      change(*process, what);
    }
  }

  void change(WorldProcess& process, uint32_t what) {
    switch (what) {
      case 5:
        return world_.exec(process, pick(2) == 0);
      case 6:
        return world_.rename(process);
      case 7:
        return world_.stop_or_go(process);
      case 8:
        return world_.set_uid(process);
      case 9:
        return world_.retitle(process);
      case 10:
        return world_.threads.size() < 8 ? world_.start_thread(process) : void();
      default:
        if (!world_.threads.empty()) {
          world_.end_thread(world_.threads.begin()->first);
        }
    }
  }

  void choose_tracked() {
    if (shown_.empty() || pick(4) != 0) {
      return;
    }
    auto it = shown_.begin();
    std::advance(it, pick(static_cast<uint32_t>(shown_.size())));
    it->second.tracked = !it->second.tracked;
    if (it->second.tracked) {
      REQUIRE(poller_.track(it->first));
    } else {
      poller_.untrack(it->first);
    }
  }

  void poll(bool quiet) {
    const uint64_t before = world_.events;
    world_.meanwhile = [this, quiet] {
      if (!quiet && pick(40) == 0) {
        happen(false);
      }
    };
    const PollDelta delta = poller_.poll();
    world_.meanwhile = [] {};
    accept(delta, before);
    if (!delta.failed) {
      require_all_known(before);
    }
    if (settings_.style == Style::kForeign) {
      REQUIRE(reader_->prepared <= 1);
    }
    REQUIRE(poller_.descriptors() <= settings_.descriptors);
    REQUIRE(poller_.size() == shown_.size());
  }

  /// Asks first, as one does who polls on another thread only where it is worth it.
  void poll_if_not_idle() {
    const uint64_t before = world_.events;
    if (!poller_.idle()) {
      poll(false);
      return;
    }
    require_all_known(before);
    // An end that is told wrongly now makes the poll look at a process whose change nothing tells.
    const auto told_wrongly = std::exchange(world_.told_wrongly, [] { return false; });
    const PollDelta delta = poller_.poll();
    world_.told_wrongly = told_wrongly;
    REQUIRE(delta.idle());
  }

  void accept(const PollDelta& delta, uint64_t before) {
    if (delta.failed) {
      REQUIRE(world_.list_fails);
      REQUIRE(delta.exited.empty());
      REQUIRE(delta.rows.rows.empty());
      return;
    }
    for (const int32_t pid : delta.exited) {
      REQUIRE(shown_.contains(pid));
      const WorldProcess& process = known(shown_.at(pid));
      REQUIRE(process.ended);
      REQUIRE(exits_.insert(process.start).second);
      shown_.erase(pid);
    }
    const std::vector<RowDraft> drafts = drafts_of(delta.rows);
    for (size_t i = 0; i < drafts.size(); ++i) {
      accept_row(drafts[i], delta.changed.at(i), before);
    }
  }

  void accept_row(const RowDraft& draft, FieldMask changed, uint64_t before) {
    const int32_t pid = draft.row.pid;
    REQUIRE(draft.row.start_key <= world_.all.size());
    const WorldProcess& process = *world_.all.at(draft.row.start_key - 1);
    REQUIRE(process.pid == pid);
    if (changed == 0) {
      REQUIRE_FALSE(shown_.contains(pid));
      REQUIRE(starts_.insert(process.start).second);
      REQUIRE_FALSE((process.ended && process.died.event <= before));
      Shown& row = shown_[pid];
      row.draft = draft;
      row.young_until = world_.now - process.start_time < kYouth ? world_.now + kYouth : 0;
    } else {
      REQUIRE(shown_.contains(pid));
      Shown& row = shown_.at(pid);
      REQUIRE(row.draft.row.start_key == process.start);
      REQUIRE(differences(row.draft, draft, changed) == changed);
      RowDraft whole = (changed & kTextFields) != 0 ? draft : row.draft;
      take_over(whole, draft, kAllFields & ~kTextFields);
      row.draft = whole;
    }
    const RowDraft& row = shown_.at(pid).draft;
    const std::string own = std::to_string(process.start) + ".";
    REQUIRE(row.text(row.row.name).starts_with(own));
    REQUIRE((row.row.argv.length == 0 || row.text(row.row.argv).starts_with(own)));
  }

  const WorldProcess& known(const Shown& row) const {
    return *world_.all.at(row.draft.row.start_key - 1);
  }

  /// After a poll that began when `before` events had happened.
  void require_all_known(uint64_t before) {
    for (const auto& [pid, process] : world_.table) {
      if (!process->ended && process->born.event <= before) {
        PROCSCOPE_REQUIRE(shown_.contains(pid));
        PROCSCOPE_REQUIRE(shown_.at(pid).draft.row.start_key == process->start);
      }
    }
    for (const auto& entry : shown_) {
      const int32_t pid = entry.first;
      const Shown& row = entry.second;
      const WorldProcess& process = known(row);
      CAPTURE(pid);
      CAPTURE(process.start);
      CAPTURE(row.tracked);
      CAPTURE(process.reaped);
      CAPTURE(world_.now - process.died.time);
      if (process.ended) {
        PROCSCOPE_REQUIRE((process.died.event > before || may_stay(row, process, before) ||
                           was_replaced(process, before)));
      } else {
        require_fresh(row, process, before);
      }
    }
  }

  /// A list made in the middle of a poll shows the next owner of a pid like the last: without a
  /// hold the next news tell of both.
  bool was_replaced(const WorldProcess& process, uint64_t before) const {
    const auto next = std::find_if(world_.all.begin(), world_.all.end(), [&](const auto& each) {
      return each->pid == process.pid && each->born.event > before;
    });
    return settings_.style == Style::kPidfd && next != world_.all.end();
  }

  /// Without a hold the counters tell of an end when the parent takes note.
  bool may_stay(const Shown& row, const WorldProcess& process, uint64_t before) const {
    const bool reaped = process.reaped && process.left.event <= before;
    const double age = row.tracked ? settings_.tracked_look : settings_.max_age;
    return settings_.style == Style::kPidfd && settings_.every_poll == 0 && !reaped &&
           world_.now - process.died.time < age;
  }

  void require_fresh(const Shown& row, const WorldProcess& process, uint64_t before) const {
    const Style style = settings_.style;
    const bool all_glanced =
        style == Style::kNone || style == Style::kForeign || settings_.every_poll != 0;
    const bool told = style == Style::kConnector;
    const auto seen = [&](WorldStamp stamp, bool at_once, double age) {
      return stamp.event <= before && (at_once || world_.now - stamp.time >= age);
    };
    const auto glanced = [&](WorldStamp stamp, bool is_told) {
      const bool young = stamp.time < row.young_until;
      const double age =
          row.tracked ? std::min(settings_.tracked_look, settings_.max_age) : settings_.max_age;
      return seen(stamp, all_glanced || is_told || young, age);
    };
    // The first look after the age reads the facts.
    const double tracked_age = kTrackedAge + settings_.tracked_look;
    const double facts_age =
        row.tracked ? std::min(tracked_age, settings_.facts_age) : settings_.facts_age;
    const ProcessRow& shown = row.draft.row;
    const bool renamed = glanced(process.renamed, told);
    if (renamed) {
      PROCSCOPE_REQUIRE(row.draft.text(shown.name) == process.name);
    }
    if (glanced(process.moved, false)) {
      PROCSCOPE_REQUIRE(shown.ppid == process.ppid);
      PROCSCOPE_REQUIRE(is_stopped(shown) == (process.state == 'T'));
    }
    if (seen(process.owned, told, facts_age)) {
      PROCSCOPE_REQUIRE(shown.uid == process.uid);
    }
    // Of another root no glance shows the image.
    const bool program =
        style == Style::kForeign ? seen(process.renamed, false, facts_age) : renamed;
    if (program && seen(process.titled, false, facts_age)) {
      PROCSCOPE_REQUIRE(row.draft.text(shown.argv) == process.argv);
    }
  }

  /// When nothing happens any more, all is known, and nothing is told.
  void settle() {
    world_.list_fails = false;
    world_.told_wrongly = [] { return false; };
    for (int i = 0; i < 4; ++i) {
      world_.now += settings_.facts_age;
      poll(true);
    }
    for (const auto& [pid, row] : shown_) {
      REQUIRE_FALSE(known(row).ended);
    }
    for (const auto& process : world_.all) {
      const bool started = starts_.contains(process->start);
      REQUIRE(exits_.contains(process->start) == (started && process->ended));
    }
    for (const auto& [pid, row] : shown_) {
      poller_.untrack(pid);
    }
    REQUIRE(poller_.poll().idle());
    const bool told = settings_.style == Style::kPidfd || settings_.style == Style::kConnector;
    REQUIRE(poller_.idle() == (told && settings_.every_poll == 0));
  }

  const Settings settings_;
  std::mt19937 random_;
  FakeWorld world_;
  std::shared_ptr<WorldReader> reader_;
  Poller poller_;
  std::map<int32_t, Shown> shown_;
  std::set<uint64_t> starts_;
  std::set<uint64_t> exits_;
};

}  // namespace procscope
