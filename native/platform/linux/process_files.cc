// The files that one process holds, from procfs.
//
// Calls that can wait for ever, and what guards them (each is inside a Waiting mark):
//   statx through fd/N, cwd, root, exe   a network file system on the way BlockClass::kFileSystem
//   read of maps                         the target's memory-map lock BlockClass::kMemoryMap
// readlink of the links does not wait for a file system, but on kernels since 2026 for an exec of
// the target that is stuck: then the process as a whole is given up. fdinfo waits for nobody.
#include "platform/linux/process_files.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "parse/fdinfo.h"
#include "parse/locks.h"
#include "parse/maps.h"
#include "platform/linux/facts.h"
#include "platform/linux/io.h"
#include "platform/linux/tasks.h"

namespace procscope::linux_os {

namespace {

constexpr size_t kInfoLimit = 1 << 22;
constexpr size_t kMapsLimit = size_t{1} << 26;

Buffer& thread_buffer() {
  thread_local Buffer buffer;
  return buffer;
}

/// Reads the files of one process. Lives for one read() on one thread.
class ProcessFiles {
 public:
  ProcessFiles(const FilesRoot& root, int32_t pid, const FilesPlan& plan, const Avoid& avoid,
               FilesDraft& draft, Watch& watch)
      : root_(root),
        self_(::getpid()),
        pid_(pid),
        plan_(plan),
        avoid_(avoid),
        draft_(draft),
        watch_(watch) {
    directory_ = open_directory(root.fd, std::to_string(pid).c_str());
    code_ = directory_.valid() ? 0 : errno;
  }

  RowOutcome read() {
    if (code_ == ENOENT || code_ == ESRCH || code_ == ENOTDIR) {
      return RowOutcome::kVanished;
    }
    if (code_ != 0) {
      add_refused(FileRole::kFd, kind_of_errno(code_), Call::kOpen, code_);
      return RowOutcome::kRow;
    }
    read_all();
    if (!shows_anything_ && enter_task()) {
      draft_.clear();
      read_all();
    }
    return RowOutcome::kRow;
  }

 private:
  void read_all() {
    read_link_of(FileRole::kCwd, "cwd");
    read_link_of(FileRole::kRoot, "root");
    read_link_of(FileRole::kExe, "exe");
    read_descriptors();
    read_maps();
  }

  /// False where no thread lives beside the main one.
  bool enter_task() {
    OwnedFd task = open_living_task(directory_.get(), pid_);
    const bool found = task.valid();
    if (found) {
      directory_ = std::move(task);
    }
    return found;
  }

  [[nodiscard]] bool wants(FileField field) const { return (plan_.fields & bit(field)) != 0; }
  [[nodiscard]] bool wants(FileRole role) const { return (plan_.roles & bit(role)) != 0; }
  [[nodiscard]] bool full() const { return draft_.files.rows.size() >= plan_.max_rows; }

  FileRow& add(FileRole role, int32_t fd) {
    FileRow row;
    row.pid = pid_;
    row.fd = fd;
    row.role = static_cast<uint8_t>(role);
    return draft_.files.rows.emplace_back(row);
  }

  void fail(FileField field, FaultKind kind, Call call, int code) {
    const auto row = static_cast<uint32_t>(draft_.files.rows.size() - 1);
    draft_.files.row_faults.push_back({row, static_cast<uint8_t>(field), kind, call, code});
  }

  /// A row that stands for what could not be looked at.
  void add_refused(FileRole role, FaultKind kind, Call call, int code) {
    add(role, -1);
    fail(FileField::kPath, kind, call, code);
  }

  void read_link_of(FileRole role, const char* name) {
    if (!wants(role) || full()) {
      return;
    }
    FileFacts facts;
    const int facts_code = facts_of(name, facts);
    if (facts_code == ENOENT) {
      return;  // Kernel threads and zombies have no such link.
    }
    shows_anything_ |= facts_code >= 0;
    if (!matches(facts_code, facts)) {
      return;
    }
    const Bytes link = thread_buffer().read_link(directory_.get(), name);
    shows_anything_ |= link.ok() || kind_of_errno(link.code) != FaultKind::kGone;
    if (!link.ok()) {
      if (link.code != ENOENT && link.code != ESRCH) {
        add_refused(role, kind_of_errno(link.code), link.call, link.code);
      }
      return;
    }
    put_path(add(role, -1), link.data);
    put_facts(facts_code, facts);
  }

  /// 0, an errno, or one of these; asks nothing where neither a field nor a filter needs it.
  static constexpr int kAvoided = -1;
  static constexpr int kNotAsked = -2;
  static constexpr int kRecorded = -3;
  int facts_of(const char* name, FileFacts& facts) {
    if (!wants(FileField::kStat) && plan_.inodes.empty()) {
      return kNotAsked;
    }
    if (root_.recorded) {
      // The link was the other machine's: here it leads to another file, or nowhere.
      return kRecorded;
    }
    if (avoid_.includes(BlockClass::kFileSystem)) {
      return kAvoided;
    }
    const Waiting waiting(watch_, BlockClass::kFileSystem);
    return file_facts(directory_.get(), name, facts);
  }

