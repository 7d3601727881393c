#include "poll/follow.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace procscope {

namespace {

/// Counters are read at least this often, in milliseconds, however long the kernel's tick is.
constexpr double kLongestRound = 10;
/// After something was started: how soon the whole table is read, in milliseconds.
constexpr double kScanAge = 250;
/// And how soon in any case: the pid counter may have wrapped, and pids are given out again.
constexpr double kFullScanAge = 5000;
/// Longest that a round waits for what does not come: half of it for the first process that holds
/// it back, less for each further one.
constexpr std::chrono::milliseconds kDeadline{200};
/// Processes of the table that are held open at once.
constexpr size_t kScanBatch = 16;

constexpr std::array kIoMembers = {&ProcIo::rchar,
                                   &ProcIo::wchar,
                                   &ProcIo::syscr,
                                   &ProcIo::syscw,
                                   &ProcIo::read_bytes,
                                   &ProcIo::write_bytes,
                                   &ProcIo::cancelled_write_bytes};

constexpr bool is_io(size_t kind) { return kind >= kReadChars; }

}  // namespace

Follower::Follower(UsageMachine& machine, const FollowRequest& request)
    : machine_(machine), request_(request) {}

bool Follower::look(double now, SampleRow& row, std::vector<MemberRow>* members) {
  started_count_ = 0;
  ended_count_ = 0;
  if (!started_) {
    first_key_ = machine_.now_key();
    if (!add(request_.pid)) {
      return false;
    }
    last_time_ = now;
    round_due_ = true;
  }
  for (Member& member : members_) {
    read_runtime(member);
  }
  if (round_due_ || now >= next_round_) {
    round(now);
  } else if (request_.memory) {
    for (Member& member : members_) {
      read_memory(member);
    }
  }
  if (!started_) {
    total_ = {};
    started_count_ = 0;
    started_ = true;
  }
  fill(now, row, members);
  return root_alive_;
}

/// Makes a process a member. False when it is not there, or not below a member.
bool Follower::add(int32_t pid) {
  Result<std::unique_ptr<UsageProbe>> opened = machine_.open(pid);
  if (!opened) {
    fault_ = started_ ? fault_ : opened.fault();
    return false;
  }
  Member member;
  member.pid = pid;
  member.probe = std::move(opened.value());
  const FollowAnswers answers = read({{pid, member.probe}}, false);
  const Result<Counters>& counters = answers.counters.front();
  if (!counters) {
    fault_ = started_ ? fault_ : counters.fault();
    return false;
  }
  const bool is_root = members_.empty();
  if (!is_root && !member_pids_.contains(counters.value().ppid)) {
    return false;
  }
  member.counters = counters.value();
  members_.push_back(std::move(member));
  member_pids_.insert(pid);
  ++started_count_;
  baseline(members_.back());
  return true;
}

/// A process that is as old as the first look has used what it has before that; of one that
/// started later all counts.
void Follower::baseline(Member& member) {
  member.counts_all = started_ && member.counters.start_key >= first_key_;
  const Sums total = total_;
  const Sums gained = gained_;
  read_runtime(member);
  accept_counters(member, member.counters);
  if (request_.io) {
    accept_io(member, read({{member.pid, member.probe}}, true).io.front());
  }
  if (!member.counts_all) {
    total_ = total;
    gained_ = gained;
  }
}

void Follower::own_grew(Member& member, Counted kind, double value) {
  if (value > member.own[kind]) {
    total_[kind] += value - member.own[kind];
    member.own[kind] = value;
  }
}

void Follower::waited_grew(Member& member, Counted kind, double value) {
  double& before = is_io(kind) ? member.own[kind] : member.waited[kind];
  if (value > before) {
    gained_[kind] += value - before;
    before = value;
  }
}

void Follower::read_runtime(Member& member) {
  if (!member.has_clock || member.gone) {
    return;
  }
  const Result<double> runtime = member.probe->runtime();
  if (!runtime) {
    // Gone, or a system without such clocks: the counters tell which.
    round_due_ = true;
    member.has_clock = runtime.fault().kind == FaultKind::kGone;
    return;
  }
  if (runtime.value() < member.runtime) {
    round_due_ = true;  // No clock goes back: the pid may have another owner.
    return;
  }
  member.runtime = runtime.value();
  own_grew(member, kCpu, member.runtime);
}

