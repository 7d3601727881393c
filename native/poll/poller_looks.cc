// Whom a poller looks at: everything that a poll wants to see of `stat` is collected and then read
// together, since a process can hold up even that read for as long as it likes.
#include <algorithm>
#include <utility>

#include "poll/delta.h"
#include "poll/poller.h"

namespace procscope {

namespace {

/// Glances in turn are made so many at a time, so that most polls make none.
constexpr size_t kTurn = 32;
/// A poll waits several times; the last may always take this part of the deadline.
constexpr int kLeastPart = 4;

}  // namespace

void Poller::want_some(Round& round) {
  if (request_.every_poll != 0) {
    for (const auto& [pid, known] : known_) {
      want(pid, round);
    }
    return;
  }
  if (tracked_are_due(round.now)) {
    tracked_at_ = round.now;
    for (const int32_t pid : tracked_) {
      want(pid, round);
    }
  }
  for (const Young& each : young_) {
    want(each.pid, round);
  }
  // After the glance: what happened in its youth is seen, however long ago the last poll was.
  std::erase_if(young_, [&](const Young& each) {
    return each.until <= round.now || !known_.contains(each.pid);
  });
  want_in_turn(round);
}

bool Poller::tracked_are_due(double now) const {
  return !tracked_.empty() && (!tracked_at_ || now - *tracked_at_ >= request_.tracked_look);
}

/// Looked at in each poll until then.
void Poller::stay_young(int32_t pid, double until) {
  if (sees_everybody()) {
    return;
  }
  const auto it = std::find_if(young_.begin(), young_.end(),
                               [pid](const Young& each) { return each.pid == pid; });
  if (it == young_.end()) {
    young_.push_back({pid, until});
  } else {
    it->until = until;
  }
}

void Poller::queue_turn(const ProcessRow& row) {
  if (!sees_everybody() && turn_period() > 0 && (row.flags & kFlagKernelThread) == 0) {
    turns_.push_back({row.pid, row.start_key});
  }
}

/// Within this time each process has its turn; 0 = never.
double Poller::turn_period() const {
  const double facts = (request_.fields & ~kStatFields) != 0 ? request_.facts_age : 0;
  if (request_.max_age <= 0 || facts <= 0) {
    return std::max({request_.max_age, facts, 0.0});
  }
  return std::min(request_.max_age, facts);
}

/// All the others are looked at one after the other, so many that each has its turn within the
/// period: it waits for all before it, and for those that are looked at together with it.
bool Poller::turn_has_come(double now) {
  const double period = turn_period();
  if (period <= 0) {
    return false;
  }
  const auto all = static_cast<double>(turns_.size());
  const double together = std::min(static_cast<double>(kTurn), all);
  credit_ = std::min(credit_ + (all + together) * (now - turned_at_) / period, all);
  turned_at_ = now;
  return credit_ >= 1 && credit_ >= together;
}

void Poller::want_in_turn(Round& round) {
  if (!turn_has_come(round.now)) {
    return;
  }
  for (; credit_ >= 1 && !turns_.empty(); credit_ -= 1) {
    const Turn turn = turns_.front();
    turns_.pop_front();
    const auto it = known_.find(turn.pid);
    // The pid may have been given out again, with a turn of its own.
    if (it != known_.end() && it->second.look.row.start_key == turn.start_key) {
      turns_.push_back(turn);
      mark_old(it->second, turn_period(), round);
      want(turn.pid, round);
    }
  }
}

void Poller::want(int32_t pid, Round& round) {
  const auto it = known_.find(pid);
  if (it != known_.end() && it->second.glanced_in != counts_.polls) {
    it->second.glanced_in = counts_.polls;
    round.wanted.push_back(pid);
  }
}

/// A known process that may have ended, which nothing would tell.
void Poller::suspect(int32_t pid, Round& round) {
  const auto it = known_.find(pid);
  if (it != known_.end() && it->second.hold == nullptr) {
    want(pid, round);
  }
}

/// Somebody may have this pid who did not have it before.
void Poller::expect(int32_t pid, Seen seen, Round& round) {
  if (known_.contains(pid)) {
    suspect(pid, round);
    round.expected.push_back({pid, seen});
  } else {
    meet(pid, seen, round);
  }
}

/// A process that was told to have ended: some kernels also tell so when a thread takes its process
/// over by exec. The hold may also be of one that had the pid before, and would tell of its end for
/// ever: it is taken anew.
void Poller::doubt(int32_t pid, Round& round) {
  const auto it = known_.find(pid);
  if (it == known_.end()) {
    return;
  }
  Known& known = it->second;
  untold_ -= known.told ? 0 : 1;
  known.hold.reset();
  const HoldOutcome held = events_->hold(pid, known.hold);
  known.told = held == HoldOutcome::kTold || held == HoldOutcome::kHeld;
  untold_ += known.told ? 0 : 1;
  round.told.insert(pid);
  want(pid, round);
}

/// Holds whoever has an unknown pid, to be looked at afterwards: if the hold has told of no end
/// when all is read, the row is of the process held.
void Poller::meet(int32_t pid, Seen seen, Round& round) {
  if (round.met.contains(pid)) {
    return;
  }
  Known known;
  const HoldOutcome held = events_->hold(pid, known.hold);
  if (held == HoldOutcome::kGone || (held == HoldOutcome::kThread && seen == Seen::kGuessed)) {
    dead_.erase(pid);
    return;
  }
  if (held == HoldOutcome::kRefused && seen == Seen::kGuessed) {
    list_now_ = true;  // It may be a thread: a list tells.
    return;
  }
  known.told = held == HoldOutcome::kTold || held == HoldOutcome::kHeld;
  known.kept = reader_->keep(pid);
  round.met.emplace(pid, std::move(known));
}

/// Looks at all who are wanted or met; then once more at the pids of those that turned out to have
/// ended, which others may have by now.
void Poller::look(Round& round) {
  glance_at_wanted(round);
  for (const Expected& each : std::exchange(round.expected, {})) {
    if (!known_.contains(each.pid)) {
      meet(each.pid, each.seen, round);
    }
  }
  glance_at_wanted(round);
}

void Poller::glance_at_wanted(Round& round) {
  const std::vector<int32_t> wanted = std::exchange(round.wanted, {});
  std::unordered_map<int32_t, Known> met = std::exchange(round.met, {});
  std::vector<GlanceTarget> targets;
  targets.reserve(wanted.size() + met.size());
  for (const int32_t pid : wanted) {
    targets.push_back({pid, known_.at(pid).kept});
  }
  for (const auto& [pid, known] : met) {
    targets.push_back({pid, known.kept});
  }
  counts_.glances += targets.size();
  const GlanceRequest request{request_.reader.root, request_.fields, time_left(round)};
  std::vector<GlanceAnswer> answers = glance_at(request, reader_, stats_, targets);
  for (size_t i = 0; i < targets.size(); ++i) {
    const int32_t pid = targets[i].pid;
    GlanceAnswer& answer = answers[i];
    note_unseen(answer.draft, round);
    if (i >= wanted.size()) {
      accept_met(pid, std::move(met.at(pid)), std::move(answer), round);
    } else if (const auto it = known_.find(pid); it != known_.end()) {
      if (!answer.read) {
        it->second.kept = reader_->keep(pid);  // The other is the parked thread's alone.
      }
      accept_glance(pid, answer.outcome, answer.draft, round);
    }
  }
}

/// Whoever could not be looked at because this program has too many files open is looked at again
/// in the next poll: what was told of them is not told twice.
void Poller::note_unseen(const RowDraft& draft, Round& round) {
  const auto fault =
      std::find_if(draft.faults.begin(), draft.faults.end(),
                   [](const RowDraft::FieldFault& each) { return each.kind == FaultKind::kLimit; });
  if (fault == draft.faults.end()) {
    return;
  }
  if (owed_.empty()) {
    const std::string path = reader_->path_of(draft.row.pid, fault->field);
    round.delta.rows.faults.push_back({fault->kind, fault->code, fault->call, path});
  }
  owed_.push_back(draft.row.pid);
}

/// Gives whoever was met a row, unless no living process has the pid.
void Poller::accept_met(int32_t pid, Known known, GlanceAnswer answer, Round& round) {
  const bool vanished = answer.outcome == RowOutcome::kVanished;
  if (!vanished && is_dead(answer.draft.row)) {
    dead_[pid] = round.now;
    return;
  }
  dead_.erase(pid);
  if (vanished) {
    return;
  }
  if (!answer.read) {
    known.kept = reader_->keep(pid);
  }
  known.look = std::move(answer.draft);
  remember(pid, std::move(known), round);
}

std::chrono::milliseconds Poller::time_left(const Round& round) const {
  const std::chrono::duration<double, std::milli> spent(parts_.now() - round.now);
  const auto left =
      request_.deadline - std::chrono::duration_cast<std::chrono::milliseconds>(spent);
  return std::max(left, request_.deadline / kLeastPart);
}

}  // namespace procscope
