#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platform/reader.h"
#include "poll/guard.h"

namespace procscope {

constexpr uint8_t class_bit(BlockClass c) {
  return static_cast<uint8_t>(1U << static_cast<uint8_t>(c));
}

/// Work that goes through processes one by one, any of which may hang: the part that is the same
/// for every question. `Draft` is what one process gives; a thread reads it without the lock.
template <typename Draft>
class PidJob : public Job {
 public:
  void run(Lease& lease) final {
    bool prepared = false;
    if (!lease.commit([&] { prepared = prepared_; }) || (!prepared && !prepare(lease))) {
      return;
    }
    Draft draft;
    Avoid avoid;
    int32_t pid = 0;
    bool more = false;
    const auto next = [&] {
      skip_stuck();
      more = next_ < pids_.size();
      if (more) {
        pid = pids_[next_];
        avoid = avoid_for(pid);
      }
    };
    if (!lease.commit(next)) {
      return;
    }
    while (more) {
      const RowOutcome outcome = read(pid, avoid, draft, lease.watch());
      const bool held = lease.commit([&] {
        if (outcome == RowOutcome::kRow) {
          accept(draft);
        } else {
          vanished(pid);
        }
        done_with_pid();
        next();
      });
      if (!held) {
        return;
      }
    }
  }

  void give_up(BlockClass c) final {
    if (!prepared_) {
      finish_unprepared({FaultKind::kTimeout, 0, Call::kOpen, root_});
    } else if (c == BlockClass::kNameService) {
      avoid_ |= class_bit(c);
    } else if (next_ >= pids_.size()) {
      // All was read, and the thread had no time yet to say so.
    } else if (c == BlockClass::kNone) {
      skip(FaultKind::kTimeout);
    } else {
      // One target costs one parked thread: whoever holds the memory map of a process hostage is
      // not asked about its files either.
      pid_avoid_ |= class_bit(c) | class_bit(BlockClass::kFileSystem);
    }
  }

  void stop_waiting(FaultKind why) final {
    avoid_ = class_bit(BlockClass::kMemoryMap) | class_bit(BlockClass::kFileSystem) |
             class_bit(BlockClass::kNameService);
    why_ = why;
  }

  void abandon(FaultKind why) final {
    if (!prepared_) {
      finish_unprepared({why, 0, Call::kOpen, root_});
    }
    while (next_ < pids_.size()) {
      skip(why);
    }
  }

  [[nodiscard]] std::string stuck_key(BlockClass c) const final {
    return prepared_ && next_ < pids_.size() ? key_of(pids_[next_], c) : root_key();
  }

 protected:
  /// `only`: go through these pids and do not list the table.
  PidJob(std::string root, bool only, std::vector<int32_t> pids)
      : root_(std::move(root)), only_(only), pids_(std::move(pids)) {}

  /// Without the lock.
  virtual RowOutcome read(int32_t pid, const Avoid& avoid, Draft& draft, Watch& watch) const = 0;
  virtual Result<std::monostate> open(Watch& watch) = 0;
  virtual Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const = 0;
  /// Whether open() itself can wait.
  [[nodiscard]] virtual bool open_may_wait() const = 0;

  /// Under the lock.
  virtual void opened(size_t pid_count) = 0;
  virtual void accept(const Draft& draft) = 0;
  virtual void vanished(int32_t pid) = 0;
  virtual void accept_unread(int32_t pid, FaultKind why) = 0;
  virtual void table_fault(Fault fault) = 0;

 private:
  bool prepare(Lease& lease) {
    bool refused = false;
    const bool held = lease.commit([&] {
      const bool hangs = anything_stuck() && is_stuck(root_key());
      refused = hangs || (avoid_ != 0 && open_may_wait());
      if (refused) {
        finish_unprepared({hangs ? FaultKind::kTimeout : why_, 0, Call::kOpen, root_});
      }
    });
    if (!held || refused) {
      return held;
    }
    Result<std::monostate> ready = open(lease.watch());
    std::vector<int32_t> pids;
    if (ready && !only_) {
      ready = list(pids, lease.watch());
    }
    return lease.commit([&] {
      if (!ready) {
        finish_unprepared(ready.fault());
        return;
      }
      prepared_ = true;
      if (!only_) {
        pids_ = std::move(pids);
      }
      opened(pids_.size());
    });
  }

  void finish_unprepared(Fault fault) {
    prepared_ = true;
    pids_.clear();
    table_fault(std::move(fault));
  }

  [[nodiscard]] std::string root_key() const { return root_ + ":open"; }

  [[nodiscard]] std::string key_of(int32_t pid, BlockClass c) const {
    return stuck_key_of(root_, pid, c);
  }

  Avoid avoid_for(int32_t pid) const {
    Avoid avoid{static_cast<uint8_t>(avoid_ | pid_avoid_), why_};
    if (anything_stuck()) {
      for (const BlockClass c : {BlockClass::kMemoryMap, BlockClass::kFileSystem}) {
        avoid.classes |= is_stuck(key_of(pid, c)) ? class_bit(c) : 0;
      }
    }
    return avoid;
  }

  /// A call that is not known to wait says nothing about which others would: nothing at all is read
  /// of a process while a thread is parked in one.
  void skip_stuck() {
    while (next_ < pids_.size() && anything_stuck() &&
           is_stuck(key_of(pids_[next_], BlockClass::kNone))) {
      skip(FaultKind::kTimeout);
    }
  }

  void skip(FaultKind why) {
    accept_unread(pids_[next_], why);
    done_with_pid();
  }

  void done_with_pid() {
    pid_avoid_ = 0;
    ++next_;
  }

  const std::string root_;
  const bool only_;
  std::vector<int32_t> pids_;
  size_t next_ = 0;
  bool prepared_ = false;
  /// Classes not to wait for: with all processes, and with the next one.
  uint8_t avoid_ = 0;
  uint8_t pid_avoid_ = 0;
  FaultKind why_ = FaultKind::kTimeout;
};

}  // namespace procscope
