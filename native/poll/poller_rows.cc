// The rows of a poller: looks at known processes, and what is told of them.
#include <algorithm>
#include <utility>

#include "poll/delta.h"
#include "poll/poller.h"
#include "poll/rows.h"
#include "poll/snapshot.h"

namespace procscope {

namespace {

/// So long after its start a process is expected to run another program, or to name itself.
constexpr double kYouth = 1000;
/// Glances in turn are made so many at a time, so that most polls make none.
constexpr size_t kTurn = 32;

constexpr FieldMask kGlanced = kStatFields & ~mask_of(Field::kStart);

}  // namespace

/// Gives an unknown pid a row, unless no living process has it.
void Poller::meet(int32_t pid, Seen seen, Round& round) {
  Known known;
  const HoldOutcome held = events_->hold(pid, known.hold);
  if (held == HoldOutcome::kGone || (held == HoldOutcome::kThread && seen == Seen::kGuessed)) {
    dead_.erase(pid);
    return;
  }
  known.told = held == HoldOutcome::kTold || held == HoldOutcome::kHeld;
  known.kept = reader_->keep(pid);
  ++counts_.glances;
  // After the hold: if that has told of no end when all is read, the row is of the process held.
  if (reader_->glance(*known.kept, request_.fields, stats_, known.look) == RowOutcome::kVanished) {
    dead_.erase(pid);
    return;
  }
  if (is_dead(known.look.row)) {
    dead_[pid] = known.look.row.start_key;
    return;
  }
  dead_.erase(pid);
  remember(pid, std::move(known), round);
}

void Poller::remember(int32_t pid, Known known, Round& round) {
  const ProcessRow& row = known.look.row;
  if ((row.flags & kFlagKernelThread) == 0) {
    turns_.push_back({pid, row.start_key});
    // Also where the age is not known.
    if (!(parts_.wall() - row.start_time >= kYouth)) {
      young_.push_back({pid, round.now + kYouth});
    }
  }
  untold_ += known.told ? 0 : 1;
  known.read_at = round.now;
  known.glanced_at = round.now;
  round.started.insert(pid);
  known_.insert_or_assign(pid, std::move(known));
}

/// The process has ended; `dead`: its parent may not have taken note yet, so that the pid still
/// stands in the table.
void Poller::retire(int32_t pid, bool dead, Round& round) {
  const auto it = known_.find(pid);
  if (it == known_.end()) {
    return;
  }
  if (dead) {
    dead_[pid] = it->second.look.row.start_key;
  }
  if (it->second.tracked) {
    std::erase(tracked_, pid);
  }
  untold_ -= it->second.told ? 0 : 1;
  known_.erase(it);
  round.due.erase(pid);
  round.changed.erase(pid);
  if (round.started.erase(pid) == 0) {
    round.delta.exited.push_back(pid);
  }
}

void Poller::glance_at_some(Round& round) {
  if (request_.every_poll != 0) {
    std::vector<int32_t> pids;
    pids.reserve(known_.size());
    for (const auto& [pid, known] : known_) {
      pids.push_back(pid);
    }
    for (const int32_t pid : pids) {
      glance(pid, round);
    }
    return;
  }
  const std::vector<int32_t> tracked = tracked_;  // A glance may end the tracking.
  for (const int32_t pid : tracked) {
    glance(pid, round);
  }
  std::erase_if(young_, [&](const Young& each) {
    return each.until <= round.now || !known_.contains(each.pid);
  });
  const std::vector<Young> young = young_;
  for (const Young& each : young) {
    glance(each.pid, round);
  }
  glance_in_turn(round);
}

/// All the others are looked at one after the other, so many that each has its turn within the age.
bool Poller::turn_has_come(double now) {
  if (request_.max_age <= 0) {
    return false;
  }
  const auto all = static_cast<double>(turns_.size());
  credit_ = std::min(credit_ + all * (now - turned_at_) / request_.max_age, all);
  turned_at_ = now;
  return credit_ >= 1 && credit_ >= std::min(static_cast<double>(kTurn), all);
}

void Poller::glance_in_turn(Round& round) {
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
      glance(turn.pid, round);
    }
  }
}

void Poller::glance(int32_t pid, Round& round) {
  const auto it = known_.find(pid);
  if (it == known_.end() || it->second.glanced_at == round.now) {
    return;
  }
  it->second.glanced_at = round.now;
  ++counts_.glances;
  const RowOutcome outcome = reader_->glance(*it->second.kept, request_.fields, stats_, draft_);
  accept_glance(pid, outcome, draft_, round);
}

