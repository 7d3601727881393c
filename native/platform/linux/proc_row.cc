#include "platform/linux/proc_row.h"

#include <cerrno>
#include <cstdio>

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
  if (!context_.live && plan_.avoids(BlockClass::kFileSystem)) {
    fail_avoided(kAllFields, Call::kOpen);
    return RowOutcome::kRow;
  }
  if (!open_row()) {
    return RowOutcome::kVanished;
  }
  if (wants(kStatFields) && !read_stat()) {
    return RowOutcome::kVanished;
  }
  if (wants(kStatusFields | kUserFields)) {
    read_status();
  }
  if (wants(bit(Field::kExe) | bit(Field::kExeFile))) {
    read_exe();
  }
  if (wants(bit(Field::kCwd))) {
    read_cwd();
  }
  if (wants(bit(Field::kRoot))) {
    read_root();
  }
  if (wants(bit(Field::kPidNamespace))) {
    read_pid_namespace();
  }
  if (wants(bit(Field::kCgroup))) {
    read_cgroup();
  }
  if (wants(bit(Field::kArgv))) {
    read_argv();
  }
  if (wants(bit(Field::kEnv))) {
    read_env();
  }
  if (wants(kUserFields)) {
    read_user();
  }
  const bool nothing_left = draft_.row.present == 0 && life_ == Life::kGone;
  return nothing_left ? RowOutcome::kVanished : RowOutcome::kRow;
}

/// A row that takes several reads holds its directory open meanwhile: another process that gets the
/// pid between two of them cannot answer through it.
bool ProcRow::open_row() {
  char name[16];
  std::snprintf(name, sizeof name, "%d", pid_);
  if (files_behind(plan_.fields) <= 1) {
    directory_ = context_.root;
    std::snprintf(prefix_, sizeof prefix_, "%s/", name);
    return true;
  }
  opened_ = open_directory(context_.root, name);
  if (opened_.valid()) {
    directory_ = opened_.get();
    return true;
  }
  const int code = errno;
  if (kind_of_errno(code) == FaultKind::kGone || code == ENOTDIR) {
    return false;
  }
  // No directory (out of descriptors, refused): the paths still say why, field by field.
  directory_ = context_.root;
  std::snprintf(prefix_, sizeof prefix_, "%s/", name);
  return true;
}

RowPath::RowPath(const char* prefix, const char* file) {
  std::snprintf(text, sizeof text, "%s%s", prefix, file);
}

bool ProcRow::read_stat() {
  const Bytes bytes = buffer_.read_file(directory_, RowPath(prefix_, "stat").text, kSmallFileLimit,
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

ProcRow::Life ProcRow::life_of(const ProcStat& stat) {
  if ((stat.flags & kKernelThreadFlag) != 0) {
    return Life::kKernelThread;
  }
  return stat.state == 'Z' || stat.state == 'X' ? Life::kZombie : Life::kAlive;
}

void ProcRow::accept_stat(const ProcStat& stat) {
  ProcessRow& row = draft_.row;
  const double tick = 1000.0 / static_cast<double>(context_.ticks_per_second);
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
  row.start_time = context_.boot_time + static_cast<double>(stat.start) * tick;
  row.user_cpu = static_cast<double>(stat.utime) * tick;
  row.system_cpu = static_cast<double>(stat.stime) * tick;
  row.rss =
      static_cast<double>(stat.rss > 0 ? stat.rss : 0) * static_cast<double>(context_.page_size);
  row.vsize = static_cast<double>(stat.vsize);

  row.flags = (stat.flags & kKernelThreadFlag) != 0 ? kFlagKernelThread : 0;
  life_ = life_of(stat);
  row.present |= plan_.fields & kStatFields;
  if (wants(bit(Field::kName))) {
    draft_.put(Field::kName, &ProcessRow::name, stat.comm);
  }
  if (wants(bit(Field::kTty))) {
    draft_.put(Field::kTty, &ProcessRow::tty, context_.tty_name(stat.tty_device));
  }
}

void ProcRow::read_status() {
  const Bytes bytes = buffer_.read_file(directory_, RowPath(prefix_, "status").text,
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
  if (plan_.avoids(BlockClass::kNameService)) {
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
