// The reader of Linux on roots that are made here: what a hostile or foreign root can hold.
#if defined(PROCSCOPE_PLATFORM_LINUX)

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "poll/look.h"
#include "poll/snapshot.h"

namespace procscope {

namespace {

namespace fs = std::filesystem;

/// A folder of this test's own, gone with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "procscope-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }

 private:
  fs::path path_;
};

std::string stat_of(int pid, const std::string& comm, const std::string& start) {
  return std::to_string(pid) + " (" + comm + ") S 1 " + std::to_string(pid) +
         " 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 " + start + " 4096 1 0\n";
}

ProcessTable look_at_root(const fs::path& root, FieldMask fields,
                          std::vector<std::string> env_keys = {}) {
  SnapshotRequest request;
  request.reader.root = root.string();
  request.reader.env_keys = std::move(env_keys);
  request.fields = fields;
  return take_snapshot(request);
}

const ProcessRow* row_of(const ProcessTable& table, int32_t pid) {
  for (const ProcessRow& row : table.rows) {
    if (row.pid == pid) {
      return &row;
    }
  }
  return nullptr;
}

FaultKind fault_of(const ProcessTable& table, int32_t pid, Field field) {
  for (const RowFault& fault : table.row_faults) {
    if (table.rows.at(fault.row).pid == pid && fault.field == static_cast<uint8_t>(field)) {
      return fault.kind;
    }
  }
  return FaultKind::kNone;
}

FileAnswer look(FileOp op, const fs::path& path, uint32_t limit = 64, bool follow = true) {
  FileRequest request;
  request.op = op;
  request.path = path.string();
  request.limit = limit;
  request.follow = follow;
  return look_at_files({request}, std::chrono::milliseconds(1000)).at(0);
}

std::vector<std::string> names(const FileAnswer& answer) {
  std::vector<std::string> out;
  for (const FileEntry& entry : answer.entries) {
    out.push_back(entry.name);
  }
  return out;
}

}  // namespace

TEST_CASE("linux: a recorded root, its boot and its rows") {
  const Folder root;
  root.write("stat", "cpu 1\nbtime 1700000000\n");
  root.write("sys/kernel/random/boot_id", "ead8dd32-a9b4-4226-ada3-8458e529626d\n");
  root.write("7/stat", stat_of(7, "a) b", "250"));
  root.write("7/cmdline", std::string("prog\0two words\0\0", 16));
  root.write("7/environ", std::string("HOME=/h\0SECRET=s\0", 17));
  root.write("7/status", "Name:\ta\nUid:\t5\t6\t7\t8\nGid:\t1\t2\t3\t4\nNSpid:\t7\t1\n");
  root.write("7/cgroup", "0::/x\n");
  fs::create_symlink("/bin/prog", root.path() / "7/exe");
  fs::create_symlink("/work dir", root.path() / "7/cwd");

  const ProcessTable table = look_at_root(root.path(), kAllFields, {"HOME"});
  CHECK(table.faults.empty());
  CHECK(table.boot_id == "ead8dd32-a9b4-4226-ada3-8458e529626d");
  REQUIRE(table.rows.size() == 1);
  const ProcessRow& row = table.rows[0];
  CHECK(table.text(row.name) == "a) b");
  CHECK(row.start_key == 250);
  CHECK(row.start_time == 1700000002500.0);
  CHECK(table.text(row.argv) == std::string_view("prog\0two words\0\0", 16));
  CHECK(table.text(row.env) == std::string_view("=/h\0", 4));
  CHECK(table.blob.find("SECRET") == std::string::npos);
  CHECK(table.text(row.exe) == "/bin/prog");
  CHECK(table.text(row.cwd) == "/work dir");
  CHECK(row.uid == 5);
  CHECK(row.euid == 6);
  CHECK(table.text(row.cgroup) == "0::/x\n");
  // The ids of another machine mean nothing to this one's name service.
  CHECK(fault_of(table, 7, Field::kUser) == FaultKind::kUnsupported);
  CHECK(fault_of(table, 7, Field::kPidNamespace) == FaultKind::kGone);
}

