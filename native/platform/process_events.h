#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

/// What a system tells of its processes as a whole, so that a poller need not look at each of them.
namespace procscope {

/// Which help of the system is used.
enum class EventSource : uint8_t {
  /// None: the table is listed at each poll.
  kNone = 0,
  /// A counter of pids given out, and a descriptor for each process that tells of its end.
  kPidfd,
  /// A stream of every fork, exec, rename and exit.
  kConnector,
};

/// News since the last time that they were taken.
struct ProcessNews {
  enum class Starts : uint8_t {
    kNone,
    /// The pids of all that started lie in (after, upto], in the order in which pids are given out;
    /// also of some that were told before.
    kRange,
    /// `started` names all.
    kNamed,
    /// The system does not say, or more may have been given out than there are pids: any pid may
    /// stand for another process now.
    kUnknown,
  };

  Starts starts = Starts::kUnknown;
  int32_t after = 0;
  int32_t upto = 0;
  std::vector<int32_t> started;
  /// Held processes that have ended: proven.
  std::vector<int32_t> ended;
  /// Processes that may have ended, or changed their program, name or ids.
  std::vector<int32_t> touched;
  /// A process that is not held, and whose end is not told otherwise, may have left the table.
  bool others_may_have_ended = true;

  void clear() {
    starts = Starts::kUnknown;
    started.clear();
    ended.clear();
    touched.clear();
    others_may_have_ended = true;
  }
};

/// Keeps the system telling of the end of one process, as long as it lives.
class ProcessHold {
 public:
  virtual ~ProcessHold() = default;
};

enum class HoldOutcome : uint8_t {
  kHeld,
  /// The end is told without a hold.
  kTold,
  /// No process has this pid.
  kGone,
  /// The id is that of a thread, and of no process.
  kThread,
  /// Out of budget, or the system cannot.
  kRefused,
};

/// Used by one thread at a time.
class ProcessEvents {
 public:
  virtual ~ProcessEvents() = default;

  [[nodiscard]] virtual EventSource source() const = 0;
  /// `elapsed` is the time since the last call, in milliseconds.
  virtual void take(ProcessNews& news, double elapsed) = 0;
  virtual HoldOutcome hold(int32_t pid, std::unique_ptr<ProcessHold>& hold) = 0;
  /// Whether any of the held processes has ended that take() has not told of; appends their pids.
  virtual void take_ended(std::vector<int32_t>& pids) = 0;
};

/// The best source that this machine allows for this root and that is not above `most`. Holds take
/// their descriptors from the budget, which outlives it. Never null.
std::unique_ptr<ProcessEvents> make_process_events(const std::string& root, EventSource most,
                                                   Budget& budget);

/// Tells nothing: what stands where a system has no such help.
std::unique_ptr<ProcessEvents> make_no_process_events();

/// What keeps this machine from offering a source; of kind kNone where nothing does.
Fault event_source_fault(EventSource source);

/// Descriptors that a poller of this program may keep unless told otherwise.
int usual_descriptor_budget();

}  // namespace procscope
