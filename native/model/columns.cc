#include "model/columns.h"

#include <array>

namespace procscope {

namespace {

constexpr FieldMask kAlways = 0;

const std::array kProcessColumns = {
    Column<ProcessRow>{"pid", kAlways, &ProcessRow::pid},
    Column<ProcessRow>{"present", kAlways, &ProcessRow::present},
    Column<ProcessRow>{"flags", kAlways, &ProcessRow::flags},
    Column<ProcessRow>{"ppid", bit(Field::kPpid), &ProcessRow::ppid},
    Column<ProcessRow>{"pgid", bit(Field::kPgid), &ProcessRow::pgid},
    Column<ProcessRow>{"sid", bit(Field::kSid), &ProcessRow::sid},
    Column<ProcessRow>{"tpgid", bit(Field::kTpgid), &ProcessRow::tpgid},
    Column<ProcessRow>{"ttyDevice", bit(Field::kTty), &ProcessRow::tty_device},
    Column<ProcessRow>{"state", bit(Field::kState), &ProcessRow::state},
    Column<ProcessRow>{"startKey", bit(Field::kStart), &ProcessRow::start_key},
    Column<ProcessRow>{"startTime", bit(Field::kStart), &ProcessRow::start_time},
    Column<ProcessRow>{"threads", bit(Field::kThreads), &ProcessRow::threads},
    Column<ProcessRow>{"priority", bit(Field::kPriority), &ProcessRow::priority},
    Column<ProcessRow>{"nice", bit(Field::kNice), &ProcessRow::nice},
    Column<ProcessRow>{"userCpu", bit(Field::kCpu), &ProcessRow::user_cpu},
    Column<ProcessRow>{"systemCpu", bit(Field::kCpu), &ProcessRow::system_cpu},
    Column<ProcessRow>{"rss", bit(Field::kRss), &ProcessRow::rss},
    Column<ProcessRow>{"vsize", bit(Field::kVsize), &ProcessRow::vsize},
    Column<ProcessRow>{"uid", bit(Field::kUid), &ProcessRow::uid},
    Column<ProcessRow>{"euid", bit(Field::kEuid), &ProcessRow::euid},
    Column<ProcessRow>{"gid", bit(Field::kGid), &ProcessRow::gid},
    Column<ProcessRow>{"egid", bit(Field::kEgid), &ProcessRow::egid},
    Column<ProcessRow>{"exeDev", bit(Field::kExeFile), &ProcessRow::exe_dev},
    Column<ProcessRow>{"exeIno", bit(Field::kExeFile), &ProcessRow::exe_ino},
    Column<ProcessRow>{"pidNamespace", bit(Field::kPidNamespace), &ProcessRow::pid_namespace},
    Column<ProcessRow>{"name", bit(Field::kName), &ProcessRow::name},
    Column<ProcessRow>{"tty", bit(Field::kTty), &ProcessRow::tty},
    Column<ProcessRow>{"user", bit(Field::kUser), &ProcessRow::user},
    Column<ProcessRow>{"argv", bit(Field::kArgv), &ProcessRow::argv},
    Column<ProcessRow>{"exe", bit(Field::kExe), &ProcessRow::exe},
    Column<ProcessRow>{"cwd", bit(Field::kCwd), &ProcessRow::cwd},
    Column<ProcessRow>{"root", bit(Field::kRoot), &ProcessRow::root},
    Column<ProcessRow>{"cgroup", bit(Field::kCgroup), &ProcessRow::cgroup},
    Column<ProcessRow>{"env", bit(Field::kEnv), &ProcessRow::env},
    Column<ProcessRow>{"nspid", bit(Field::kNspid), &ProcessRow::nspid},
};

constexpr FieldMask kPath = bit(FileField::kPath);
constexpr FieldMask kInfo = bit(FileField::kInfo);
constexpr FieldMask kStat = bit(FileField::kStat);

const std::array kFileColumns = {
    Column<FileRow>{"pid", kAlways, &FileRow::pid},
    Column<FileRow>{"fd", kAlways, &FileRow::fd},
    Column<FileRow>{"role", kAlways, &FileRow::role},
    Column<FileRow>{"present", kAlways, &FileRow::present},
    Column<FileRow>{"path", kPath, &FileRow::path},
    Column<FileRow>{"flags", kInfo, &FileRow::flags},
    Column<FileRow>{"mountId", kInfo, &FileRow::mount_id},
    Column<FileRow>{"offset", kInfo, &FileRow::offset},
    Column<FileRow>{"details", kInfo, &FileRow::details},
    Column<FileRow>{"dev", kAlways, &FileRow::dev},
    Column<FileRow>{"ino", kAlways, &FileRow::ino},
    Column<FileRow>{"rdev", kStat, &FileRow::rdev},
    Column<FileRow>{"mode", kStat, &FileRow::mode},
    Column<FileRow>{"size", kStat, &FileRow::size},
    Column<FileRow>{"nlink", kStat, &FileRow::nlink},
};

const std::array kLockColumns = {
    Column<LockRow>{"id", kAlways, &LockRow::id},
    Column<LockRow>{"type", kAlways, &LockRow::type},
    Column<LockRow>{"mode", kAlways, &LockRow::mode},
    Column<LockRow>{"waiting", kAlways, &LockRow::waiting},
    Column<LockRow>{"holder", kAlways, &LockRow::holder},
    Column<LockRow>{"fd", kAlways, &LockRow::fd},
    Column<LockRow>{"taker", kAlways, &LockRow::taker},
    Column<LockRow>{"major", kAlways, &LockRow::major},
    Column<LockRow>{"minor", kAlways, &LockRow::minor},
    Column<LockRow>{"ino", kAlways, &LockRow::ino},
    Column<LockRow>{"start", kAlways, &LockRow::start},
    Column<LockRow>{"end", kAlways, &LockRow::end},
    Column<LockRow>{"state", kAlways, &LockRow::state},
};

const std::array kSocketColumns = {
    Column<SocketRow>{"present", kAlways, &SocketRow::present},
    Column<SocketRow>{"kind", kAlways, &SocketRow::kind},
    Column<SocketRow>{"family", kAlways, &SocketRow::family},
    Column<SocketRow>{"type", kAlways, &SocketRow::type},
    Column<SocketRow>{"state", kAlways, &SocketRow::state},
    Column<SocketRow>{"timer", kAlways, &SocketRow::timer},
    Column<SocketRow>{"retransmits", kAlways, &SocketRow::retransmits},
    Column<SocketRow>{"v4Mapped", kAlways, &SocketRow::v4_mapped},
    Column<SocketRow>{"protocol", kAlways, &SocketRow::protocol},
    Column<SocketRow>{"localPort", kAlways, &SocketRow::local_port},
    Column<SocketRow>{"remotePort", kAlways, &SocketRow::remote_port},
    Column<SocketRow>{"receiveQueue", kAlways, &SocketRow::receive_queue},
    Column<SocketRow>{"sendQueue", kAlways, &SocketRow::send_queue},
    Column<SocketRow>{"uid", kAlways, &SocketRow::uid},
    Column<SocketRow>{"interface", kAlways, &SocketRow::interface},
    Column<SocketRow>{"timerMs", kAlways, &SocketRow::timer_ms},
    Column<SocketRow>{"inode", kAlways, &SocketRow::inode},
    Column<SocketRow>{"peer", kAlways, &SocketRow::peer},
    Column<SocketRow>{"local", kAlways, &SocketRow::local},
    Column<SocketRow>{"remote", kAlways, &SocketRow::remote},
    Column<SocketRow>{"path", kAlways, &SocketRow::path},
    Column<SocketRow>{"groups", kAlways, &SocketRow::groups},
    Column<SocketRow>{"owners", kAlways, &SocketRow::owners},
};

constexpr std::array<const char*, kFields> kFieldNames = {
    "ppid",    "pgid",     "sid",          "tty",    "tpgid", "state", "name",         "start",
    "threads", "priority", "nice",         "cpu",    "rss",   "vsize", "kernelThread", "uid",
    "euid",    "gid",      "egid",         "nspid",  "user",  "argv",  "exe",          "exeFile",
    "cwd",     "root",     "pidNamespace", "cgroup", "env"};

}  // namespace

std::span<const Column<ProcessRow>> process_columns() { return kProcessColumns; }
std::span<const Column<FileRow>> file_columns() { return kFileColumns; }
std::span<const Column<LockRow>> lock_columns() { return kLockColumns; }
std::span<const Column<SocketRow>> socket_columns() { return kSocketColumns; }

const char* field_name(Field field) {
  const auto index = static_cast<size_t>(field);
  return index < kFieldNames.size() ? kFieldNames[index] : "";
}

}  // namespace procscope