void Poller::accept_glance(int32_t pid, RowOutcome outcome, const RowDraft& draft, Round& round) {
  Known& known = known_.at(pid);
  if (outcome == RowOutcome::kVanished || is_dead(draft.row)) {
    // What is held is told of: by the next news at the latest.
    if (known.hold == nullptr) {
      retire(pid, outcome != RowOutcome::kVanished, round);
    }
    return;
  }
  if (is_another(known.look.row, draft.row)) {
    // Whose it is now, only the news and the list tell: the id may be that of a thread.
    if (known.hold == nullptr) {
      retire(pid, false, round);
    }
    return;
  }
  if (known.look.image != draft.image) {
    round.due.insert(pid);
  }
  const bool was_stopped = is_stopped(known.look.row);
  FieldMask changed = take_over(known.look, draft, request_.fields & kGlanced);
  known.look.image = draft.image;
  if ((changed & bit(Field::kName)) != 0) {
    round.due.insert(pid);
  }
  const FieldMask quiet = kVolatileFields & ~request_.every_poll;
  const bool stop_or_go =
      (changed & bit(Field::kState)) != 0 && was_stopped != is_stopped(known.look.row);
  changed &= ~quiet;
  changed |= stop_or_go ? bit(Field::kState) : 0;
  if (changed != 0) {
    round.changed[pid] |= changed;
  }
  if (known.look.row.state == 'Z' && known.hold == nullptr) {
    // Lives on in threads whose end nothing tells.
    young_.push_back({pid, round.now + kYouth});
  }
  mark_old(pid, known, round);
}

void Poller::mark_old(int32_t pid, const Known& known, Round& round) {
  const double age = round.now - known.read_at;
  const bool old = (request_.facts_age > 0 && age >= request_.facts_age) ||
                   (known.tracked && request_.tracked_age > 0 && age >= request_.tracked_age);
  if (old) {
    round.due.insert(pid);
  }
}

/// Reads the fields that a glance does not show, of what started and of what is due.
void Poller::read_facts(Round& round) {
  const FieldMask facts = request_.fields & ~kStatFields;
  std::vector<int32_t> pids;
  if (facts != 0) {
    pids.assign(round.started.begin(), round.started.end());
    std::copy_if(round.due.begin(), round.due.end(), std::back_inserter(pids),
                 [&](int32_t pid) { return !round.started.contains(pid); });
  }
  if (pids.empty()) {
    return;
  }
  std::sort(pids.begin(), pids.end());
  counts_.reads += pids.size();
  SnapshotRequest request;
  request.reader = request_.reader;
  request.fields = request_.fields;
  request.only = true;
  request.pids = pids;
  request.deadline = request_.deadline;
  request.prepared = !foreign_;
  accept_facts(take_snapshot(request, reader_), pids, round);
}

void Poller::accept_facts(const ProcessTable& table, const std::vector<int32_t>& pids,
                          Round& round) {
  const FieldMask facts = request_.fields & ~kStatFields;
  const RowDraft none;
  const std::vector<RowDraft> drafts = drafts_of(table);
  auto next = drafts.begin();
  for (const int32_t pid : pids) {
    const auto it = known_.find(pid);
    const bool there = next != drafts.end() && next->row.pid == pid;
    const RowDraft& draft = there ? *next++ : none;
    if (it == known_.end()) {
      continue;
    }
    Known& known = it->second;
    if (!there && !table.faults.empty()) {
      RowDraft unread;
      unread.start(pid);
      const Fault& why = table.faults.front();
      unread.fail(facts, why.kind, why.call, why.code);
      take_over(known.look, unread, facts);
    } else if (there && !is_dead(draft.row) && !is_another(known.look.row, draft.row)) {
      const FieldMask changed = take_over(known.look, draft, facts);
      known.read_at = round.now;
      if (changed != 0 && !round.started.contains(pid)) {
        round.changed[pid] |= changed;
      }
    } else if (known.hold == nullptr) {
      retire(pid, there && is_dead(draft.row), round);
    }
  }
  round.delta.rows.faults.insert(round.delta.rows.faults.end(), table.faults.begin(),
                                 table.faults.end());
}

/// Whether a process that was told to have ended really has: some kernels also tell so when a
/// thread takes its process over by exec.
bool Poller::has_ended(int32_t pid) {
  const auto it = known_.find(pid);
  if (it == known_.end()) {
    return false;
  }
  ++counts_.glances;
  const RowOutcome outcome = reader_->glance(*it->second.kept, request_.fields, stats_, draft_);
  return outcome == RowOutcome::kVanished || is_dead(draft_.row) ||
         is_another(it->second.look.row, draft_.row);
}

/// What was held before it was read, and has not ended since, is what was read.
void Poller::drop_ended_meanwhile(Round& round) {
  std::vector<int32_t> ended;
  events_->take_ended(ended);
  for (const int32_t pid : ended) {
    if (has_ended(pid)) {
      retire(pid, !round.started.contains(pid), round);
    }
  }
}

void Poller::put_row(const RowDraft& look, FieldMask changed, Round& round) {
  const bool texts = changed == 0 || (changed & kTextFields) != 0;
  append_row(round.delta.rows, texts ? look : without_texts(look));
  round.delta.changed.push_back(changed);
}

void Poller::report(Round& round) {
  std::vector<int32_t> pids(round.started.begin(), round.started.end());
  std::sort(pids.begin(), pids.end());
  for (const int32_t pid : pids) {
    round.changed.erase(pid);
    put_row(known_.at(pid).look, 0, round);
  }
  pids.clear();
  for (const auto& [pid, changed] : round.changed) {
    pids.push_back(pid);
  }
  std::sort(pids.begin(), pids.end());
  for (const int32_t pid : pids) {
    put_row(known_.at(pid).look, round.changed.at(pid), round);
  }
  if (!round.delta.rows.rows.empty()) {
    round.delta.rows.boot_id = reader_->boot_id();
  }
}

}  // namespace procscope
