#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/budget.h"
#include "model/process.h"
#include "platform/process_events.h"
#include "platform/reader.h"
#include "poll/glances.h"

/// The process table again and again, at a cost that grows with what changed.
namespace procscope {

struct PollRequest {
  ReaderOptions reader;
  FieldMask fields = 0;
  /// Of kVolatileFields: read of every process at each poll.
  FieldMask every_poll = 0;
  std::chrono::milliseconds deadline{1000};
  /// Oldest that a list of the pids and a glance at a process may be; 0 = any age.
  double max_age = 0;
  /// Oldest that the other fields of a process, and of a tracked one, may be; 0 = any age.
  double facts_age = 0;
  double tracked_age = 0;
  /// Oldest that a glance at a tracked process may be; 0 = each poll makes one.
  double tracked_look = 0;
  EventSource events = EventSource::kConnector;
  int descriptors = 0;
};

struct PollDelta {
  /// What started and what changed. A row that changed in no text has none.
  ProcessTable rows;
  /// For each row the fields that changed; 0 = it started.
  std::vector<FieldMask> changed;
  std::vector<int32_t> exited;
  /// The table could not be read: what was known stands.
  bool failed = false;

  [[nodiscard]] bool idle() const {
    return rows.rows.empty() && exited.empty() && rows.faults.empty() && !failed;
  }
};

/// What a poller has done since it was made.
struct PollCounts {
  uint64_t polls = 0;
  /// Lists of all pids.
  uint64_t lists = 0;
  /// Looks at the `stat` of one process.
  uint64_t glances = 0;
  /// Processes of which all fields were read.
  uint64_t reads = 0;
};

/// What a poller works with; tests put in their own.
struct PollParts {
  std::function<std::shared_ptr<Reader>()> reader;
  std::function<std::unique_ptr<ProcessEvents>(Budget&)> events;
  /// Milliseconds of a clock that is never set.
  std::function<double()> now;
  /// Milliseconds since the epoch, as the wall clock has it.
  std::function<double()> wall;
  /// Milliseconds since the boot, sleep included.
  std::function<double()> uptime;
};

PollParts parts_of_this_machine(const PollRequest& request);

/// Used by one thread at a time.
class Poller {
 public:
  explicit Poller(const PollRequest& request);
  Poller(PollRequest request, PollParts parts);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// Never throws for what the system answers.
  PollDelta poll();

  /// Whether poll() would find nothing: told by the news alone, with no look at any process. False
  /// where it takes a look to know.
  bool idle();

  /// From now on this process is looked at in each poll, until it ends. False if it is not known.
  bool track(int32_t pid);
  void untrack(int32_t pid);

  [[nodiscard]] size_t size() const { return known_.size(); }
  [[nodiscard]] EventSource source() const;
  [[nodiscard]] const PollCounts& counts() const { return counts_; }
  [[nodiscard]] int descriptors() const { return holds_.taken() + stats_->taken(); }

 private:
  struct Known {
    RowDraft look;
    std::shared_ptr<KeptRow> kept;
    std::unique_ptr<ProcessHold> hold;
    /// Its end comes with the news.
    bool told = false;
    bool tracked = false;
    bool listed = false;
    /// The last look at its other fields did not come to its end.
    bool unread = false;
    /// When all its fields were read, and the poll in which its `stat` was.
    double read_at = 0;
    uint64_t glanced_in = 0;
  };
  /// A process that is looked at in each poll for a while.
  struct Young {
    int32_t pid;
    double until;
  };
  /// How it is known that somebody may have a pid: a guess may hit the id of a thread.
  enum class Seen : uint8_t { kListed, kGuessed };
  struct Expected {
    int32_t pid;
    Seen seen;
  };
  /// The work of one poll.
  struct Round {
    PollDelta delta;
    double now = 0;
    /// Known, and to be glanced at.
    std::vector<int32_t> wanted;
    /// Held, and to be glanced at for the first time.
    std::unordered_map<int32_t, Known> met;
    /// Known, and may have given their pid to another.
    std::vector<Expected> expected;
    /// Known, and told to have ended.
    std::unordered_set<int32_t> told;
    /// The facts are read: what a glance shows beside an end is left to the next poll.
    bool only_ends = false;
    /// Known, and all fields are to be read.
    std::unordered_set<int32_t> due;
    std::unordered_set<int32_t> started;
    std::unordered_map<int32_t, FieldMask> changed;
  };

