// The files that processes hold, from procfs.
//
// Calls that can wait for ever, and what guards them (each is inside a Waiting mark):
//   statx through fd/N, cwd, root, exe   a network file system on the way BlockClass::kFileSystem
//   read of maps                         the target's memory-map lock BlockClass::kMemoryMap
// readlink of the links does not wait for a file system, but on kernels since 2026 for an exec of
// the target that is stuck: then the process as a whole is given up. fdinfo waits for nobody.
#include "platform/descriptors.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>
#include <tuple>

#include "parse/fdinfo.h"
#include "parse/locks.h"
#include "parse/maps.h"
#include "platform/linux/facts.h"
#include "platform/linux/io.h"
#include "platform/linux/root.h"

namespace procscope::linux_os {

namespace {

constexpr size_t kInfoLimit = 1 << 22;
constexpr size_t kMapsLimit = size_t{1} << 26;

Buffer& thread_buffer() {
  thread_local Buffer buffer;
  return buffer;
}

void add_lock(Table<LockRow>& locks, const LockLine& line) {
  locks.rows.push_back(line.row);
  locks.rows.back().state = locks.put(line.state);
}

/// Reads the files of one process. Lives for one read() on one thread.
class ProcessFiles {
 public:
  ProcessFiles(int root, int32_t pid, const FilesPlan& plan, const Avoid& avoid, FilesDraft& draft,
               Watch& watch)
      : root_(root),
        self_(::getpid()),
        pid_(pid),
        plan_(plan),
        avoid_(avoid),
        draft_(draft),
        watch_(watch) {
    directory_ = open_directory(root, std::to_string(pid).c_str());
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
    read_link_of(FileRole::kCwd, "cwd");
    read_link_of(FileRole::kRoot, "root");
    read_link_of(FileRole::kExe, "exe");
    read_descriptors();
    read_maps();
    return RowOutcome::kRow;
  }

 private:
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
    if (facts_code == ENOENT || !matches(facts_code, facts)) {
      return;  // Kernel threads and zombies have no such link.
    }
    const Bytes link = thread_buffer().read_link(directory_.get(), name);
    if (!link.ok()) {
      if (link.code != ENOENT && link.code != ESRCH) {
        add_refused(role, kind_of_errno(link.code), link.call, link.code);
      }
      return;
    }
    put_path(add(role, -1), link.data);
    put_facts(facts_code, facts);
  }