  /// What could not be looked at may be what is searched for, so it stays, with its fault.
  [[nodiscard]] bool matches(int code, const FileFacts& facts) const {
    return plan_.inodes.empty() || code != 0 || plan_.inodes.contains(facts.ino);
  }

  void put_path(FileRow& row, std::string_view path) {
    if (wants(FileField::kPath)) {
      row.path = draft_.files.put(path);
      row.present |= bit(FileField::kPath);
    }
  }

  void put_facts(int code, const FileFacts& facts) {
    if (code == kAvoided) {
      fail(FileField::kStat, avoid_.why, Call::kStat, 0);
    } else if (code == kRecorded) {
      fail(FileField::kStat, FaultKind::kUnsupported, Call::kStat, 0);
    } else if (code > 0) {
      fail(FileField::kStat, kind_of_errno(code), Call::kStat, code);
    } else if (code == 0) {
      FileRow& row = draft_.files.rows.back();
      row.dev = facts.dev;
      row.ino = facts.ino;
      row.rdev = facts.rdev;
      row.mode = facts.mode;
      row.size = static_cast<double>(facts.size);
      row.nlink = static_cast<double>(facts.nlink);
      row.present |= bit(FileField::kStat);
    }
  }

  void read_descriptors() {
    if (!wants(FileRole::kFd)) {
      return;
    }
    const OwnedFd folder = open_directory(directory_.get(), "fd");
    std::vector<int32_t> fds;
    const int code = folder.valid() ? list_numbers(folder.get(), ".", fds) : errno;
    if (code != 0) {
      if (code != ENOENT && code != ESRCH) {
        add_refused(FileRole::kFd, kind_of_errno(code), Call::kGetdents, code);
      }
      return;
    }
    shows_anything_ |= !fds.empty();
    for (const int32_t fd : fds) {
      if (is_ours(fd, folder.get())) {
        continue;
      }
      if (full()) {
        add_refused(FileRole::kFd, FaultKind::kLimit, Call::kGetdents, 0);
        return;
      }
      watch_.still_here();
      read_descriptor(folder.get(), fd);
    }
  }

  /// A process that looks at itself would see the descriptors that it looks with.
  [[nodiscard]] bool is_ours(int32_t fd, int folder) const {
    return pid_ == self_ && (fd == root_.fd || fd == directory_.get() || fd == folder);
  }

  /// The inode that stat gave, and the one that stands in fdinfo (Linux 5.14); both 0 where one of
  /// them was not seen.
  struct Inodes {
    uint64_t stat = 0;
    uint64_t info = 0;
    bool operator==(const Inodes&) const = default;
  };

  /// Two files that take turns at one number must not become one row: what is not of one piece is
  /// read again. On some file systems the inodes always differ, and then always in the same way.
  void read_descriptor(int folder, int32_t fd) {
    constexpr int kMostTries = 3;
    const FilesDraft::End before = draft_.end();
    const Inodes first = try_descriptor(folder, fd);
    Inodes last = first;
    bool steady = true;
    for (int tries = 1; last.stat != last.info; ++tries) {
      if (tries == kMostTries) {
        if (!steady) {
          draft_.locks.rows.resize(before.locks);
          keep_path_only();
        }
        return;
      }
      draft_.cut_back(before);
      last = try_descriptor(folder, fd);
      steady = steady && last == first;
    }
  }

  /// The file behind the number was another one at each call.
  void keep_path_only() {
    draft_.files.rows.back().present &= bit(FileField::kPath);
    for (const FileField field : {FileField::kInfo, FileField::kStat, FileField::kLocks}) {
      if (wants(field)) {
        fail(field, FaultKind::kGone, Call::kStat, 0);
      }
    }
  }

  /// Adds a row; answers both inodes where both are known.
  Inodes try_descriptor(int folder, int32_t fd) {
    const std::string name = std::to_string(fd);
    FileFacts facts;
    const int facts_code = facts_of(("fd/" + name).c_str(), facts);
    if (facts_code == ENOENT || !matches(facts_code, facts)) {
      return {};  // Closed since the list was made, or not what is searched for.
    }
    const Bytes link = thread_buffer().read_link(folder, name.c_str());
    if (!link.ok()) {
      if (link.code == ENOENT || link.code == ESRCH) {
        return {};
      }
      add(FileRole::kFd, fd);
      fail(FileField::kPath, kind_of_errno(link.code), link.call, link.code);
    } else {
      put_path(add(FileRole::kFd, fd), link.data);
    }
    put_facts(facts_code, facts);
    if (!wants(FileField::kInfo) && !wants(FileField::kLocks)) {
      return {};
    }
    const std::optional<uint64_t> ino = read_info(fd, name);
    return facts_code == 0 && ino ? Inodes{facts.ino, *ino} : Inodes{};
  }

