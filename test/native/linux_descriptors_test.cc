// What processes hold, read by the readers of Linux from this very process and from roots that are
// made here.
#if defined(PROCSCOPE_PLATFORM_LINUX)

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/owned.h"
#include "platform/descriptors.h"
#include "platform/sockets.h"
#include "poll/files.h"

namespace procscope {

namespace {

namespace fs = std::filesystem;

constexpr FieldMask kEveryField =
    bit(FileField::kPath) | bit(FileField::kInfo) | bit(FileField::kStat) | bit(FileField::kLocks);

/// A recorded root of process 7, gone with the test.
class Record {
 public:
  Record() {
    std::string name = (fs::temp_directory_path() / "procscope-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root = name;
    fs::create_directories(root / "7/fd");
    fs::create_directories(root / "7/fdinfo");
  }
  ~Record() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  void descriptor(int fd, const std::string& link, const std::string& info) const {
    fs::create_symlink(link, root / "7/fd" / std::to_string(fd));
    std::ofstream(root / "7/fdinfo" / std::to_string(fd), std::ios::binary) << info;
  }

  [[nodiscard]] FilesAnswer files(size_t max_rows = 100) const {
    FilesRequest request;
    request.root = root.string();
    request.plan.fields = kEveryField;
    request.plan.roles = bit(FileRole::kFd);
    request.max_rows = max_rows;
    request.plan.max_rows = static_cast<uint32_t>(max_rows);
    // Nothing here hangs, but under a sanitizer on a busy machine much is slow.
    request.deadline = std::chrono::minutes(1);
    return read_files(request);
  }

  fs::path root;
};

/// Descriptors of this process; closed at the end.
std::vector<OwnedFd> many_descriptors(size_t count) {
  std::vector<OwnedFd> fds;
  for (size_t i = 0; i < count; ++i) {
    fds.emplace_back(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    REQUIRE(fds.back().valid());
  }
  return fds;
}

std::string_view text_of(const Table<FileRow>& table, TextRef text) {
  return std::string_view(table.blob).substr(text.offset, text.length);
}

FaultKind fault_of(const Table<FileRow>& table, uint32_t row, FileField field) {
  const auto found =
      std::find_if(table.row_faults.begin(), table.row_faults.end(), [&](const RowFault& fault) {
        return fault.row == row && fault.field == static_cast<uint8_t>(field);
      });
  return found == table.row_faults.end() ? FaultKind::kNone : found->kind;
}

}  // namespace

TEST_CASE("descriptors: each one is a sign of life, whatever is read of it") {
  const std::vector<OwnedFd> held = many_descriptors(200);
  const auto reader = make_descriptor_reader({"/proc", {}, 0});
  Watch watch;
  REQUIRE(reader->prepare(watch).ok());
  for (const FieldMask fields : {bit(FileField::kPath), bit(FileField::kInfo), kEveryField}) {
    FilesPlan plan;
    plan.fields = fields;
    plan.roles = bit(FileRole::kFd);
    FilesDraft draft;
    const uint64_t before = watch.beat() >> 8;
    CHECK(reader->read(::getpid(), plan, {}, draft, watch) == RowOutcome::kRow);
    CHECK(draft.files.rows.size() >= held.size());
    CHECK((watch.beat() >> 8) - before >= held.size());
  }
}

TEST_CASE("descriptors: each one is a sign of life when owners of sockets are looked for") {
  const std::vector<OwnedFd> held = many_descriptors(200);
  const auto reader = make_socket_reader({});
  Watch watch;
  REQUIRE(reader->prepare(watch).ok());
  std::vector<SocketDescriptor> found;
  const uint64_t before = watch.beat() >> 8;
  CHECK(reader->descriptors(::getpid(), found, watch).kind == FaultKind::kNone);
  CHECK(found.size() >= held.size());
  CHECK((watch.beat() >> 8) - before >= held.size());
}

TEST_CASE("descriptors: files that take turns at one number never become one row") {
  const OwnedFd turning(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::atomic<bool> over{false};
  std::thread turns([&] {
    while (!over) {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) == 0) {
        ::dup3(ends[0], turning.get(), O_CLOEXEC);
        ::close(ends[0]);
        ::close(ends[1]);
      }
    }
  });
  const auto reader = make_descriptor_reader({"/proc", {}, 0});
  Watch watch;
  const bool ready = reader->prepare(watch).ok();
  FilesPlan plan;
  plan.fields = kEveryField;
  plan.roles = bit(FileRole::kFd);
  size_t seen = 0;
  size_t mixed = 0;
  for (int look = 0; ready && look < 1000; ++look) {
    FilesDraft draft;
    reader->read(::getpid(), plan, {}, draft, watch);
    for (const FileRow& row : draft.files.rows) {
      const std::string_view path = text_of(draft.files, row.path);
      if (row.fd == turning.get() && path.starts_with("pipe:")) {
        const bool has_stat = (row.present & bit(FileField::kStat)) != 0;
        ++seen;
        mixed += has_stat && path != "pipe:[" + std::to_string(row.ino) + "]" ? 1 : 0;
      }
    }
  }
  over = true;
  turns.join();
  CHECK(seen > 500);
  CHECK(mixed == 0);
}

TEST_CASE("descriptors: in a recorded root no link is followed, and none is lost") {
  const Record record;
  record.descriptor(3, "pipe:[77]", "pos:\t0\nflags:\t02\nmnt_id:\t1\nino:\t77\n");
  // Here this is a file of our own machine, which is not the one that was recorded.
  record.descriptor(4, "/proc/self/exe", "pos:\t5\nflags:\t02\nmnt_id:\t1\nino:\t9\n");
  const FilesAnswer answer = record.files();
  REQUIRE(answer.files.rows.size() == 2);
  for (uint32_t row = 0; row < 2; ++row) {
    CHECK((answer.files.rows[row].present & bit(FileField::kStat)) == 0);
    CHECK(fault_of(answer.files, row, FileField::kStat) == FaultKind::kUnsupported);
    CHECK((answer.files.rows[row].present & bit(FileField::kInfo)) != 0);
  }
}

TEST_CASE("descriptors: fdinfo that is too long is cut at a line, and says so") {
  const Record record;
  const std::string line = "inotify wd:1 ino:2 sdev:3 mask:4\n";
  std::string info = "pos:\t0\nflags:\t02\nmnt_id:\t1\n";
  while (info.size() < size_t{5} << 20) {
    info += line;
  }
  record.descriptor(3, "anon_inode:inotify", info);
  const FilesAnswer answer = record.files();
  REQUIRE(answer.files.rows.size() == 1);
  CHECK(fault_of(answer.files, 0, FileField::kInfo) == FaultKind::kTruncated);
  const std::string_view details = text_of(answer.files, answer.files.rows[0].details);
  CHECK(details.size() > size_t{3} << 20);
  CHECK(details.ends_with(line));
}

TEST_CASE("descriptors: a process with more rows than there is room for gives the first of them") {
  const Record record;
  for (int fd = 0; fd < 5; ++fd) {
    record.descriptor(fd, "socket:[" + std::to_string(100 + fd) + "]",
                      "pos:\t0\nflags:\t02\nmnt_id:\t1\nlock:\t1: FLOCK  ADVISORY  WRITE 7 fe:00:" +
                          std::to_string(fd) + " 0 EOF\n");
  }
  const FilesAnswer answer = record.files(3);
  CHECK(answer.files.rows.size() == 3);
  CHECK(answer.locks.rows.size() == 3);
  REQUIRE(answer.files.faults.size() == 1);
  CHECK(answer.files.faults[0].kind == FaultKind::kLimit);
  for (const RowFault& fault : answer.files.row_faults) {
    CHECK(fault.row < 3);
  }
  CHECK(record.files(5).files.rows.size() == 5);
  CHECK(record.files(5).files.faults.empty());
}

TEST_CASE("sockets: a netlink socket that has joined groups is one row") {
  const OwnedFd held(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  REQUIRE(held.valid());
  sockaddr_nl own{};
  own.nl_family = AF_NETLINK;
  own.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR;
  REQUIRE(::bind(held.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0);
  struct stat s {};
  REQUIRE(::fstat(held.get(), &s) == 0);
  const auto reader = make_socket_reader({});
  Watch watch;
  REQUIRE(reader->prepare(watch).ok());
  const SocketBatch batch =
      reader->read({SocketKind::kNetlink, SocketFamily::kNetlink}, 100000, watch);
  CHECK(std::count_if(batch.rows.begin(), batch.rows.end(),
                      [&](const SocketRow& row) { return row.inode == s.st_ino; }) == 1);
}

}  // namespace procscope

#endif