  /// 0, an errno, or kAvoided; asks nothing where neither a field nor a filter needs it.
  static constexpr int kAvoided = -1;
  static constexpr int kNotAsked = -2;
  int facts_of(const char* name, FileFacts& facts) {
    if (!wants(FileField::kStat) && plan_.inodes.empty()) {
      return kNotAsked;
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
    for (const int32_t fd : fds) {
      if (is_ours(fd, folder.get())) {
        continue;
      }
      if (full()) {
        add_refused(FileRole::kFd, FaultKind::kLimit, Call::kGetdents, 0);
        return;
      }
      read_descriptor(folder.get(), fd);
    }
  }

  /// A process that looks at itself would see the descriptors that it looks with.
  [[nodiscard]] bool is_ours(int32_t fd, int folder) const {
    return pid_ == self_ && (fd == root_ || fd == directory_.get() || fd == folder);
  }

  void read_descriptor(int folder, int32_t fd) {
    const std::string name = std::to_string(fd);
    FileFacts facts;
    const int facts_code = facts_of(("fd/" + name).c_str(), facts);
    if (facts_code == ENOENT || !matches(facts_code, facts)) {
      return;  // Closed since the list was made, or not what is searched for.
    }
    const Bytes link = thread_buffer().read_link(folder, name.c_str());
    if (!link.ok()) {
      if (link.code == ENOENT || link.code == ESRCH) {
        return;
      }
      add(FileRole::kFd, fd);
      fail(FileField::kPath, kind_of_errno(link.code), link.call, link.code);
    } else {
      put_path(add(FileRole::kFd, fd), link.data);
    }
    put_facts(facts_code, facts);
    if (wants(FileField::kInfo) || wants(FileField::kLocks)) {
      read_info(fd, name);
    }
  }

  void read_info(int32_t fd, const std::string& name) {
    const Bytes bytes = thread_buffer().read_file(directory_.get(), ("fdinfo/" + name).c_str(),
                                                  kInfoLimit, Ending::kEmptyRead);
    if (!bytes.ok()) {
      const FileField field = wants(FileField::kInfo) ? FileField::kInfo : FileField::kLocks;
      fail(field, kind_of_errno(bytes.code), bytes.call, bytes.code);
      return;
    }
    const FdInfo info = parse_fdinfo(bytes.data);
    FileRow& row = draft_.files.rows.back();
    if (wants(FileField::kInfo)) {
      row.offset = info.offset.value_or(0);
      row.flags = info.flags.value_or(0);
      row.mount_id = info.mount_id.value_or(-1);
      row.details = draft_.files.put(info.details);
      row.present |= info.flags ? bit(FileField::kInfo) : 0;
    }
    if (!wants(FileField::kLocks)) {
      return;
    }
    row.present |= bit(FileField::kLocks);
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
      bytes = thread_buffer().read_file(directory_.get(), "maps", kMapsLimit, Ending::kEmptyRead);
    }
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
      put_path(row, unescape_octal(mapped->path));
    }
    if (bytes.truncated || !rest.empty()) {
      add_refused(FileRole::kMap, FaultKind::kLimit, Call::kRead, 0);
    }
  }

  const int root_;
  const int32_t self_;
  const int32_t pid_;
  const FilesPlan& plan_;
  const Avoid& avoid_;
  FilesDraft& draft_;
  Watch& watch_;
  OwnedFd directory_;
  int code_ = 0;
};

class LinuxDescriptorReader final : public DescriptorReader {
 public:
  explicit LinuxDescriptorReader(ReaderOptions options) : root_(std::move(options.root)) {}

  Result<std::monostate> prepare(Watch& watch) override { return root_.open(watch); }
  bool may_wait() const override { return !root_.live(); }

  Result<std::monostate> list(std::vector<int32_t>& pids, Watch& watch) const override {
    return root_.list(pids, watch);
  }

  RowOutcome read(int32_t pid, const FilesPlan& plan, const Avoid& avoid, FilesDraft& draft,
                  Watch& watch) const override {
    draft.clear();
    const auto waiting = root_.guard(watch);
    const RowOutcome outcome = ProcessFiles(root_.fd(), pid, plan, avoid, draft, watch).read();
    thread_buffer().shrink();
    return outcome;
  }

  Result<std::monostate> read_locks(Table<LockRow>& locks, Watch& watch) const override {
    const auto waiting = root_.guard(watch);
    const Bytes bytes =
        thread_buffer().read_file(root_.fd(), "locks", kMapsLimit, Ending::kEmptyRead);
    const std::string path = root_.path() + "/locks";
    if (!bytes.ok()) {
      return Fault{kind_of_errno(bytes.code), bytes.code, bytes.call, path};
    }
    std::string_view rest = bytes.data;
    while (!rest.empty()) {
      const size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (const auto lock = parse_lock(line)) {
        add_lock(locks, *lock);
      } else if (!line.empty()) {
        locks.faults.push_back({FaultKind::kMalformed, 0, Call::kParse, path});
      }
    }
    if (bytes.truncated) {
      locks.faults.push_back({FaultKind::kTruncated, 0, Call::kRead, path});
    }
    return std::monostate{};
  }

 private:
  ProcRoot root_;
};

}  // namespace

}  // namespace procscope::linux_os

namespace procscope {

std::unique_ptr<DescriptorReader> make_descriptor_reader(ReaderOptions options) {
  return std::make_unique<linux_os::LinuxDescriptorReader>(std::move(options));
}

}  // namespace procscope
