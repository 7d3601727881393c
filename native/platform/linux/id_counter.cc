#include "platform/linux/id_counter.h"

namespace procscope::linux_os {

namespace {

/// Milliseconds from an id to its process in the table, at most: a fork may wait in between, for
/// the processor and for a change of control groups.
constexpr double kForkTime = 100;

}  // namespace

void IdCounter::take(const std::optional<Loadavg>& now, double elapsed, ProcessNews& news) {
  clock_ += elapsed;
  if (!now) {
    marks_.clear();
    return;
  }
  if (!marks_.empty()) {
    const double settled = marks_.back().last_at - kForkTime;
    while (marks_.size() > 1 && marks_[1].first_at <= settled) {
      marks_.pop_front();
    }
    if (marks_.front().first_at <= settled) {
      tell(*now, news);
    }
  }
  note(now->last_pid);
  tasks_ = now->tasks;
}

void IdCounter::tell(const Loadavg& now, ProcessNews& news) const {
  using Starts = ProcessNews::Starts;
  const Mark& from = marks_.front();
  news.after = from.last_pid;
  news.upto = now.last_pid;
  // In an inner namespace a start outside could hide an end inside.
  const bool same_tasks = sees_all_ && now.tasks == tasks_;
  const bool once = (clock_ - from.last_at) * ids_a_millisecond_ < most_();
  if (from.last_pid != now.last_pid) {
    news.starts = once ? Starts::kRange : Starts::kUnknown;
    return;
  }
  // A counter that went all the way round may stand where it stood: hardly with as many tasks too.
  // More of them, and somebody chose an id (clone3(2), set_tid).
  const bool none = same_tasks || (once && !(sees_all_ && now.tasks > tasks_));
  news.starts = none ? Starts::kNone : Starts::kUnknown;
  news.others_may_have_ended = !same_tasks;
}

void IdCounter::note(int32_t last_pid) {
  if (marks_.empty() || marks_.back().last_pid != last_pid) {
    marks_.push_back({last_pid, clock_, clock_});
  } else {
    marks_.back().last_at = clock_;
  }
}

}  // namespace procscope::linux_os
