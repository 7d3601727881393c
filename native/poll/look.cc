#include "poll/look.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "poll/guard.h"

namespace procscope {

namespace {

class LookJob final : public Job {
 public:
  explicit LookJob(std::vector<FileRequest> requests)
      : requests_(std::make_shared<const std::vector<FileRequest>>(std::move(requests))),
        answers_(requests_->size()) {}

  void run(Lease& lease) override {
    const auto requests = requests_;
    size_t index = 0;
    bool more = false;
    const auto next = [&] {
      refuse_hung();
      index = next_;
      more = next_ < requests->size();
    };
    if (!lease.commit(next)) {
      return;
    }
    while (more) {
      FileAnswer answer = look_at((*requests)[index], lease.watch());
      const bool held = lease.commit([&] {
        answers_[next_] = std::move(answer);
        answers_[next_].op = (*requests)[next_].op;
        ++next_;
        next();
      });
      if (!held) {
        return;
      }
    }
  }

  void give_up(BlockClass) override {
    if (next_ < requests_->size()) {
      hung_.insert(group_of(next_));
      if (const std::string mount = mount_of(next_); !mount.empty()) {
        hung_.insert(mount);
      }
      refuse(FaultKind::kTimeout);
    }
  }

  void stop_waiting(FaultKind why) override {
    while (next_ < requests_->size()) {
      refuse(why);
    }
  }

  void abandon(FaultKind why) override { stop_waiting(why); }

  [[nodiscard]] std::string stuck_key(BlockClass) const override {
    if (next_ >= requests_->size()) {
      return "look";
    }
    const std::string mount = mount_of(next_);
    return key_of(mount.empty() ? group_of(next_) : mount);
  }

  std::vector<FileAnswer> take() { return std::move(answers_); }

 private:
  static std::string key_of(const std::string& group) { return "look:" + group; }

  [[nodiscard]] const std::string& group_of(size_t index) const {
    const FileRequest& request = (*requests_)[index];
    return request.group.empty() ? request.path : request.group;
  }

  /// The mount that would hang as a whole; asked only when something hangs.
  [[nodiscard]] std::string mount_of(size_t index) const {
    const std::string mount = remote_mount_of((*requests_)[index].path);
    return mount.empty() ? mount : "mount:" + mount;
  }

  [[nodiscard]] bool hangs(size_t index) const {
    if (hung_.empty() && !anything_stuck()) {
      return false;
    }
    const std::string& group = group_of(index);
    const std::string mount = mount_of(index);
    return hung_.contains(group) || is_stuck(key_of(group)) ||
           (!mount.empty() && (hung_.contains(mount) || is_stuck(key_of(mount))));
  }

  void refuse(FaultKind why) {
    const FileRequest& request = (*requests_)[next_];
    constexpr Call kCalls[] = {Call::kStat, Call::kRealpath, Call::kOpen, Call::kGetdents};
    answers_[next_].fault = {why, 0, kCalls[static_cast<size_t>(request.op)], request.path};
    ++next_;
  }

  /// Passes over requests whose group is known to hang.
  void refuse_hung() {
    while (next_ < requests_->size() && hangs(next_)) {
      refuse(FaultKind::kTimeout);
    }
  }

  const std::shared_ptr<const std::vector<FileRequest>> requests_;
  std::vector<FileAnswer> answers_;
  std::set<std::string> hung_;
  size_t next_ = 0;
};

}  // namespace

std::vector<FileAnswer> look_at_files(std::vector<FileRequest> requests,
                                      std::chrono::milliseconds deadline) {
  auto job = std::make_shared<LookJob>(std::move(requests));
  run_guarded(job, deadline);
  return job->take();
}

}  // namespace procscope
