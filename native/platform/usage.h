#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/usage.h"
#include "parse/usage.h"
#include "platform/reader.h"
#include "platform/watch.h"

/// The contract between usage() and UsageSampler and the system that they read.
namespace procscope {

/// One row in the making.
struct UsageDraft {
  struct FieldFault {
    UsageField field;
    FaultKind kind;
    Call call;
    int32_t code;
  };

  UsageRow row;
  std::string name;
  std::vector<FieldFault> faults;

  void start(int32_t pid) {
    row = UsageRow{};
    row.pid = pid;
    name.clear();
    faults.clear();
  }
  void fail(UsageField field, FaultKind kind, Call call, int32_t code) {
    faults.push_back({field, kind, call, code});
  }
  void fail_all(FieldMask fields, FaultKind kind, Call call, int32_t code) {
    for (int i = 0; i < kUsageFields; ++i) {
      if ((fields >> i & 1) != 0) {
        fail(static_cast<UsageField>(i), kind, call, code);
      }
    }
  }
};

/// Born with make_usage_reader(); prepare() before anything else. Afterwards const and safe to use
/// from several threads at once, each with its own draft and watch.
class UsageReader {
 public:
  virtual ~UsageReader() = default;

  /// Whether reading these fields may wait for ever.
  [[nodiscard]] virtual bool may_wait(FieldMask fields) const = 0;
  virtual Result<std::monostate> prepare(Watch& watch) = 0;
  /// Reads one process as planned (the plan's fields are UsageFields). Each field is then in
  /// `draft.row.present` or has its fault.
  virtual RowOutcome read(int32_t pid, const RowPlan& plan, UsageDraft& draft,
                          Watch& watch) const = 0;
};

std::unique_ptr<UsageReader> make_usage_reader(std::string root);
std::unique_ptr<UsageReader> make_unsupported_usage_reader();

struct Memory {
  double rss = 0;
  double vsize = 0;
};

/// What one read of `stat` tells of a process that is followed. Times are milliseconds.
struct Counters {
  uint64_t start_key = 0;
  int32_t ppid = 0;
  int32_t threads = 0;
  bool zombie = false;
  double user = 0;
  double system = 0;
  double waited_user = 0;
  double waited_system = 0;
  double minor_faults = 0;
  double major_faults = 0;
  double waited_minor_faults = 0;
  double waited_major_faults = 0;
  Memory memory;
};

/// One process of this machine that is followed: its files stay open within a budget, so that what
/// answers is always the process that was opened. Used by one thread, but for counters() and io().
class UsageProbe {
 public:
  virtual ~UsageProbe() = default;
  /// This and io() may wait for ever, and may be called on another thread while the rest is called
  /// on its own; one of them at a time.
  virtual Result<Counters> counters() = 0;
  /// Milliseconds on a processor, of every thread that the process has or had.
  virtual Result<double> runtime() = 0;
  virtual Result<Memory> memory() = 0;
  virtual Result<ProcIo> io() = 0;
  /// What a fault of io() or of counters() speaks of.
  [[nodiscard]] virtual std::string path_of(bool io) const = 0;
  /// Appends children of the main thread, where the kernel lists them: a hint.
  virtual void children(std::vector<int32_t>& pids) = 0;
};

/// This machine, for a sampler. Used by one thread.
class UsageMachine {
 public:
  virtual ~UsageMachine() = default;
  /// Names the machine as the `root` of a reader does.
  [[nodiscard]] virtual const std::string& root() const = 0;
  virtual Result<std::unique_ptr<UsageProbe>> open(int32_t pid) = 0;
  /// Changes whenever a process was started; the same value twice means that none was.
  virtual std::optional<int64_t> last_pid() = 0;
  virtual Result<std::monostate> list(std::vector<int32_t>& pids) = 0;
  /// Now, in the unit and from the origin of start keys.
  [[nodiscard]] virtual uint64_t now_key() const = 0;
  /// Length of the steps in which `counters()` counts time, in milliseconds.
  [[nodiscard]] virtual double tick() const = 0;
};

std::unique_ptr<UsageMachine> make_usage_machine();

}  // namespace procscope
