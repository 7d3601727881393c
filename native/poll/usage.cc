#include "poll/usage.h"

#include <utility>

#include "poll/pid_job.h"

namespace procscope {

namespace {

class UsageJob final : public PidJob<UsageDraft> {
 public:
  UsageJob(const UsageRequest& request, std::shared_ptr<UsageReader> reader)
      : PidJob(request.root, true, request.pids),
        fields_(request.fields),
        reader_(std::move(reader)) {}

  UsageTable take() { return std::move(table_); }

 protected:
  Result<std::monostate> open(Watch& watch) override { return reader_->prepare(watch); }
  bool open_may_wait() const override { return reader_->may_wait(0); }
  Result<std::monostate> list(std::vector<int32_t>&, Watch&) const override {
    return std::monostate{};
  }

  RowOutcome read(int32_t pid, const Avoid& avoid, UsageDraft& draft, Watch& watch) const override {
    return reader_->read(pid, {fields_, avoid}, draft, watch);
  }

  void opened(size_t pid_count) override { table_.rows.reserve(pid_count); }
  void table_fault(Fault fault) override { table_.faults.push_back(std::move(fault)); }
  void vanished(int32_t) override { ++table_.vanished; }

  void accept(const UsageDraft& draft) override {
    const auto index = static_cast<uint32_t>(table_.rows.size());
    table_.rows.push_back(draft.row);
    table_.rows.back().name = table_.put(draft.name);
    for (const UsageDraft::FieldFault& fault : draft.faults) {
      table_.row_faults.push_back(
          {index, static_cast<uint8_t>(fault.field), fault.kind, fault.call, fault.code});
    }
  }

  void accept_unread(int32_t pid, FaultKind why) override {
    UsageDraft draft;
    draft.start(pid);
    draft.fail_all(fields_, why, Call::kRead, 0);
    accept(draft);
  }

 private:
  const FieldMask fields_;
  const std::shared_ptr<UsageReader> reader_;
  UsageTable table_;
};

}  // namespace

UsageTable take_usage(const UsageRequest& request, std::shared_ptr<UsageReader> reader) {
  const bool may_wait = reader->may_wait(request.fields);
  auto job = std::make_shared<UsageJob>(request, std::move(reader));
  if (may_wait) {
    run_guarded(job, request.deadline);
  } else {
    run_inline(*job);
  }
  return job->take();
}

UsageTable take_usage(const UsageRequest& request) {
  return take_usage(request, make_usage_reader(request.root));
}

}  // namespace procscope
