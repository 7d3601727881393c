#include "poll/glances.h"

#include <unordered_map>
#include <utility>

#include "poll/pid_job.h"

namespace procscope {

namespace {

std::vector<int32_t> pids_of(const std::vector<GlanceTarget>& targets) {
  std::vector<int32_t> pids;
  pids.reserve(targets.size());
  for (const GlanceTarget& target : targets) {
    pids.push_back(target.pid);
  }
  return pids;
}

class GlanceJob final : public PidJob<RowDraft> {
 public:
  GlanceJob(const GlanceRequest& request, std::shared_ptr<const Reader> reader,
            std::shared_ptr<Budget> budget, const std::vector<GlanceTarget>& targets)
      : PidJob(request.root, true, pids_of(targets)),
        fields_(request.fields),
        reader_(std::move(reader)),
        budget_(std::move(budget)),
        targets_(targets),
        answers_(targets.size()) {
    places_.reserve(targets_.size());
    for (size_t i = 0; i < targets_.size(); ++i) {
      places_.emplace(targets_[i].pid, i);
    }
  }

  std::vector<GlanceAnswer> take() { return std::move(answers_); }

 protected:
  RowOutcome read(int32_t pid, const Avoid&, RowDraft& draft, Watch&) const override {
    return reader_->glance(*targets_[places_.at(pid)].kept, fields_, *budget_, draft);
  }
  Result<std::monostate> open(Watch&) override { return std::monostate{}; }
  Result<std::monostate> list(std::vector<int32_t>&, Watch&) const override {
    return std::monostate{};
  }
  [[nodiscard]] bool open_may_wait() const override { return false; }

  void opened(size_t) override {}
  void accept(const RowDraft& draft) override {
    GlanceAnswer& answer = answers_[places_.at(draft.row.pid)];
    answer.draft = draft;
    answer.read = true;
  }
  void vanished(int32_t pid) override {
    GlanceAnswer& answer = answers_[places_.at(pid)];
    answer.outcome = RowOutcome::kVanished;
    answer.read = true;
  }
  void accept_unread(int32_t pid, FaultKind why) override {
    GlanceAnswer& answer = answers_[places_.at(pid)];
    answer.draft.start(pid);
    answer.draft.fail(fields_ & kStatFields, why, Call::kRead, 0);
  }
  /// Answers and not the table say what was not read.
  void table_fault(Fault fault) override {
    for (size_t i = 0; i < targets_.size(); ++i) {
      if (!answers_[i].read) {
        accept_unread(targets_[i].pid, fault.kind);
      }
    }
  }

 private:
  const FieldMask fields_;
  const std::shared_ptr<const Reader> reader_;
  /// Outlives the shares in it that the targets have.
  const std::shared_ptr<Budget> budget_;
  const std::vector<GlanceTarget> targets_;
  std::unordered_map<int32_t, size_t> places_;
  std::vector<GlanceAnswer> answers_;
};

}  // namespace

std::vector<GlanceAnswer> glance_at(const GlanceRequest& request,
                                    const std::shared_ptr<const Reader>& reader,
                                    const std::shared_ptr<Budget>& budget,
                                    const std::vector<GlanceTarget>& targets) {
  if (targets.empty()) {
    return {};
  }
  auto job = std::make_shared<GlanceJob>(request, reader, budget, targets);
  if (reader->may_wait(request.fields)) {
    run_guarded(job, request.deadline);
  } else {
    run_inline(*job);
  }
  return job->take();
}

}  // namespace procscope
