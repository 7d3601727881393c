// The fields of a row that are links, or that may have to wait: see the list in proc_row.h.
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <cerrno>

#include "parse/environ.h"
#include "parse/links.h"
#include "platform/linux/facts.h"
#include "platform/linux/proc_row.h"

namespace procscope::linux_os {

namespace {
constexpr int kExecRetries = 16;
}

/// Kernel threads and zombies have no links and no memory map. Once that is known nothing is asked:
/// the answer would be a refusal for whoever is not root.
bool ProcRow::put_none(Field field) {
  if (life_ != Life::kKernelThread && life_ != Life::kZombie) {
    return false;
  }
  draft_.row.present |= bit(field);
  return true;
}

void ProcRow::put_link(Field field, TextRef ProcessRow::*member, const char* name) {
  if (!wants(bit(field)) || put_none(field)) {
    return;
  }
  const Bytes link = buffer_.read_link(directory_, RowPath(prefix(), name).text);
  if (link.ok()) {
    draft_.put(field, member, link.data);
  } else if (link.code == ENOENT && !by_path_ && has_no_image()) {
    draft_.row.present |= bit(field);
  } else {
    fail(bit(field), link);
  }
}

bool ProcRow::has_no_image() {
  const Life now = life();
  return now == Life::kZombie || now == Life::kKernelThread;
}

void ProcRow::read_exe() {
  put_link(Field::kExe, &ProcessRow::exe, "exe");
  settle_deleted(Field::kExe, &ProcessRow::exe, "exe", kFlagExeDeleted, kFlagExeDeletedUnknown);
  if (wants(bit(Field::kExeFile))) {
    read_exe_file();
  }
}

void ProcRow::read_cwd() {
  put_link(Field::kCwd, &ProcessRow::cwd, "cwd");
  settle_deleted(Field::kCwd, &ProcessRow::cwd, "cwd", kFlagCwdDeleted, kFlagCwdDeletedUnknown);
}

void ProcRow::read_root() { put_link(Field::kRoot, &ProcessRow::root, "root"); }

/// The kernel appends ` (deleted)` to an unlinked path, but a file may really be called so. It is
/// really called so if that very name leads to the same file in the process's own view.
void ProcRow::settle_deleted(Field field, TextRef ProcessRow::*member, const char* name,
                             RowFlag deleted, RowFlag unknown) {
  const TextRef ref = draft_.row.*member;
  const std::string_view shown = std::string_view(draft_.blob).substr(ref.offset, ref.length);
  if (!wants(bit(field)) || !shown.ends_with(kDeletedSuffix)) {
    return;
  }
  if (plan_.avoid.includes(BlockClass::kFileSystem)) {
    draft_.row.flags |= unknown;
    fail_avoided(bit(field), Call::kStat);
    return;
  }
  FileFacts running;
  const auto is_running = [&](int directory, const std::string& path) {
    struct stat named {};
    return ::fstatat(directory, path.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           named.st_dev == running.dev && named.st_ino == running.ino;
  };
  const Waiting waiting(watch_, BlockClass::kFileSystem);
  // The kernel shows the path as seen from our root, which is most often the process's own too.
  const bool stands =
      file_facts(directory_, RowPath(prefix(), name).text, running) == 0 &&
      (is_running(directory_, std::string(RowPath(prefix(), "root").text) + std::string(shown)) ||
       is_running(AT_FDCWD, std::string(shown)));
  if (!stands) {
    draft_.row.flags |= deleted;
    (draft_.row.*member).length -= kDeletedSuffix.size();
  }
}

void ProcRow::read_exe_file() {
  if (put_none(Field::kExeFile)) {
    return;
  }
  if (context_.recorded) {
    fail(bit(Field::kExeFile), FaultKind::kUnsupported, Call::kStat, 0);
    return;
  }
  if (plan_.avoid.includes(BlockClass::kFileSystem)) {
    fail_avoided(bit(Field::kExeFile), Call::kStat);
    return;
  }
  FileFacts file;
  int code = 0;
  {
    const Waiting waiting(watch_, BlockClass::kFileSystem);
    code = file_facts(directory_, RowPath(prefix(), "exe").text, file);
  }
  ProcessRow& row = draft_.row;
  if (code == 0) {
    row.exe_dev = file.dev;
    row.exe_ino = file.ino;
    row.present |= bit(Field::kExeFile);
    return;
  }
  if (code == ENOENT && !by_path_ && has_no_image()) {
    row.present |= bit(Field::kExeFile);  // Inode 0: looked, and there is none.
    return;
  }
  fail(bit(Field::kExeFile), kind_of_errno(code), Call::kStat, code);
}

void ProcRow::read_pid_namespace() {
  const Bytes link = buffer_.read_link(directory_, RowPath(prefix(), "ns/pid").text);
  if (!link.ok()) {
    fail(bit(Field::kPidNamespace), link);
    return;
  }
  const auto inode = parse_namespace_link(link.data, "pid");
  if (!inode) {
    fail(bit(Field::kPidNamespace), FaultKind::kMalformed, Call::kParse, 0);
    return;
  }
  draft_.row.pid_namespace = *inode;
  draft_.row.present |= bit(Field::kPidNamespace);
}

void ProcRow::read_cgroup() {
  const Bytes bytes = buffer_.read_file(directory_, RowPath(prefix(), "cgroup").text,
                                        context_.options->max_field_bytes, Ending::kShortRead);
  if (!bytes.ok()) {
    fail(bit(Field::kCgroup), bytes);
    return;
  }
  draft_.put(Field::kCgroup, &ProcessRow::cgroup, bytes.data);
  if (bytes.truncated) {
    fail(bit(Field::kCgroup), FaultKind::kTruncated, Call::kRead, 0);
  }
}

void ProcRow::read_argv() {
  if (put_none(Field::kArgv)) {
    return;
  }
  if (plan_.avoid.includes(BlockClass::kMemoryMap)) {
    fail_avoided(bit(Field::kArgv), Call::kRead);
    return;
  }
  const auto read_cmdline = [this] {
    const Waiting waiting(watch_, BlockClass::kMemoryMap);
    return buffer_.read_file(directory_, RowPath(prefix(), "cmdline").text,
                             context_.options->max_field_bytes, Ending::kShortRead);
  };
  Bytes bytes = read_cmdline();
  if (by_path_ && bytes.ok() && bytes.data.empty()) {
    doubtful_ = true;
    return;
  }
  // In the middle of an exec the new image has no arguments yet (get_mm_cmdline in fs/proc/base.c
  // asks for env_end), so a live process that shows none is asked again, and not believed at the
  // end.
  for (int i = 0; i < kExecRetries && bytes.ok() && bytes.data.empty(); ++i) {
    if (has_no_image()) {
      break;
    }
    if (look_again() != Life::kAlive) {
      // It ended between the two reads: nothing was seen, which is not "no arguments".
      fail(bit(Field::kArgv), FaultKind::kGone, Call::kRead, ESRCH);
      return;
    }
    ::sched_yield();
    bytes = read_cmdline();
  }
  if (!bytes.ok()) {
    fail(bit(Field::kArgv), bytes);
    return;
  }
  if (bytes.data.empty() && life() == Life::kAlive && !no_arguments_) {
    fail(bit(Field::kArgv), FaultKind::kIo, Call::kRead, EAGAIN);
    return;
  }
  draft_.put(Field::kArgv, &ProcessRow::argv, bytes.data);
  if (bytes.truncated) {
    fail(bit(Field::kArgv), FaultKind::kTruncated, Call::kRead, 0);
  }
}

void ProcRow::read_env() {
  if (plan_.avoid.includes(BlockClass::kMemoryMap)) {
    fail_avoided(bit(Field::kEnv), Call::kRead);
    return;
  }
  Bytes bytes;
  {
    const Waiting waiting(watch_, BlockClass::kMemoryMap);
    bytes = buffer_.read_file(directory_, RowPath(prefix(), "environ").text,
                              context_.options->max_field_bytes, Ending::kShortRead);
  }
  if (by_path_ && bytes.ok() && bytes.data.empty()) {
    doubtful_ = true;
    return;
  }
  const bool no_memory_map = !by_path_ && bytes.code == ESRCH && life() == Life::kKernelThread;
  if (!bytes.ok() && !no_memory_map) {
    fail(bit(Field::kEnv), bytes);
    return;
  }
  if (bytes.data.empty()) {
    // Also what a zombie gives, whose environment is not empty but no longer there.
    const Life now = life() == Life::kAlive ? look_again() : life();
    if (now == Life::kZombie || now == Life::kGone) {
      fail(bit(Field::kEnv), FaultKind::kGone, Call::kRead, ESRCH);
      return;
    }
  }
  std::string selected;
  select_environ(bytes.data, context_.options->env_keys, !bytes.truncated, selected);
  draft_.put(Field::kEnv, &ProcessRow::env, selected);
  if (bytes.truncated) {
    fail(bit(Field::kEnv), FaultKind::kTruncated, Call::kRead, 0);
  }
}

ProcRow::Life ProcRow::life() { return life_ == Life::kUnknown ? look_again() : life_; }

ProcRow::Life ProcRow::look_again() {
  const Bytes bytes = buffer_.read_file(directory_, RowPath(prefix(), "stat").text,
                                        context_.options->max_field_bytes, Ending::kShortRead);
  if (!bytes.ok()) {
    return life_ = kind_of_errno(bytes.code) == FaultKind::kGone ? Life::kGone : Life::kUnknown;
  }
  const auto stat = parse_stat(bytes.data);
  if (!stat) {
    return life_ = Life::kUnknown;
  }
  no_arguments_ = shows_no_arguments(bytes.data);
  return life_ = life_of(*stat);
}

}  // namespace procscope::linux_os
