#include "poll/poller.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "poll/delta.h"
#include "poll/rows.h"
#include "poll/snapshot.h"

namespace procscope {

namespace {

/// A wall clock that was set by more than this gives another start time to what starts from now on.
constexpr double kClockJump = 100;
/// To try one pid costs as much as this many entries of a list.
constexpr size_t kEntriesAProbe = 7;
/// More of the dead than this are worth a list that tells which are gone.
constexpr size_t kMostDead = 4096;

/// One of so many descriptors is for a `stat` that stays open.
constexpr int kStatsPart = 4;

double milliseconds(std::chrono::nanoseconds span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

}  // namespace

PollParts parts_of_this_machine(const PollRequest& request) {
  return {
      [options = request.reader] { return std::shared_ptr<Reader>(make_reader(options)); },
      [root = request.reader.root, most = request.events](Budget& budget) {
        return make_process_events(root, most, budget);
      },
      [] { return milliseconds(std::chrono::steady_clock::now().time_since_epoch()); },
      [] { return milliseconds(std::chrono::system_clock::now().time_since_epoch()); },
      uptime_ms,
  };
}

Poller::Poller(const PollRequest& request) : Poller(request, parts_of_this_machine(request)) {}

Poller::Poller(PollRequest request, PollParts parts)
    : request_(std::move(request)),
      parts_(std::move(parts)),
      holds_(request_.descriptors - request_.descriptors / kStatsPart),
      stats_(std::make_shared<Budget>(request_.descriptors / kStatsPart)) {}

Poller::~Poller() = default;

EventSource Poller::source() const {
  return events_ == nullptr ? EventSource::kNone : events_->source();
}

bool Poller::track(int32_t pid) {
  const auto it = known_.find(pid);
  if (it == known_.end()) {
    return false;
  }
  if (!it->second.tracked) {
    it->second.tracked = true;
    tracked_.push_back(pid);
    tracked_at_.reset();
  }
  return true;
}

void Poller::untrack(int32_t pid) {
  if (const auto it = known_.find(pid); it != known_.end() && it->second.tracked) {
    it->second.tracked = false;
    std::erase(tracked_, pid);
  }
}

PollDelta Poller::poll() {
  ++counts_.polls;
  Round round;
  round.now = parts_.now();
  if (!start(round)) {
    return std::move(round.delta);
  }
  take_news(round.now);
  news_taken_ = false;
  if (!(foreign_ ? follow_foreign_root(round) : follow_own_root(round))) {
    return std::move(round.delta);
  }
  if (!round.started.empty() || !round.due.empty()) {
    read_facts(round);
    drop_ended_meanwhile(round);
  }
  report(round);
  return std::move(round.delta);
}

/// The news come before any look: what happens meanwhile is in the next ones.
void Poller::take_news(double now) {
  if (!news_taken_) {
    events_->take(news_, now - news_at_);
    news_.touched.insert(news_.touched.end(), owed_.begin(), owed_.end());
    owed_.clear();
    news_at_ = now;
    news_taken_ = true;
  }
}

bool Poller::idle() {
  const double now = parts_.now();
  if (reader_ == nullptr || foreign_ || request_.every_poll != 0 || tracked_are_due(now) ||
      !young_.empty() || !owed_.empty()) {
    return false;
  }
  take_news(now);
  const bool quiet = (news_.starts == ProcessNews::Starts::kNone ||
                      (news_.starts == ProcessNews::Starts::kNamed && news_.started.empty())) &&
                     news_.ended.empty() && news_.touched.empty();
  if (!quiet || needs_list(now) || turn_has_come(now)) {
    return false;
  }
  news_taken_ = false;
  ++counts_.polls;
  return true;
}

bool Poller::fail(Fault fault, Round& round) {
  round.delta.rows.faults.push_back(std::move(fault));
  round.delta.failed = true;
  list_now_ = true;
  return false;
}

/// Makes the reader, where there is none yet or it no longer fits.
bool Poller::start(Round& round) {
  const double boot_time = parts_.wall() - parts_.uptime();
  const bool jumped = std::abs(boot_time - boot_time_) > kClockJump;
  if (reader_ != nullptr && !foreign_ && !jumped) {
    return true;
  }
  reader_ = parts_.reader();
  // A root that may wait is read under a guard, from its opening on, by a reader of that poll only.
  foreign_ = reader_->may_wait(0);
  if (!foreign_) {
    Watch watch;
    if (const auto ready = reader_->prepare(watch); !ready) {
      reader_ = nullptr;
      return fail(ready.fault(), round);
    }
  }
  boot_time_ = boot_time;
  if (events_ == nullptr) {
    events_ = foreign_ ? make_no_process_events() : parts_.events(holds_);
  }
  return true;
}

bool Poller::follow_own_root(Round& round) {
  const bool list = needs_list(round.now);
  std::vector<int32_t> pids;
  if (list) {
    ++counts_.lists;
    Watch watch;
    if (const auto listed = reader_->list(pids, watch); !listed) {
      owed_ = news_.touched;
      return fail(listed.fault(), round);
    }
    if (list_now_) {
      news_.starts = ProcessNews::Starts::kUnknown;
    }
    list_now_ = false;
    listed_at_ = round.now;
  }
  for (const int32_t pid : news_.ended) {
    doubt(pid, round);
  }
  for (const int32_t pid : news_.touched) {
    want(pid, round);
    // Not every change that is told of shows in a glance: new ids do not.
    if (known_.contains(pid)) {
      round.due.insert(pid);
    }
  }
  if (list) {
    accept_list(pids, round);
  }
  accept_starts(list, round);
  want_some(round);
  look(round);
  return true;
}

bool Poller::needs_list(double now) const {
  if (list_now_ || dead_.size() > kMostDead || (news_.others_may_have_ended && untold_ != 0) ||
      (request_.max_age > 0 && now - listed_at_ >= request_.max_age)) {
    return true;
  }
  switch (news_.starts) {
    case ProcessNews::Starts::kUnknown:
      return true;
    case ProcessNews::Starts::kRange: {
      // Below `after` the pids were used up and began anew.
      const int range = news_.upto - news_.after;
      // Without a hold a process cannot be told from a thread, which no list shows.
      return range < 0 || static_cast<size_t>(range) * kEntriesAProbe > known_.size() ||
             range > holds_.most() - holds_.taken();
    }
    default:
      return false;
  }
}

/// Whether the pid may have been given out since the last poll.
bool Poller::may_be_new(int32_t pid) const {
  switch (news_.starts) {
    case ProcessNews::Starts::kUnknown:
      return true;
    case ProcessNews::Starts::kRange:
      return news_.after <= news_.upto ? pid > news_.after && pid <= news_.upto
                                       : pid > news_.after || pid <= news_.upto;
    default:
      return false;  // kNamed: accept_starts() goes through them.
  }
}

/// Whether the pid still stands for a process that has ended. Whoever sets the last pid by hand can
/// give it to another without news, so that is not believed for ever.
bool Poller::is_left_dead(int32_t pid, double now) const {
  const auto it = dead_.find(pid);
  return it != dead_.end() && (request_.max_age <= 0 || now - it->second < request_.max_age);
}

void Poller::accept_list(const std::vector<int32_t>& pids, Round& round) {
  for (const int32_t pid : pids) {
    if (const auto it = known_.find(pid); it != known_.end()) {
      it->second.listed = true;
    }
    if (may_be_new(pid)) {
      expect(pid, Seen::kListed, round);
    } else if (!known_.contains(pid) && !is_left_dead(pid, round.now)) {
      meet(pid, Seen::kListed, round);
    }
  }
  for (auto& [pid, known] : known_) {
    if (!known.listed) {
      suspect(pid, round);
    }
    known.listed = false;
  }
  std::erase_if(dead_, [&](const auto& dead) {
    return !std::binary_search(pids.begin(), pids.end(), dead.first);
  });
}

/// Starts that are told, or lie in a range that is cheaper to try than to list.
void Poller::accept_starts(bool listed, Round& round) {
  if (news_.starts == ProcessNews::Starts::kNamed) {
    for (const int32_t pid : news_.started) {
      expect(pid, Seen::kGuessed, round);
    }
  } else if (news_.starts == ProcessNews::Starts::kRange && !listed) {
    for (int32_t pid = news_.after + 1; pid <= news_.upto; ++pid) {
      expect(pid, Seen::kGuessed, round);
    }
  }
}

/// A root that is not this machine's own tells no news, and may wait: `stat` of every process,
/// under the guard.
bool Poller::follow_foreign_root(Round& round) {
  ++counts_.lists;
  SnapshotRequest request;
  request.reader = request_.reader;
  request.fields = request_.fields & kStatFields;
  request.deadline = request_.deadline;
  ProcessTable table = take_snapshot(request, reader_);
  counts_.glances += table.rows.size();
  if (table.rows.empty() && !table.faults.empty()) {
    return fail(table.faults.front(), round);
  }
  const bool complete = table.faults.empty();
  for (RowDraft& draft : drafts_of(table)) {
    const int32_t pid = draft.row.pid;
    if (known_.contains(pid)) {
      accept_glance(pid, RowOutcome::kRow, draft, round);
    }
    if (!known_.contains(pid) && !is_dead(draft.row)) {
      Known known;
      known.look = std::move(draft);
      remember(pid, std::move(known), round);
    }
    if (const auto it = known_.find(pid); it != known_.end()) {
      it->second.listed = true;
      mark_old(it->second, 0, round);
    }
  }
  std::vector<int32_t> missing;
  for (auto& [pid, known] : known_) {
    if (!known.listed && complete) {
      missing.push_back(pid);
    }
    known.listed = false;
  }
  for (const int32_t pid : missing) {
    retire(pid, false, round);
  }
  round.delta.rows.faults = std::move(table.faults);
  return true;
}

}  // namespace procscope
