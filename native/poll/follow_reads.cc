#include "poll/follow_reads.h"

#include <utility>

#include "platform/thread.h"
#include "poll/guard.h"

namespace procscope {

namespace {

/// All that it reads can wait, so where nothing may wait it reads nothing.
class FollowJob final : public Job {
 public:
  FollowJob(std::string root, std::vector<FollowTarget> targets, bool io)
      : root_(std::move(root)),
        targets_(std::move(targets)),
        io_steps_(io ? targets_.size() : 0),
        steps_(io_steps_ + targets_.size()) {
    answers_.io.reserve(io_steps_);
    answers_.counters.reserve(targets_.size());
  }

  void run(Lease& lease) override {
    const double cpu_before = thread_cpu();
    size_t step = 0;
    const auto next = [&] {
      step = next_step();
      if (step == steps_) {
        answers_.cpu += thread_cpu() - cpu_before;
      }
    };
    bool held = lease.commit(next);
    while (held && step < steps_) {
      UsageProbe& probe = *target_of(step).probe;
      held = step < io_steps_
                 ? do_step(
                       lease, answers_.io, [&] { return probe.io(); }, next)
                 : do_step(
                       lease, answers_.counters, [&] { return probe.counters(); }, next);
    }
  }

  void give_up(BlockClass) override {
    if (step_ < steps_) {
      refuse(FaultKind::kTimeout);
    }
  }

  void stop_waiting(FaultKind why) override { abandon(why); }

  void abandon(FaultKind why) override {
    while (step_ < steps_) {
      refuse(why);
    }
  }

  // Always that of a process of which nothing may be asked: whatever a thread was about when it was
  // given up, it may still use the probe when it goes on, so nobody else may until it is back.
  [[nodiscard]] std::string stuck_key(BlockClass) const override {
    return step_ < steps_ ? key_of(target_of(step_)) : root_;
  }

  FollowAnswers take() { return std::move(answers_); }

 private:
  template <typename Answer, typename Ask, typename Next>
  bool do_step(Lease& lease, std::vector<Answer>& into, Ask ask, Next next) {
    const auto watched = [&] {
      const Waiting waiting(lease.watch(), BlockClass::kMemoryMap);
      return ask();
    };
    Answer answer = watched();
    return lease.commit([&] {
      into.push_back(std::move(answer));
      ++step_;
      next();
    });
  }

  [[nodiscard]] const FollowTarget& target_of(size_t step) const {
    return targets_[step < io_steps_ ? step : step - io_steps_];
  }

  [[nodiscard]] std::string key_of(const FollowTarget& target) const {
    return stuck_key_of(root_, target.pid, BlockClass::kNone);
  }

  [[nodiscard]] bool hangs() const {
    const FollowTarget& target = target_of(step_);
    const auto held = [&](BlockClass c) { return is_stuck(stuck_key_of(root_, target.pid, c)); };
    return anything_stuck() &&
           (held(BlockClass::kNone) || (step_ < io_steps_ && held(BlockClass::kMemoryMap)));
  }

  /// Under the lock: answers what is known to hang, and gives the step to do then.
  size_t next_step() {
    while (step_ < steps_ && hangs()) {
      refuse(FaultKind::kTimeout);
    }
    return step_;
  }

  void refuse(FaultKind why) {
    const bool io = step_ < io_steps_;
    Fault fault{why, 0, Call::kRead, target_of(step_).probe->path_of(io)};
    if (io) {
      answers_.io.emplace_back(std::move(fault));
    } else {
      answers_.counters.emplace_back(std::move(fault));
    }
    ++step_;
  }

  const std::string root_;
  const std::vector<FollowTarget> targets_;
  const size_t io_steps_;
  const size_t steps_;
  size_t step_ = 0;
  FollowAnswers answers_;
};

}  // namespace

FollowAnswers read_followed(const std::string& root, std::vector<FollowTarget> targets, bool io,
                            std::chrono::milliseconds deadline) {
  auto job = std::make_shared<FollowJob>(root, std::move(targets), io);
  run_guarded(job, deadline);
  return job->take();
}

}  // namespace procscope