/// Reads what may have to wait, on another thread, and notes what did not come.
FollowAnswers Follower::read(std::vector<FollowTarget> targets, bool io) {
  FollowAnswers answers = read_followed(machine_.root(), std::move(targets), io, kDeadline);
  reading_cpu_ += answers.cpu;
  const auto is_late = [](const auto& answer) {
    return !answer &&
           (answer.fault().kind == FaultKind::kTimeout || answer.fault().kind == FaultKind::kLimit);
  };
  late_ = late_ || std::any_of(answers.io.begin(), answers.io.end(), is_late) ||
          std::any_of(answers.counters.begin(), answers.counters.end(), is_late);
  return answers;
}

void Follower::read_members() {
  std::vector<FollowTarget> targets;
  targets.reserve(members_.size());
  for (const Member& member : members_) {
    targets.push_back({member.pid, member.probe});
  }
  const FollowAnswers answers = read(std::move(targets), request_.io);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (request_.io) {
      accept_io(members_[i], answers.io[i]);
    }
    accept_counters(members_[i], answers.counters[i]);
  }
}

void Follower::accept_counters(Member& member, const Result<Counters>& read) {
  const bool is_root = member.pid == request_.pid;
  if (!read) {
    member.gone = read.fault().kind == FaultKind::kGone;
    fault_ = member.gone ? fault_ : read.fault();
    root_alive_ = root_alive_ && !(is_root && member.gone);
    return;
  }
  const Counters& counters = read.value();
  root_alive_ = root_alive_ && !(is_root && counters.zombie);
  member.counters = counters;
  member.memory = counters.memory;
  own_grew(member, kUser, counters.user);
  own_grew(member, kSystem, counters.system);
  own_grew(member, kMinorFaults, counters.minor_faults);
  own_grew(member, kMajorFaults, counters.major_faults);
  if (member.runtime == 0) {
    own_grew(member, kCpu, counters.user + counters.system);
  }
  waited_grew(member, kUser, counters.waited_user);
  waited_grew(member, kSystem, counters.waited_system);
  waited_grew(member, kCpu, counters.waited_user + counters.waited_system);
  waited_grew(member, kMinorFaults, counters.waited_minor_faults);
  waited_grew(member, kMajorFaults, counters.waited_major_faults);
}

void Follower::read_memory(Member& member) {
  const Result<Memory> memory = member.probe->memory();
  if (memory) {
    member.memory = memory.value();
  } else {
    round_due_ = true;
  }
}

void Follower::accept_io(Member& member, const Result<ProcIo>& io) {
  member.has_io = io.ok();
  if (!io) {
    const FaultKind why = io.fault().kind;
    fault_ = why == FaultKind::kGone ? fault_ : io.fault();
    return;
  }
  for (size_t i = 0; i < kIoMembers.size(); ++i) {
    const auto kind = static_cast<Counted>(kReadChars + i);
    const auto value = static_cast<double>(io.value().*kIoMembers[i]);
    if (member.io_seen || member.counts_all) {
      waited_grew(member, kind, value);
    } else {
      member.own[kind] = value;
    }
  }
  member.io_seen = true;
}

/// Reads the counters of all members, parents first, and looks for new ones.
void Follower::round(double now) {
  round_due_ = false;
  next_round_ = now + std::min(kLongestRound, std::max(machine_.tick(), 1.0));
  // The kernel adds the numbers of an ended child to its parent before it leaves the table. So io
  // of all comes first: what a parent gained there, a child is missing for in the counters.
  late_ = false;
  read_members();
  bury();
  settle_waited();
  if (request_.tree) {
    find_members(now);
  }
}

void Follower::settle_waited() {
  const double parents = static_cast<double>(members_.size());
  for (size_t kind = 0; kind < kCountedKinds; ++kind) {
    double rest = gained_[kind];
    for (Sums* credit : {&old_, &fresh_}) {
      const double used = std::min(rest, (*credit)[kind]);
      (*credit)[kind] -= used;
      rest -= used;
    }
    total_[kind] += rest;
    gained_[kind] = 0;
    const double ticks = kind == kCpu ? 2 : kind == kUser || kind == kSystem ? 1 : 0;
    const double slack = ticks * parents * machine_.tick();
    // Whoever has waited may be a parent whose numbers did not come.
    const bool keeps = late_;
    old_[kind] = (keeps ? old_[kind] : std::min(old_[kind], slack)) + fresh_[kind];
    fresh_[kind] = 0;
  }
}

void Follower::find_members(double now) {
  const std::optional<int64_t> last = machine_.last_pid();
  const auto moved = [&](const std::optional<int64_t>& before) { return !last || last != before; };
  // Whoever did not answer this time is asked again in the next round.
  const auto seen = [&] { return late_ ? std::nullopt : last; };
  if (moved(hinted_pid_)) {
    follow_hints();
    hinted_pid_ = seen();
  }
  const bool due = now >= next_scan_ && moved(scanned_pid_);
  if (due || now >= next_full_scan_) {
    if (now >= next_full_scan_) {
      others_.clear();
      next_full_scan_ = now + kFullScanAge;
    }
    next_scan_ = now + kScanAge;
    scan_table();
    scanned_pid_ = seen();
  }
}