  /// Answers the inode that stands there.
  std::optional<uint64_t> read_info(int32_t fd, const std::string& name) {
    const Bytes bytes = thread_buffer().read_file(directory_.get(), ("fdinfo/" + name).c_str(),
                                                  kInfoLimit, Ending::kEmptyRead);
    if (!bytes.ok()) {
      const FileField field = wants(FileField::kInfo) ? FileField::kInfo : FileField::kLocks;
      fail(field, kind_of_errno(bytes.code), bytes.call, bytes.code);
      return {};
    }
    // Of what was cut the last line is not whole. Locks stand in front of what can be so long.
    const FdInfo info = parse_fdinfo(bytes.data.substr(
        0, bytes.truncated ? bytes.data.rfind('\n') + 1 : std::string_view::npos));
    if (wants(FileField::kInfo)) {
      put_info(info, bytes.truncated);
    }
    if (wants(FileField::kLocks)) {
      put_locks(info, fd);
    }
    return info.ino;
  }

  void put_info(const FdInfo& info, bool truncated) {
    FileRow& row = draft_.files.rows.back();
    row.offset = info.offset.value_or(0);
    row.flags = info.flags.value_or(0);
    row.mount_id = info.mount_id.value_or(-1);
    row.details = draft_.files.put(info.details);
    row.present |= info.flags ? bit(FileField::kInfo) : 0;
    if (truncated) {
      fail(FileField::kInfo, FaultKind::kTruncated, Call::kRead, 0);
    }
  }

  void put_locks(const FdInfo& info, int32_t fd) {
    draft_.files.rows.back().present |= bit(FileField::kLocks);
    for (const std::string_view text : info.locks) {
      if (auto line = parse_lock(text)) {
        line->row.holder = pid_;
        line->row.fd = fd;
        add_lock(draft_.locks, *line);
      } else {
        fail(FileField::kLocks, FaultKind::kMalformed, Call::kParse, 0);
      }
    }
  }

  void read_maps() {
    if (!wants(FileRole::kMap) || full()) {
      return;
    }
    if (avoid_.includes(BlockClass::kMemoryMap)) {
      add_refused(FileRole::kMap, avoid_.why, Call::kRead, 0);
      return;
    }
    Bytes bytes;
    {
      const Waiting waiting(watch_, BlockClass::kMemoryMap);
      bytes = thread_buffer().read_file(directory_.get(), "maps", kMapsLimit, Ending::kEmptyRead,
                                        &watch_);
    }
    shows_anything_ |= bytes.ok() && !bytes.data.empty();
    if (!bytes.ok()) {
      if (bytes.code != ENOENT && bytes.code != ESRCH) {
        add_refused(FileRole::kMap, kind_of_errno(bytes.code), bytes.call, bytes.code);
      }
      return;
    }
    take_maps(bytes);
  }

  void take_maps(const Bytes& bytes) {
    // One file is mapped in several pieces; it is one row.
    std::set<std::tuple<uint32_t, uint32_t, uint64_t>> seen;
    std::string_view rest = bytes.data;
    while (!rest.empty() && !full()) {
      const size_t end = rest.find('\n');
      const auto mapped = parse_mapping(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (!mapped || (!plan_.inodes.empty() && !plan_.inodes.contains(mapped->ino)) ||
          !seen.insert({mapped->major, mapped->minor, mapped->ino}).second) {
        continue;
      }
      FileRow& row = add(FileRole::kMap, -1);
      row.dev = makedev(mapped->major, mapped->minor);
      row.ino = mapped->ino;
      put_path(row, unescape_newlines(mapped->path));
    }
    if (bytes.truncated || !rest.empty()) {
      add_refused(FileRole::kMap, FaultKind::kLimit, Call::kRead, 0);
    }
  }

  const FilesRoot root_;
  const int32_t self_;
  const int32_t pid_;
  const FilesPlan& plan_;
  const Avoid& avoid_;
  FilesDraft& draft_;
  Watch& watch_;
  OwnedFd directory_;
  int code_ = 0;
  /// Whether the process, as the directory shows it, has anything at all: also what is not of use.
  bool shows_anything_ = false;
};

}  // namespace

RowOutcome read_process_files(const FilesRoot& root, int32_t pid, const FilesPlan& plan,
                              const Avoid& avoid, FilesDraft& draft, Watch& watch) {
  const RowOutcome outcome = ProcessFiles(root, pid, plan, avoid, draft, watch).read();
  thread_buffer().shrink();
  return outcome;
}

}  // namespace procscope::linux_os
