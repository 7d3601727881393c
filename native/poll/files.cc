#include "poll/files.h"

#include <memory>
#include <unordered_set>
#include <utility>

#include "poll/pid_job.h"

namespace procscope {

namespace {

/// Adds the rows of one table to another, whose blob theirs then joins.
template <typename Row>
void join(Table<Row>& into, const Table<Row>& from, std::initializer_list<TextRef Row::*> texts) {
  const auto first = static_cast<uint32_t>(into.rows.size());
  const auto base = static_cast<uint32_t>(into.blob.size());
  into.rows.insert(into.rows.end(), from.rows.begin(), from.rows.end());
  for (size_t i = first; i < into.rows.size(); ++i) {
    for (const auto text : texts) {
      (into.rows[i].*text).offset += base;
    }
  }
  for (RowFault fault : from.row_faults) {
    fault.row += first;
    into.row_faults.push_back(fault);
  }
  into.blob += from.blob;
}

class FilesJob final : public PidJob<FilesDraft> {
 public:
  explicit FilesJob(const FilesRequest& request)
      : PidJob(request.root, request.only, request.pids),
        root_(request.root),
        plan_(request.plan),
        max_rows_(request.max_rows),
        reader_(make_descriptor_reader({request.root, {}, 0})) {}

  FilesAnswer take() { return std::move(answer_); }

 protected:
  Result<std::monostate> open(Watch& watch) override { return reader_->prepare(watch); }
  bool open_may_wait() const override { return reader_->may_wait(); }

  Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const override {
    return reader_->list(pids, watch);
  }

  RowOutcome read(int32_t pid, const Avoid& avoid, FilesDraft& draft, Watch& watch) const override {
    return reader_->read(pid, plan_, avoid, draft, watch);
  }

  void opened(size_t) override {}
  void table_fault(Fault fault) override { answer_.files.faults.push_back(std::move(fault)); }
  void vanished(int32_t) override { ++answer_.vanished; }

  void accept(const FilesDraft& draft) override {
    const size_t room = max_rows_ - answer_.files.rows.size();
    if (draft.files.rows.size() > room) {
      if (!cut_) {
        table_fault({FaultKind::kLimit, 0, Call::kGetdents, root_});
      }
      cut_ = true;
      accept_first(draft, room);
      return;
    }
    join(answer_.files, draft.files, {&FileRow::path, &FileRow::details});
    join(answer_.locks, draft.locks, {&LockRow::state});
  }

  void accept_unread(int32_t pid, FaultKind why) override {
    FilesDraft draft;
    FileRow row;
    row.pid = pid;
    draft.files.rows.push_back(row);
    draft.files.row_faults.push_back(
        {0, static_cast<uint8_t>(FileField::kPath), why, Call::kOpen, 0});
    accept(draft);
  }

 private:
  /// Of a process with more rows than there is room for, the first.
  void accept_first(FilesDraft draft, size_t room) {
    draft.files.rows.resize(room);
    std::erase_if(draft.files.row_faults, [&](const RowFault& fault) { return fault.row >= room; });
    std::unordered_set<int32_t> kept;
    for (const FileRow& row : draft.files.rows) {
      kept.insert(row.fd);
    }
    std::erase_if(draft.locks.rows, [&](const LockRow& lock) { return !kept.contains(lock.fd); });
    accept(draft);
  }

  const std::string root_;
  const FilesPlan plan_;
  const size_t max_rows_;
  const std::shared_ptr<DescriptorReader> reader_;
  FilesAnswer answer_;
  bool cut_ = false;
};

class LocksJob final : public Job {
 public:
  explicit LocksJob(std::string root)
      : root_(std::move(root)), reader_(make_descriptor_reader({root_, {}, 0})) {}

  void run(Lease& lease) override {
    bool over = false;
    const auto begin = [&] {
      if (anything_stuck() && is_stuck(stuck_key(BlockClass::kNone))) {
        finish(FaultKind::kTimeout);
      }
      over = over_;
    };
    if (!lease.commit(begin) || over) {
      return;
    }
    Table<LockRow> found;
    Result<std::monostate> ready = reader_->prepare(lease.watch());
    if (ready) {
      ready = reader_->read_locks(found, lease.watch());
    }
    lease.commit([&] {
      if (ready) {
        table_ = std::move(found);
      } else {
        table_.faults.push_back(ready.fault());
      }
    });
  }

  void give_up(BlockClass) override { finish(FaultKind::kTimeout); }
  void stop_waiting(FaultKind why) override { finish(why); }
  void abandon(FaultKind why) override { finish(why); }
  [[nodiscard]] std::string stuck_key(BlockClass) const override { return "locks:" + root_; }

  Table<LockRow> take() { return std::move(table_); }

 private:
  void finish(FaultKind why) {
    if (!over_) {
      table_.faults.push_back({why, 0, Call::kRead, root_ + "/locks"});
    }
    over_ = true;
  }

  const std::string root_;
  const std::shared_ptr<DescriptorReader> reader_;
  Table<LockRow> table_;
  bool over_ = false;
};

}  // namespace

FilesAnswer read_files(const FilesRequest& request) {
  auto job = std::make_shared<FilesJob>(request);
  run_guarded(job, request.deadline);
  return job->take();
}

Table<LockRow> read_locks(const std::string& root, std::chrono::milliseconds deadline) {
  auto job = std::make_shared<LocksJob>(root);
  run_guarded(job, deadline);
  return job->take();
}

}  // namespace procscope