void Follower::follow_hints() {
  std::vector<int32_t> pids;
  // The list grows while it is walked: children of children are found in the same walk.
  for (size_t i = 0; i < members_.size(); ++i) {
    pids.clear();
    members_[i].probe->children(pids);
    for (const int32_t pid : pids) {
      if (!member_pids_.contains(pid)) {
        add(pid);
      }
    }
  }
}

void Follower::read_candidates(std::span<const int32_t> pids, std::vector<Candidate>& candidates) {
  std::vector<FollowTarget> targets;
  for (const int32_t pid : pids) {
    if (auto probe = machine_.open(pid)) {
      targets.push_back({pid, std::move(probe.value())});
    }
  }
  const FollowAnswers answers = read(targets, false);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (const Result<Counters>& counters = answers.counters[i]) {
      candidates.push_back({targets[i].pid, counters.value().ppid});
    }
  }
}

/// Finds members by the parent that each process names: right for every thread that forks.
void Follower::scan_table() {
  std::vector<int32_t> pids;
  if (const auto listed = machine_.list(pids); !listed) {
    fault_ = listed.fault();
    return;
  }
  std::erase_if(
      pids, [this](int32_t pid) { return member_pids_.contains(pid) || others_.contains(pid); });
  std::vector<Candidate> candidates;
  for (size_t first = 0; first < pids.size(); first += kScanBatch) {
    const size_t count = std::min(kScanBatch, pids.size() - first);
    read_candidates({pids.data() + first, count}, candidates);
  }
  for (bool grew = true; grew;) {
    const auto taken = [this](const Candidate& candidate) {
      return member_pids_.contains(candidate.ppid) && add(candidate.pid);
    };
    const size_t before = candidates.size();
    std::erase_if(candidates, taken);
    grew = candidates.size() != before;
  }
  for (const Candidate& candidate : candidates) {
    others_.insert(candidate.pid);
  }
}

/// Lets go of members that are gone, and holds what was counted of them against their parents.
void Follower::bury() {
  for (const Member& member : members_) {
    if (!member.gone) {
      continue;
    }
    for (size_t kind = 0; kind < kCountedKinds; ++kind) {
      fresh_[kind] += member.own[kind] + member.waited[kind];
    }
    ++ended_count_;
    member_pids_.erase(member.pid);
  }
  std::erase_if(members_, [](const Member& member) { return member.gone; });
}

void Follower::fill(double now, SampleRow& row, std::vector<MemberRow>* members) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  row = SampleRow{};
  row.time = now;
  row.processes = static_cast<uint32_t>(members_.size());
  row.started = started_count_;
  row.ended = ended_count_;
  const double elapsed = now - last_time_;
  bool has_io = request_.io;
  for (Member& member : members_) {
    row.threads += static_cast<uint32_t>(std::max(member.counters.threads, 0));
    row.rss += member.memory.rss;
    row.vsize += member.memory.vsize;
    has_io = has_io && member.has_io;
    if (members != nullptr) {
      const double grown = member.own[kCpu] - member.shown_cpu;
      const double percent = member.is_new || elapsed <= 0 ? kUnknown : grown / elapsed * 100;
      members->push_back({0, member.pid, member.counters.ppid, member.counters.threads,
                          member.counters.start_key, member.own[kCpu], percent, member.memory.rss,
                          member.memory.vsize});
    }
    member.shown_cpu = member.own[kCpu];
    member.is_new = false;
  }
  row.present = bit(UsageField::kBase) | (has_io ? bit(UsageField::kIo) : 0);
  row.cpu = total_[kCpu];
  row.user = total_[kUser];
  row.system = total_[kSystem];
  row.minor_faults = total_[kMinorFaults];
  row.major_faults = total_[kMajorFaults];
  row.read_chars = total_[kReadChars];
  row.write_chars = total_[kWriteChars];
  row.read_calls = total_[kReadCalls];
  row.write_calls = total_[kWriteCalls];
  row.read_bytes = total_[kReadBytes];
  row.write_bytes = total_[kWriteBytes];
  row.cancelled_write_bytes = total_[kCancelledWriteBytes];
  row.percent = elapsed > 0 ? (row.cpu - last_cpu_) / elapsed * 100 : kUnknown;
  last_cpu_ = row.cpu;
  last_time_ = now;
}

}  // namespace procscope
