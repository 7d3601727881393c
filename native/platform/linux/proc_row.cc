#include "platform/linux/proc_row.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "parse/status.h"
#include "platform/linux/users.h"

namespace procscope::linux_os {

namespace {

constexpr FieldMask kUserFields = mask_of(Field::kUser);
/// Below this limit stand files whose size the kernel bounds; it only stops a hostile root.
constexpr size_t kSmallFileLimit = 1 << 20;

int files_behind(FieldMask fields) {
  int files = (fields & kStatFields) != 0 ? 1 : 0;
  files += (fields & (kStatusFields | kUserFields)) != 0 ? 1 : 0;
  for (const Field field : {Field::kArgv, Field::kExe, Field::kExeFile, Field::kCwd, Field::kRoot,
                            Field::kPidNamespace, Field::kCgroup, Field::kEnv}) {
    files += (fields & bit(field)) != 0 ? 1 : 0;
  }
  return files;
}

}  // namespace

ProcRow::ProcRow(const RowContext& context, int32_t pid, const RowPlan& plan, RowDraft& draft,
                 Watch& watch, Buffer& buffer)
    : context_(context), pid_(pid), plan_(plan), draft_(draft), watch_(watch), buffer_(buffer) {}

RowOutcome ProcRow::read() {
  draft_.start(pid_);
  if (!context_.live && plan_.avoid.includes(BlockClass::kFileSystem)) {
    fail_avoided(kAllFields, Call::kOpen);
    return RowOutcome::kRow;
  }
  if (can_read_by_path() && read_by_path()) {
    return RowOutcome::kRow;
  }
  return read_by_directory();
}

bool ProcRow::can_read_by_path() const {
  return context_.boot_ticks != 0 && wants(bit(Field::kStart)) && files_behind(plan_.fields) > 1;
}

/// The cheap way, which nearly every row goes: no directory is opened, `stat` is read last. A start
/// before this look began proves that the pid had one owner all the time, so all that was read
/// before is of that owner. False where the row needs a closer look: it is young, or something
/// about it was not there.
bool ProcRow::read_by_path() {
  by_path_ = true;
  use_path();
  const bool ordinary = read_all_but_stat() && read_stat() && !doubtful_ && life_ == Life::kAlive &&
                        draft_.row.start_key < context_.boot_ticks;
  by_path_ = false;
  if (!ordinary) {
    draft_.start(pid_);
    life_ = Life::kUnknown;
    has_euid_ = false;
  }
  return ordinary;
}

/// The sure way: the row's directory is held open meanwhile, so that another process that gets the
/// pid between two reads cannot answer through it.
RowOutcome ProcRow::read_by_directory() {
  if (!open_row()) {
    return RowOutcome::kVanished;
  }
  if (wants(kStatFields) && !read_stat()) {
    return RowOutcome::kVanished;
  }
  if (life_ == Life::kLeaderGone) {
    follow_live_thread();
  }
  read_all_but_stat();
  const bool nothing_left = draft_.row.present == 0 && life_ == Life::kGone;
  return nothing_left ? RowOutcome::kVanished : RowOutcome::kRow;
}

/// False as soon as a read by path is in doubt.
bool ProcRow::read_all_but_stat() {
  struct Step {
    FieldMask fields;
    void (ProcRow::*read)();
  };
  // The links come first: where they lead nowhere (kernel threads), the rest need not be tried.
  // The user needs the ids of `status`.
  static constexpr Step kSteps[] = {
      {mask_of(Field::kExe, Field::kExeFile), &ProcRow::read_exe},
      {mask_of(Field::kCwd), &ProcRow::read_cwd},
      {mask_of(Field::kRoot), &ProcRow::read_root},
      {mask_of(Field::kPidNamespace), &ProcRow::read_pid_namespace},
      {kStatusFields | kUserFields, &ProcRow::read_status},
      {mask_of(Field::kCgroup), &ProcRow::read_cgroup},
      {mask_of(Field::kArgv), &ProcRow::read_argv},
      {mask_of(Field::kEnv), &ProcRow::read_env},
      {kUserFields, &ProcRow::read_user},
  };
  for (const Step& step : kSteps) {
    if (wants(step.fields)) {
      (this->*step.read)();
    }
    if (doubtful_) {
      return false;
    }
  }
  return true;
}

void ProcRow::fail(FieldMask fields, FaultKind kind, Call call, int code) {
  if (by_path_ && (kind == FaultKind::kGone || kind == FaultKind::kMalformed)) {
    doubtful_ = true;
    return;
  }
  // The kernel also refuses a look at a process that is no more (proc_fd_access_allowed in
  // fs/proc/base.c). By path, a live `stat` that comes last tells the two apart.
  if (kind == FaultKind::kDenied && !by_path_ && life_ == Life::kAlive) {
    const Life now = look_again();
    kind = now == Life::kAlive || now == Life::kUnknown ? kind : FaultKind::kGone;
  }
  draft_.fail(plan_.fields & fields, kind, call, code);
}

void ProcRow::use_path() {
  directory_ = context_.root;
  char* const end = std::to_chars(prefix_, prefix_ + sizeof prefix_ - 1, pid_).ptr;
  *end = '/';
  prefix_size_ = static_cast<size_t>(end + 1 - prefix_);
}

/// False when the process is gone. A single read needs no directory.
bool ProcRow::open_row() {
  doubtful_ = false;
  use_path();
  if (files_behind(plan_.fields) <= 1) {
    return true;
  }
  const std::string name = std::to_string(pid_);
  opened_ = open_directory(context_.root, name.c_str());
  if (opened_.valid()) {
    directory_ = opened_.get();
    prefix_size_ = 0;
    return true;
  }
  // Where there is no directory for another reason (out of descriptors, refused), the paths still
  // say why, field by field.
  const int code = errno;
  return kind_of_errno(code) != FaultKind::kGone && code != ENOTDIR;
}

RowPath::RowPath(std::string_view prefix, std::string_view file) {
  // Both are short and ours; a row makes several of these, so no format is interpreted.
  std::memcpy(text, prefix.data(), prefix.size());
  std::memcpy(text + prefix.size(), file.data(), file.size());
  text[prefix.size() + file.size()] = '\0';
}

bool ProcRow::read_stat() {
  const Bytes bytes = buffer_.read_file(directory_, RowPath(prefix(), "stat").text, kSmallFileLimit,
                                        Ending::kShortRead);
  if (!bytes.ok()) {
    if (kind_of_errno(bytes.code) == FaultKind::kGone) {
      life_ = Life::kGone;
      return false;
    }
    fail(kStatFields, bytes);
    return true;
  }
  const auto stat = parse_stat(bytes.data);
  if (!stat || stat->pid != pid_) {
    fail(kStatFields, FaultKind::kMalformed, Call::kParse, 0);
    return true;
  }
  accept_stat(*stat);
  return true;
}

/// A process whose main thread has ended lives on in its other threads, but its own links lead
/// nowhere: the rest of the row is read from a thread that is still there.
void ProcRow::follow_live_thread() {
  std::vector<int32_t> threads;
  if (list_pids(directory_, RowPath(prefix(), "task").text, threads) != 0) {
    return;
  }
  const auto live = std::find_if(threads.begin(), threads.end(),
                                 [this](int32_t thread) { return thread != pid_; });
  if (live != threads.end()) {
    const std::string path =
        std::string(RowPath(prefix(), "task/").text) + std::to_string(*live) + "/";
    prefix_size_ = path.copy(prefix_, sizeof prefix_);
    life_ = Life::kAlive;
  }
}

ProcRow::Life ProcRow::life_of(const ProcStat& stat) {
  if ((stat.flags & kKernelThreadFlag) != 0) {
    return Life::kKernelThread;
  }
  if (stat.state != 'Z' && stat.state != 'X') {
    return Life::kAlive;
  }
  return stat.threads > 1 ? Life::kLeaderGone : Life::kZombie;
}

void put_stat(const RowContext& context, const ProcStat& stat, FieldMask fields, RowDraft& draft) {
  ProcessRow& row = draft.row;
  const double tick = 1000.0 / static_cast<double>(context.ticks_per_second);
  row.ppid = stat.ppid;
  row.pgid = stat.pgid;
  row.sid = stat.sid;
  row.tpgid = stat.tpgid;
  row.tty_device = stat.tty_device;
  row.state = static_cast<uint8_t>(stat.state);
  row.threads = stat.threads;
  row.priority = stat.priority;
  row.nice = stat.nice;
  row.start_key = stat.start;
  row.start_time = context.boot_time + static_cast<double>(stat.start) * tick;
  row.user_cpu = static_cast<double>(stat.utime) * tick;
  row.system_cpu = static_cast<double>(stat.stime) * tick;
  row.rss =
      static_cast<double>(stat.rss > 0 ? stat.rss : 0) * static_cast<double>(context.page_size);
  row.vsize = static_cast<double>(stat.vsize);

  row.flags |= (stat.flags & kKernelThreadFlag) != 0 ? kFlagKernelThread : 0;
  row.present |= fields & kStatFields;
  if ((fields & bit(Field::kName)) != 0) {
    draft.put(Field::kName, &ProcessRow::name, stat.comm);
  }
  if ((fields & bit(Field::kTty)) != 0) {
    draft.put(Field::kTty, &ProcessRow::tty, context.tty_name(stat.tty_device));
  }
}

void ProcRow::accept_stat(const ProcStat& stat) {
  life_ = life_of(stat);
  put_stat(context_, stat, plan_.fields, draft_);
}

void ProcRow::read_status() {
  const Bytes bytes = buffer_.read_file(directory_, RowPath(prefix(), "status").text,
                                        kSmallFileLimit, Ending::kShortRead);
  if (!bytes.ok()) {
    fail(kStatusFields | kUserFields, bytes);
    if (kind_of_errno(bytes.code) == FaultKind::kGone) {
      life_ = Life::kGone;
    }
    return;
  }
  const ProcStatus status = parse_status(bytes.data);
  ProcessRow& row = draft_.row;
  if (status.uid) {
    row.uid = status.uid->real;
    row.euid = status.uid->effective;
    euid_ = status.uid->effective;
    has_euid_ = true;
    row.present |= plan_.fields & mask_of(Field::kUid, Field::kEuid);
  } else {
    fail(mask_of(Field::kUid, Field::kEuid, Field::kUser), FaultKind::kMalformed, Call::kParse, 0);
  }
  if (status.gid) {
    row.gid = status.gid->real;
    row.egid = status.gid->effective;
    row.present |= plan_.fields & mask_of(Field::kGid, Field::kEgid);
  } else {
    fail(mask_of(Field::kGid, Field::kEgid), FaultKind::kMalformed, Call::kParse, 0);
  }
  if (!wants(bit(Field::kNspid))) {
    return;
  }
  if (status.nspid) {
    draft_.put(Field::kNspid, &ProcessRow::nspid, *status.nspid);
  } else {
    // Kernels before 4.1 have no such line.
    fail(bit(Field::kNspid), FaultKind::kUnsupported, Call::kParse, 0);
  }
}

void ProcRow::read_user() {
  if (!has_euid_) {
    return;
  }
  if (!context_.live) {
    // The ids of another machine mean nothing to this machine's name service.
    fail(kUserFields, FaultKind::kUnsupported, Call::kGetpwuid, 0);
    return;
  }
  if (plan_.avoid.includes(BlockClass::kNameService)) {
    fail_avoided(kUserFields, Call::kGetpwuid);
    return;
  }
  const auto name = user_name(euid_, watch_);
  if (name.ok()) {
    draft_.put(Field::kUser, &ProcessRow::user, name.value());
  } else {
    fail(kUserFields, name.fault().kind, name.fault().call, name.fault().code);
  }
}

}  // namespace procscope::linux_os
