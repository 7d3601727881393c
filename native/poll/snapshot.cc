#include "poll/snapshot.h"

#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "poll/guard.h"

namespace procscope {

namespace {

/// Offsets into a table's blob are 32 bits wide, and a buffer of JS has its own bounds: rows that
/// would lead past this are cut, and say so.
constexpr size_t kMostBlobBytes = size_t{1} << 30;

/// Text of an everyday row; growing the blob step by step would copy it over and over.
constexpr size_t kUsualRowBytes = 256;

constexpr std::array kTexts = {&ProcessRow::name, &ProcessRow::tty,    &ProcessRow::user,
                               &ProcessRow::argv, &ProcessRow::exe,    &ProcessRow::cwd,
                               &ProcessRow::root, &ProcessRow::cgroup, &ProcessRow::env,
                               &ProcessRow::nspid};

uint8_t class_bit(BlockClass c) { return static_cast<uint8_t>(1 << static_cast<uint8_t>(c)); }

class SnapshotJob final : public Job {
 public:
  SnapshotJob(const SnapshotRequest& request, std::shared_ptr<Reader> reader)
      : root_(request.reader.root),
        fields_(request.fields),
        only_(request.only),
        pids_(request.only ? request.pids : std::vector<int32_t>{}),
        reader_(std::move(reader)) {}

  void run(Lease& lease) override {
    if (!prepared_ && !prepare(lease)) {
      return;
    }
    RowDraft draft;
    RowPlan plan;
    size_t index = 0;
    bool more = false;
    const auto next = [&] {
      more = next_ < pids_.size();
      if (more) {
        index = next_;
        plan = plan_for(pids_[index]);
      }
    };
    if (!lease.commit(next)) {
      return;
    }
    while (more) {
      const RowOutcome outcome = reader_->read(pids_[index], plan, draft, lease.watch());
      const bool held = lease.commit([&] {
        accept(outcome, draft);
        next();
      });
      if (!held) {
        return;
      }
    }
  }

  void give_up(BlockClass c) override {
    if (!prepared_) {
      prepared_ = true;
      pids_.clear();
      table_.faults.push_back({FaultKind::kTimeout, 0, Call::kOpen, root_});
    } else if (c == BlockClass::kNameService) {
      avoid_ |= class_bit(c);
    } else if (c == BlockClass::kNone) {
      accept_unread(FaultKind::kTimeout);
    } else {
      // One target costs one parked thread: whoever holds the memory map of a process hostage is
      // not asked about its files either.
      row_avoid_ |= class_bit(c) | class_bit(BlockClass::kFileSystem);
    }
  }

  void stop_waiting(FaultKind why) override {
    avoid_ = class_bit(BlockClass::kMemoryMap) | class_bit(BlockClass::kFileSystem) |
             class_bit(BlockClass::kNameService);
    avoid_kind_ = why;
  }

  void abandon() override {
    while (next_ < pids_.size()) {
      accept_unread(FaultKind::kTimeout);
    }
  }

  [[nodiscard]] std::string stuck_key(BlockClass c) const override {
    return key_of(next_ < pids_.size() ? pids_[next_] : 0, c);
  }

  ProcessTable take() { return std::move(table_); }

 private:
  bool prepare(Lease& lease) {
    bool refused = false;
    const bool held = lease.commit([&] {
      refused = avoid_ != 0 && reader_->may_wait(0);
      if (refused) {
        prepared_ = true;
        pids_.clear();
        table_.faults.push_back({avoid_kind_, 0, Call::kThread, root_});
      }
    });
    if (!held || refused) {
      return held;
    }
    Result<std::monostate> ready = reader_->prepare(lease.watch());
    std::vector<int32_t> pids;
    if (ready && !only_) {
      ready = reader_->list(pids, lease.watch());
    }
    return lease.commit([&] {
      prepared_ = true;
      table_.boot_id = reader_->boot_id();
      if (!ready) {
        table_.faults.push_back(ready.fault());
        pids_.clear();
      } else if (!only_) {
        pids_ = std::move(pids);
      }
      table_.rows.reserve(pids_.size());
      table_.blob.reserve(pids_.size() * kUsualRowBytes);
    });
  }

  [[nodiscard]] std::string key_of(int32_t pid, BlockClass c) const {
    return root_ + ":" + std::to_string(pid) + ":" + std::to_string(static_cast<int>(c));
  }

  RowPlan plan_for(int32_t pid) const {
    RowPlan plan{fields_, static_cast<uint8_t>(avoid_ | row_avoid_), avoid_kind_};
    if (anything_stuck()) {
      for (const BlockClass c : {BlockClass::kMemoryMap, BlockClass::kFileSystem}) {
        plan.avoid |= is_stuck(key_of(pid, c)) ? class_bit(c) : 0;
      }
    }
    return plan;
  }

  void accept(RowOutcome outcome, const RowDraft& draft) {
    if (outcome == RowOutcome::kVanished) {
      ++table_.vanished;
    } else if (table_.blob.size() + draft.blob.size() > kMostBlobBytes) {
      accept_unread(FaultKind::kLimit);
      return;
    } else {
      append(draft);
    }
    row_avoid_ = 0;
    ++next_;
  }

  void append(const RowDraft& draft) {
    const auto index = static_cast<uint32_t>(table_.rows.size());
    const auto base = static_cast<uint32_t>(table_.blob.size());
    table_.rows.push_back(draft.row);
    table_.blob += draft.blob;
    for (const auto text : kTexts) {
      (table_.rows.back().*text).offset += base;
    }
    for (const RowDraft::FieldFault& fault : draft.faults) {
      table_.row_faults.push_back(
          {index, static_cast<uint8_t>(fault.field), fault.kind, fault.call, fault.code});
    }
  }

  void accept_unread(FaultKind why) {
    RowDraft draft;
    draft.start(pids_[next_]);
    draft.fail(fields_, why, Call::kRead, 0);
    append(draft);
    row_avoid_ = 0;
    ++next_;
  }

  const std::string root_;
  const FieldMask fields_;
  const bool only_;
  std::vector<int32_t> pids_;
  const std::shared_ptr<Reader> reader_;
  ProcessTable table_;
  size_t next_ = 0;
  bool prepared_ = false;
  /// Classes not to wait for: in all rows, and in the next one.
  uint8_t avoid_ = 0;
  uint8_t row_avoid_ = 0;
  FaultKind avoid_kind_ = FaultKind::kTimeout;
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
