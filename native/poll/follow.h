#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "model/usage.h"
#include "platform/usage.h"
#include "poll/follow_reads.h"

namespace procscope {

struct FollowRequest {
  int32_t pid = 0;
  bool tree = false;
  /// Read memory at every look, and not only with the counters.
  bool memory = false;
  bool io = false;
};

/// What is counted of a tree, in the order of Follower's sums.
enum Counted : uint8_t {
  kCpu = 0,
  kUser,
  kSystem,
  kMinorFaults,
  kMajorFaults,
  kReadChars,
  kWriteChars,
  kReadCalls,
  kWriteCalls,
  kReadBytes,
  kWriteBytes,
  kCancelledWriteBytes,
  kCountedKinds,
};

/// Follows one process, or it and all below it, from look to look, and counts what they use.
///
/// A process stays a member until it ends, also when its parent ends first. Sums count from the
/// first look and never go back. At each look a sum grows by
///   what the members used themselves since the look before (of a process that started since, all),
///   and what members' waited-for children used, less what was counted of members that are gone.
/// So a child that came and went between two looks counts when its parent has waited for it, and
/// one that was seen is never counted again in its parent's sum. The kernel adds an ended child to
/// its parent before it leaves the table; what was counted of a gone member is therefore held
/// against the sums of two rounds and then forgotten, up to what clock ticks round off.
///
/// What cannot be read of a member is not zero: its sum stands still until the numbers come again,
/// and then goes on with what was gained meanwhile.
///
/// Counters of the kernel move in clock ticks, so `stat` is read in rounds of one tick at most; a
/// member's processor-time clock is read at every look.
class Follower {
 public:
  Follower(UsageMachine& machine, const FollowRequest& request);

  /// Looks once. Times in milliseconds of one clock that does not go back. False when the root has
  /// ended; the row is whole all the same.
  bool look(double now, SampleRow& row, std::vector<MemberRow>* members);

  /// Why nothing can be followed, or why a field is missing.
  [[nodiscard]] const Fault& fault() const { return fault_; }
  [[nodiscard]] bool started() const { return started_; }
  /// Processor time that other threads used for these looks, in milliseconds.
  [[nodiscard]] double reading_cpu() const { return reading_cpu_; }

 private:
  using Sums = std::array<double, kCountedKinds>;

  struct Member {
    int32_t pid = 0;
    std::shared_ptr<UsageProbe> probe;
    Counters counters;
    Memory memory;
    /// Used by the process itself; of io, by its waited-for children too: the kernel adds them.
    Sums own{};
    Sums waited{};
    double runtime = 0;
    bool has_clock = true;
    bool gone = false;
    bool has_io = true;
    /// Started since the first look: all that it has used counts.
    bool counts_all = false;
    /// Its io numbers were read once: what is more than them counts.
    bool io_seen = false;
    bool is_new = true;
    double shown_cpu = 0;
  };

  /// One of the table that may be of the tree.
  struct Candidate {
    int32_t pid;
    int32_t ppid;
  };

  bool add(int32_t pid);
  void baseline(Member& member);
  void read_runtime(Member& member);
  void read_members();
  FollowAnswers read(std::vector<FollowTarget> targets, bool io);
  void accept_counters(Member& member, const Result<Counters>& read);
  void read_memory(Member& member);
  void accept_io(Member& member, const Result<ProcIo>& io);
  void own_grew(Member& member, Counted kind, double value);
  void waited_grew(Member& member, Counted kind, double value);
  void round(double now);
  void settle_waited();
  void find_members(double now);
  void follow_hints();
  void read_candidates(std::span<const int32_t> pids, std::vector<Candidate>& candidates);
  void scan_table();
  void bury();
  void fill(double now, SampleRow& row, std::vector<MemberRow>* members);

  UsageMachine& machine_;
  const FollowRequest request_;
  std::vector<Member> members_;
  std::unordered_set<int32_t> member_pids_;
  /// Seen in the table and not of the tree.
  std::unordered_set<int32_t> others_;
  Sums total_{};
  /// Growth of waited-for sums in this round.
  Sums gained_{};
  /// Counted of gone members: in this round, and before it.
  Sums fresh_{};
  Sums old_{};
  Fault fault_;
  uint64_t first_key_ = 0;
  bool started_ = false;
  bool round_due_ = false;
  /// In this round, something that was read did not come.
  bool late_ = false;
  double reading_cpu_ = 0;
  bool root_alive_ = true;
  double last_time_ = 0;
  double last_cpu_ = 0;
  double next_round_ = 0;
  double next_scan_ = 0;
  double next_full_scan_ = 0;
  std::optional<int64_t> hinted_pid_;
  std::optional<int64_t> scanned_pid_;
  uint32_t started_count_ = 0;
  uint32_t ended_count_ = 0;
};

}  // namespace procscope