TEST_CASE("linux: a root that is missing, empty, no directory") {
  const Folder folder;
  const ProcessTable missing = look_at_root(folder.path() / "none", kStatFields);
  REQUIRE(missing.faults.size() == 1);
  CHECK(missing.faults[0].kind == FaultKind::kGone);
  CHECK(missing.faults[0].call == Call::kOpen);

  const ProcessTable empty = look_at_root(folder.path(), kStatFields);
  REQUIRE(empty.faults.size() == 1);
  CHECK(empty.faults[0].kind == FaultKind::kMalformed);

  folder.write("file", "x");
  const ProcessTable file = look_at_root(folder.path() / "file", kStatFields);
  REQUIRE(file.faults.size() == 1);
  CHECK(file.faults[0].kind == FaultKind::kIo);
}

TEST_CASE("linux: a root full of junk gives faults on rows, and only on them") {
  const Folder root;
  root.write("5/stat", stat_of(5, "good", "10"));
  root.write("6/stat", "not a stat file");
  root.write("8/stat", stat_of(9, "another pid", "10"));
  root.write("10/stat", "");
  root.write("11/stat", std::string(3 << 20, 'x'));
  root.write("12", "a file, no directory");
  root.write("013/stat", stat_of(13, "leading zero", "1"));
  root.write("99999999999/stat", stat_of(1, "too large", "1"));
  fs::create_directories(root.path() / "14/stat");
  fs::create_directories(root.path() / "15");
  REQUIRE(::mkfifo((root.path() / "15/stat").c_str(), 0600) == 0);
  fs::create_directories(root.path() / "16");
  fs::create_symlink("stat", root.path() / "16/stat");
  fs::create_directories(root.path() / "17");
  fs::create_symlink("/dev/zero", root.path() / "17/stat");
  fs::create_directories(root.path() / "18");

  const ProcessTable table = look_at_root(root.path(), kStatFields | bit(Field::kCwd));
  CHECK(table.faults.empty());
  REQUIRE(row_of(table, 5) != nullptr);
  CHECK(table.text(row_of(table, 5)->name) == "good");
  for (const int32_t pid : {6, 8, 10, 11, 15, 17}) {
    CAPTURE(pid);
    REQUIRE(row_of(table, pid) != nullptr);
    CHECK((row_of(table, pid)->present & kStatFields) == 0);
    CHECK(fault_of(table, pid, Field::kName) == FaultKind::kMalformed);
  }
  for (const int32_t pid : {14, 16}) {
    CAPTURE(pid);
    CHECK(fault_of(table, pid, Field::kName) == FaultKind::kIo);
  }
  for (const int32_t pid : {12, 13, 18}) {
    CHECK(row_of(table, pid) == nullptr);
  }
}

TEST_CASE("linux: what is longer than the limit is cut and says so") {
  const Folder root;
  root.write("7/stat", stat_of(7, "a", "1"));
  root.write("7/cmdline", std::string(5000, 'a'));
  root.write("7/environ", "A=1" + std::string(1, '\0') + "B=" + std::string(5000, 'b'));
  SnapshotRequest request;
  request.reader.root = root.path().string();
  request.reader.max_field_bytes = 1000;
  request.reader.env_keys = {"A", "B"};
  request.fields = mask_of(Field::kArgv, Field::kEnv);
  const ProcessTable table = take_snapshot(request);
  REQUIRE(table.rows.size() == 1);
  CHECK(table.text(table.rows[0].argv) == std::string(1000, 'a'));
  CHECK(fault_of(table, 7, Field::kArgv) == FaultKind::kTruncated);
  CHECK(table.text(table.rows[0].env) == std::string_view("=1\0?\0", 5));
}