  bool start(Round& round);
  void take_news(double now);
  bool follow_own_root(Round& round);
  bool follow_foreign_root(Round& round);
  bool fail(Fault fault, Round& round);
  /// Each poll looks at everybody, so that nobody has a turn of its own.
  [[nodiscard]] bool sees_everybody() const { return foreign_ || request_.every_poll != 0; }

  [[nodiscard]] bool needs_list(double now) const;
  [[nodiscard]] bool may_be_new(int32_t pid) const;
  [[nodiscard]] bool is_left_dead(int32_t pid, double now) const;
  void accept_list(const std::vector<int32_t>& pids, Round& round);
  void accept_starts(bool listed, Round& round);
  void want_some(Round& round);
  void want_in_turn(Round& round);
  [[nodiscard]] double turn_period() const;
  bool turn_has_come(double now);
  [[nodiscard]] bool tracked_are_due(double now) const;
  void queue_turn(const ProcessRow& row);
  void stay_young(int32_t pid, double until);

  void want(int32_t pid, Round& round);
  void suspect(int32_t pid, Round& round);
  void expect(int32_t pid, Seen seen, Round& round);
  void doubt(int32_t pid, Round& round);
  void meet(int32_t pid, Seen seen, Round& round);
  void look(Round& round);
  void glance_at_wanted(Round& round);
  void accept_met(int32_t pid, Known known, GlanceAnswer answer, Round& round);
  [[nodiscard]] std::chrono::milliseconds time_left(const Round& round) const;

  void accept_glance(int32_t pid, RowOutcome outcome, const RowDraft& draft, Round& round);
  void follow_glance(Known& known, const RowDraft& draft, Round& round);
  void mark_old(const Known& known, double ahead, Round& round);
  void note_unseen(const RowDraft& draft, Round& round);

  void remember(int32_t pid, Known known, Round& round);
  void retire(int32_t pid, bool dead, Round& round);

  void read_facts(Round& round);
  void accept_facts(const ProcessTable& table, const std::vector<int32_t>& pids, Round& round);
  void take_facts(Known& known, const RowDraft& draft, Round& round);
  void drop_ended_meanwhile(Round& round);
  void report(Round& round);
  void put_row(const RowDraft& look, FieldMask changed, Round& round);

  const PollRequest request_;
  const PollParts parts_;
  /// A process that is not held costs more than one whose `stat` is not open.
  Budget holds_;
  /// Shared, since a thread that is parked in a `stat` may outlive everybody else.
  std::shared_ptr<Budget> stats_;
  std::shared_ptr<Reader> reader_;
  std::unique_ptr<ProcessEvents> events_;
  ProcessNews news_;
  std::unordered_map<int32_t, Known> known_;
  /// Ended, and not yet taken out of the table by their parent: pid, and when it was looked at.
  std::unordered_map<int32_t, double> dead_;
  std::vector<int32_t> tracked_;
  /// When all of them were looked at last; nothing = not since one came to be tracked.
  std::optional<double> tracked_at_;
  std::vector<Young> young_;
  /// Processes in the order in which their next glance comes.
  struct Turn {
    int32_t pid;
    uint64_t start_key;
  };
  std::deque<Turn> turns_;
  double credit_ = 0;
  double turned_at_ = 0;
  /// Known processes whose end nothing tells.
  size_t untold_ = 0;
  bool foreign_ = false;
  /// News were lost, or there were none yet.
  bool list_now_ = true;
  /// The news were taken and are still to be followed.
  bool news_taken_ = false;
  double news_at_ = 0;
  /// Touched in news that a poll could not follow: it failed, or found no descriptor for a look.
  std::vector<int32_t> owed_;
  double listed_at_ = 0;
  double boot_time_ = 0;
  PollCounts counts_;
};

}  // namespace procscope
