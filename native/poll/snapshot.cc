#include "poll/snapshot.h"

#include <memory>
#include <utility>

#include "poll/pid_job.h"
#include "poll/rows.h"

namespace procscope {

namespace {

/// Text of an everyday row; growing the blob step by step would copy it over and over.
constexpr size_t kUsualRowBytes = 256;

class SnapshotJob final : public PidJob<RowDraft> {
 public:
  SnapshotJob(const SnapshotRequest& request, std::shared_ptr<Reader> reader)
      : PidJob(request.reader.root, request.only, request.pids),
        fields_(request.fields),
        prepared_(request.prepared),
        reader_(std::move(reader)) {}

  ProcessTable take() { return std::move(table_); }

 protected:
  Result<std::monostate> open(Watch& watch) override {
    return prepared_ ? std::monostate{} : reader_->prepare(watch);
  }
  bool open_may_wait() const override { return reader_->may_wait(0); }

  Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const override {
    return reader_->list(pids, watch);
  }

  RowOutcome read(int32_t pid, const Avoid& avoid, RowDraft& draft, Watch& watch) const override {
    return reader_->read(pid, {fields_, avoid}, draft, watch);
  }

  void opened(size_t pid_count) override {
    table_.boot_id = reader_->boot_id();
    table_.rows.reserve(pid_count);
    table_.blob.reserve(pid_count * kUsualRowBytes);
  }

  void table_fault(Fault fault) override { table_.faults.push_back(std::move(fault)); }
  void vanished(int32_t) override { ++table_.vanished; }

  void accept(const RowDraft& draft) override { append_row(table_, draft); }

  void accept_unread(int32_t pid, FaultKind why) override {
    RowDraft draft;
    draft.start(pid);
    draft.fail(fields_, why, Call::kRead, 0);
    accept(draft);
  }

 private:
  const FieldMask fields_;
  const bool prepared_;
  const std::shared_ptr<Reader> reader_;
  ProcessTable table_;
};

}  // namespace

ProcessTable take_snapshot(const SnapshotRequest& request, std::shared_ptr<Reader> reader) {
  const bool may_wait = reader->may_wait(request.fields);
  auto job = std::make_shared<SnapshotJob>(request, std::move(reader));
  if (may_wait) {
    run_guarded(job, request.deadline);
  } else {
    run_inline(*job);
  }
  return job->take();
}

ProcessTable take_snapshot(const SnapshotRequest& request) {
  return take_snapshot(request, make_reader(request.reader));
}

}  // namespace procscope