TEST_CASE("look: stat, realpath, read and list of files") {
  const Folder folder;
  folder.write("d/file", "0123456789");
  fs::create_symlink("d/file", folder.path() / "link");
  fs::create_symlink("loop", folder.path() / "loop");

  const FileAnswer link = look(FileOp::kStat, folder.path() / "link", 0, false);
  REQUIRE(link.ok());
  CHECK((link.stat.mode & S_IFMT) == S_IFLNK);
  CHECK(look(FileOp::kStat, folder.path() / "link").stat.size == 10);
  CHECK(look(FileOp::kRealpath, folder.path() / "link").realpath ==
        fs::canonical(folder.path() / "d/file").string());
  CHECK(look(FileOp::kRead, folder.path() / "link").bytes == "0123456789");
  CHECK_FALSE(look(FileOp::kRead, folder.path() / "link").truncated);

  const FileAnswer cut = look(FileOp::kRead, folder.path() / "d/file", 4);
  CHECK(cut.bytes == "0123");
  CHECK(cut.truncated);
  const FileAnswer exact = look(FileOp::kRead, folder.path() / "d/file", 10);
  CHECK(exact.bytes == "0123456789");
  CHECK_FALSE(exact.truncated);

  CHECK(names(look(FileOp::kList, folder.path() / "d")) == std::vector<std::string>{"file"});
  CHECK(look(FileOp::kList, folder.path(), 1).truncated);
  CHECK(look(FileOp::kStat, folder.path() / "none").fault.kind == FaultKind::kGone);
  CHECK(look(FileOp::kStat, folder.path() / "loop").fault.kind == FaultKind::kIo);
  CHECK_FALSE(look(FileOp::kRead, folder.path() / "link", 64, false).ok());
}

TEST_CASE("look: a list tells the status of each entry, of a link its own") {
  const Folder folder;
  folder.write("d/file", "0123456789");
  fs::create_symlink("/nowhere", folder.path() / "d/link");
  FileRequest request;
  request.op = FileOp::kList;
  request.path = (folder.path() / "d").string();
  request.limit = 64;
  request.entry_stats = true;
  FileAnswer answer = look_at_files({request}, std::chrono::milliseconds(1000)).at(0);
  REQUIRE(answer.ok());
  CHECK(answer.entry_stats);
  CHECK(answer.has_stat);
  CHECK((answer.stat.mode & S_IFMT) == S_IFDIR);
  REQUIRE(answer.entries.size() == 2);
  std::sort(answer.entries.begin(), answer.entries.end(),
            [](const FileEntry& a, const FileEntry& b) { return a.name < b.name; });
  const FileStat file = look(FileOp::kStat, folder.path() / "d/file").stat;
  CHECK(answer.entries[0].has_stat);
  CHECK(answer.entries[0].stat.size == 10);
  CHECK(answer.entries[0].stat.ino == file.ino);
  CHECK(answer.entries[0].stat.mtime == file.mtime);
  CHECK(answer.entries[0].stat.uid == ::getuid());
  CHECK((answer.entries[1].stat.mode & S_IFMT) == S_IFLNK);
}

TEST_CASE("look: a path that was resolved before is opened through no link") {
  const Folder folder;
  folder.write("d/file", "inside");
  fs::create_directory_symlink("d", folder.path() / "link");
  const auto without_links = [&](FileOp op, const char* path) {
    FileRequest request;
    request.op = op;
    request.path = (fs::canonical(folder.path()) / path).string();
    request.limit = 64;
    request.no_links = true;
    return look_at_files({request}, std::chrono::milliseconds(1000)).at(0);
  };
  CHECK(without_links(FileOp::kRead, "d/file").bytes == "inside");
  CHECK(names(without_links(FileOp::kList, "d")) == std::vector<std::string>{"file"});
  CHECK(without_links(FileOp::kRead, "link/file").fault.kind == FaultKind::kIo);
  CHECK(without_links(FileOp::kList, "link").fault.kind == FaultKind::kIo);
}

