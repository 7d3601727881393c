#include "poll/sampler.h"

#include <algorithm>
#include <utility>

#include "platform/thread.h"
#include "poll/threads.h"

namespace procscope {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point time) {
  return std::chrono::duration<double, std::milli>(time.time_since_epoch()).count();
}

}  // namespace

Sampler::Sampler(const SamplerRequest& request) : request_(request) {}

void Sampler::start() {
  const int code = run_on_thread([self = shared_from_this()] {
    const std::unique_ptr<UsageMachine> machine = make_usage_machine();
    self->run(*machine);
  });
  if (code != 0) {
    finish(SamplerEnd::kFault, {FaultKind::kLimit, code, Call::kThread, "sampler"});
  }
}

void Sampler::stop() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  changed_.notify_all();
  wake_all();
}

void Sampler::run(UsageMachine& machine) {
  Follower follower(machine, request_.follow);
  Look look;
  double sequence = 0;
  uint32_t missed = 0;
  const double cpu_before = thread_cpu();
  Clock::time_point deadline = Clock::now();
  for (;;) {
    look.members.clear();
    std::vector<MemberRow>* const members = request_.members ? &look.members : nullptr;
    const bool alive = follower.look(milliseconds(Clock::now()), look.row, members);
    if (!follower.started()) {
      finish(SamplerEnd::kFault, follower.fault());
      return;
    }
    look.row.sequence = sequence++;
    look.row.missed = missed;
    std::unique_lock lock(mutex_);
    state_.fault = follower.fault();
    state_.own_cpu = thread_cpu() - cpu_before + follower.reading_cpu();
    push(look);
    if (stop_ || !alive) {
      state_.end = stop_ ? SamplerEnd::kStopped : SamplerEnd::kRootEnded;
      return;
    }
    deadline += request_.interval;
    const Clock::time_point now = Clock::now();
    missed = now <= deadline ? 0 : static_cast<uint32_t>((now - deadline) / request_.interval + 1);
    deadline += request_.interval * missed;
    state_.missed += missed;
    if (changed_.wait_until(lock, deadline, [this] { return stop_; })) {
      state_.end = SamplerEnd::kStopped;
      return;
    }
  }
}

/// Under the lock. The ring grows to its capacity only when nobody reads.
void Sampler::push(Look& look) {
  ++state_.taken;
  if (count_ == request_.capacity) {
    first_ = (first_ + 1) % ring_.size();
    --count_;
    ++state_.dropped;
    ++dropped_since_;
  } else if (count_ == ring_.size()) {
    std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first_), ring_.end());
    first_ = 0;
    ring_.resize(std::min(request_.capacity, std::max<size_t>(16, ring_.size() * 2)));
  }
  Look& slot = ring_[(first_ + count_) % ring_.size()];
  slot.row = look.row;
  // The slot's memory goes back to the next look: nothing is allocated in the long run.
  std::swap(slot.members, look.members);
  ++count_;
  wake_all();
}

SampleBatch Sampler::drain() {
  SampleBatch batch;
  const std::lock_guard lock(mutex_);
  batch.samples.rows.reserve(count_);
  for (uint32_t i = 0; count_ > 0; ++i, --count_) {
    Look& look = ring_[first_];
    batch.samples.rows.push_back(look.row);
    for (MemberRow& member : look.members) {
      member.sample = i;
      batch.members.rows.push_back(member);
    }
    first_ = (first_ + 1) % ring_.size();
  }
  batch.dropped = std::exchange(dropped_since_, 0);
  return batch;
}

void Sampler::when_ready(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(wake));
  if (count_ > 0 || stop_ || state_.end != SamplerEnd::kRunning) {
    wake_all();
  }
}

/// Under the lock.
void Sampler::wake_all() {
  for (const auto& wake : std::exchange(waiting_, {})) {
    wake();
  }
}

SamplerState Sampler::state() {
  const std::lock_guard lock(mutex_);
  SamplerState state = state_;
  if (stop_ && state.end == SamplerEnd::kRunning) {
    state.end = SamplerEnd::kStopped;
  }
  return state;
}

void Sampler::finish(SamplerEnd end, const Fault& fault) {
  const std::lock_guard lock(mutex_);
  state_.end = end;
  state_.fault = fault;
  wake_all();
}

}  // namespace procscope
