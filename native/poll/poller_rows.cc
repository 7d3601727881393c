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
constexpr FieldMask kGlanced = kStatFields & ~mask_of(Field::kStart);

}  // namespace

void Poller::remember(int32_t pid, Known known, Round& round) {
  const ProcessRow& row = known.look.row;
  queue_turn(row);
  const bool has_start = (row.present & bit(Field::kStart)) != 0;
  // Also where the age is not known.
  const bool is_young = !has_start || !(parts_.wall() - row.start_time >= kYouth);
  if (is_young && (row.flags & kFlagKernelThread) == 0) {
    stay_young(pid, round.now + kYouth);
  }
  untold_ += known.told ? 0 : 1;
  known.read_at = round.now;
  known.glanced_in = counts_.polls;
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
  if (dead && !foreign_) {
    dead_[pid] = round.now;
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

/// Whoever else may have the pid now is met by the list or the news that tell of it.
void Poller::accept_glance(int32_t pid, RowOutcome outcome, const RowDraft& draft, Round& round) {
  Known& known = known_.at(pid);
  const bool dead = outcome != RowOutcome::kVanished && is_dead(draft.row);
  if (outcome == RowOutcome::kVanished || dead || is_another(known.look.row, draft.row)) {
    // What is held is told of: by the next news at the latest.
    if (known.hold == nullptr || round.told.contains(pid)) {
      retire(pid, dead, round);
    }
    return;
  }
  if (!round.only_ends) {
    follow_glance(known, draft, round);
    mark_old(known, 0, round);
  }
}

void Poller::follow_glance(Known& known, const RowDraft& draft, Round& round) {
  const int32_t pid = known.look.row.pid;
  // A glance that saw nothing tells nothing of the image.
  if (draft.image != 0 && known.look.image != draft.image) {
    round.due.insert(pid);
    known.look.image = draft.image;
  }
  // Who it is, is learned late if the first look was refused.
  const FieldMask learned = bit(Field::kStart) & ~known.look.row.present & draft.row.present;
  const bool was_stopped = is_stopped(known.look.row);
  FieldMask changed = take_over(known.look, draft, request_.fields & (kGlanced | learned));
  if (learned != 0) {
    queue_turn(known.look.row);
  }
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
    stay_young(pid, round.now + kYouth);
  }
}

/// `ahead`: how long it may take until the next look tells whether it is old.
void Poller::mark_old(const Known& known, double ahead, Round& round) {
  const double age = round.now - known.read_at;
  const bool old = known.unread || (request_.facts_age > 0 && age + ahead >= request_.facts_age) ||
                   (known.tracked && request_.tracked_age > 0 && age >= request_.tracked_age);
  if (old) {
    round.due.insert(known.look.row.pid);
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
  request.deadline = time_left(round);
  // Also of another root: the look at its `stat` files has opened it.
  request.prepared = true;
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
      take_facts(known, unread, round);
    } else if (there && !is_dead(draft.row) && !is_another(known.look.row, draft.row)) {
      take_facts(known, draft, round);
    } else if (known.hold == nullptr) {
      retire(pid, there && is_dead(draft.row), round);
    }
  }
  round.delta.rows.faults.insert(round.delta.rows.faults.end(), table.faults.begin(),
                                 table.faults.end());
}

void Poller::take_facts(Known& known, const RowDraft& draft, Round& round) {
  const FieldMask facts = request_.fields & ~kStatFields;
  const FieldMask changed = take_over(known.look, draft, facts);
  known.read_at = round.now;
  known.unread = (unfinished_fields(draft) & facts) != 0;
  if (changed != 0) {
    round.changed[draft.row.pid] |= changed;
  }
}

/// What was held before it was read, and has not ended since, is what was read.
void Poller::drop_ended_meanwhile(Round& round) {
  std::vector<int32_t> ended;
  events_->take_ended(ended);
  for (const int32_t pid : ended) {
    if (const auto it = known_.find(pid); it != known_.end()) {
      it->second.glanced_in = 0;
      doubt(pid, round);
    }
  }
  round.only_ends = true;
  glance_at_wanted(round);
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