TEST_CASE("look: a range of a file, and its end") {
  const Folder folder;
  folder.write("file", "0123456789");
  const auto read = [&](uint64_t offset, uint32_t limit, bool from_end) {
    FileRequest request;
    request.op = FileOp::kRead;
    request.path = (folder.path() / "file").string();
    request.offset = offset;
    request.limit = limit;
    request.from_end = from_end;
    return look_at_files({request}, std::chrono::milliseconds(1000)).at(0);
  };
  CHECK(read(3, 4, false).bytes == "3456");
  CHECK(read(3, 4, false).offset == 3);
  CHECK(read(8, 4, false).bytes == "89");
  CHECK_FALSE(read(8, 4, false).truncated);
  CHECK(read(7, 4, true).bytes == "6789");
  CHECK(read(7, 4, true).offset == 6);
  CHECK(read(0, 4, true).truncated);
  CHECK(read(0, 10, true).bytes == "0123456789");
  CHECK_FALSE(read(0, 10, true).truncated);
  CHECK(read(0, 64, true).offset == 0);
  CHECK(read(0, 0, true).bytes.empty());

  // A hole of a terabyte costs what was asked for.
  fs::resize_file(folder.path() / "file", 1ULL << 40);
  const FileAnswer end = read(0, 64, true);
  CHECK(end.bytes == std::string(64, '\0'));
  CHECK(end.offset == (1ULL << 40) - 64);
  CHECK(end.bytes.capacity() < 1 << 16);
}

TEST_CASE("look: what is no regular file is refused without waiting for it") {
  const Folder folder;
  const fs::path fifo = folder.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(look(FileOp::kRead, fifo).fault.kind == FaultKind::kUnsupported);
  CHECK(look(FileOp::kRead, "/dev/zero").fault.kind == FaultKind::kUnsupported);
  CHECK(look(FileOp::kRead, folder.path()).fault.kind == FaultKind::kUnsupported);
}

TEST_CASE("look: below another root, no link leads out") {
  const Folder folder;
  folder.write("outside/secret", "secret");
  folder.write("root/inside/file", "inside");
  const fs::path root = folder.path() / "root";
  fs::create_symlink("/inside", root / "absolute");
  fs::create_symlink("../../outside", root / "up");
  fs::create_symlink(folder.path() / "outside", root / "out");
  const auto below = [&](FileOp op, const char* path) {
    FileRequest request;
    request.op = op;
    request.root = root.string();
    request.path = path;
    request.limit = 64;
    return look_at_files({request}, std::chrono::milliseconds(1000)).at(0);
  };
  CHECK(below(FileOp::kRead, "/absolute/file").bytes == "inside");
  CHECK(below(FileOp::kRead, "inside/file").bytes == "inside");
  CHECK(below(FileOp::kRealpath, "/absolute/file").realpath ==
        fs::canonical(root / "inside/file").string());
  CHECK(below(FileOp::kStat, "/absolute").has_stat);
  CHECK(names(below(FileOp::kList, "/absolute")) == std::vector<std::string>{"file"});
  for (const char* path : {"/up/secret", "/out/secret", "/../outside/secret"}) {
    CHECK(below(FileOp::kRead, path).fault.kind == FaultKind::kGone);
  }
}

TEST_CASE("look: an offset behind the end gives no bytes and no fault") {
  const Folder folder;
  folder.write("file", "abc");
  FileRequest request;
  request.op = FileOp::kRead;
  request.path = (folder.path() / "file").string();
  request.offset = 100;
  request.limit = 10;
  const FileAnswer answer = look_at_files({request}, std::chrono::milliseconds(1000)).at(0);
  CHECK(answer.ok());
  CHECK(answer.bytes.empty());
}

}  // namespace procscope

#endif
