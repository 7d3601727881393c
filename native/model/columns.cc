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

const std::array kUsageColumns = {
    Column<UsageRow>{"pid", kAlways, &UsageRow::pid},
    Column<UsageRow>{"present", kAlways, &UsageRow::present},
    Column<UsageRow>{"none", kAlways, &UsageRow::none},
    Column<UsageRow>{"ppid", bit(UsageField::kBase), &UsageRow::ppid},
    Column<UsageRow>{"threads", bit(UsageField::kBase), &UsageRow::threads},
    Column<UsageRow>{"state", bit(UsageField::kBase), &UsageRow::state},
    Column<UsageRow>{"kernelThread", bit(UsageField::kBase), &UsageRow::kernel_thread},
    Column<UsageRow>{"startKey", bit(UsageField::kBase), &UsageRow::start_key},
    Column<UsageRow>{"user", bit(UsageField::kBase), &UsageRow::user},
    Column<UsageRow>{"system", bit(UsageField::kBase), &UsageRow::system},
    Column<UsageRow>{"waitedUser", bit(UsageField::kBase), &UsageRow::waited_user},
    Column<UsageRow>{"waitedSystem", bit(UsageField::kBase), &UsageRow::waited_system},
    Column<UsageRow>{"rss", bit(UsageField::kBase), &UsageRow::rss},
    Column<UsageRow>{"vsize", bit(UsageField::kBase), &UsageRow::vsize},
    Column<UsageRow>{"minorFaults", bit(UsageField::kBase), &UsageRow::minor_faults},
    Column<UsageRow>{"majorFaults", bit(UsageField::kBase), &UsageRow::major_faults},
    Column<UsageRow>{"waitedMinorFaults", bit(UsageField::kBase), &UsageRow::waited_minor_faults},
    Column<UsageRow>{"waitedMajorFaults", bit(UsageField::kBase), &UsageRow::waited_major_faults},
    Column<UsageRow>{"name", bit(UsageField::kBase), &UsageRow::name},
    Column<UsageRow>{"runtime", bit(UsageField::kRuntime), &UsageRow::runtime},
    Column<UsageRow>{"runtimeSource", bit(UsageField::kRuntime), &UsageRow::runtime_source},
    Column<UsageRow>{"peakRss", bit(UsageField::kPeakRss), &UsageRow::peak_rss},
    Column<UsageRow>{"swap", bit(UsageField::kSwap), &UsageRow::swap},
    Column<UsageRow>{"pss", bit(UsageField::kPss), &UsageRow::pss},
    Column<UsageRow>{"readChars", bit(UsageField::kIo), &UsageRow::read_chars},
    Column<UsageRow>{"writeChars", bit(UsageField::kIo), &UsageRow::write_chars},
    Column<UsageRow>{"readCalls", bit(UsageField::kIo), &UsageRow::read_calls},
    Column<UsageRow>{"writeCalls", bit(UsageField::kIo), &UsageRow::write_calls},
    Column<UsageRow>{"readBytes", bit(UsageField::kIo), &UsageRow::read_bytes},
    Column<UsageRow>{"writeBytes", bit(UsageField::kIo), &UsageRow::write_bytes},
    Column<UsageRow>{"cancelledWriteBytes", bit(UsageField::kIo), &UsageRow::cancelled_write_bytes},
    Column<UsageRow>{"voluntary", bit(UsageField::kSwitches), &UsageRow::voluntary},
    Column<UsageRow>{"involuntary", bit(UsageField::kSwitches), &UsageRow::involuntary},
};

const std::array kSampleColumns = {
    Column<SampleRow>{"sequence", kAlways, &SampleRow::sequence},
    Column<SampleRow>{"time", kAlways, &SampleRow::time},
    Column<SampleRow>{"present", kAlways, &SampleRow::present},
    Column<SampleRow>{"missed", kAlways, &SampleRow::missed},
    Column<SampleRow>{"processes", kAlways, &SampleRow::processes},
    Column<SampleRow>{"started", kAlways, &SampleRow::started},
    Column<SampleRow>{"ended", kAlways, &SampleRow::ended},
    Column<SampleRow>{"threads", kAlways, &SampleRow::threads},
    Column<SampleRow>{"cpu", kAlways, &SampleRow::cpu},
    Column<SampleRow>{"user", kAlways, &SampleRow::user},
    Column<SampleRow>{"system", kAlways, &SampleRow::system},
    Column<SampleRow>{"percent", kAlways, &SampleRow::percent},
    Column<SampleRow>{"rss", kAlways, &SampleRow::rss},
    Column<SampleRow>{"vsize", kAlways, &SampleRow::vsize},
    Column<SampleRow>{"minorFaults", kAlways, &SampleRow::minor_faults},
    Column<SampleRow>{"majorFaults", kAlways, &SampleRow::major_faults},
    Column<SampleRow>{"readChars", bit(UsageField::kIo), &SampleRow::read_chars},
    Column<SampleRow>{"writeChars", bit(UsageField::kIo), &SampleRow::write_chars},
    Column<SampleRow>{"readCalls", bit(UsageField::kIo), &SampleRow::read_calls},
    Column<SampleRow>{"writeCalls", bit(UsageField::kIo), &SampleRow::write_calls},
    Column<SampleRow>{"readBytes", bit(UsageField::kIo), &SampleRow::read_bytes},
    Column<SampleRow>{"writeBytes", bit(UsageField::kIo), &SampleRow::write_bytes},
    Column<SampleRow>{"cancelledWriteBytes", bit(UsageField::kIo),
                      &SampleRow::cancelled_write_bytes},
};

const std::array kMemberColumns = {
    Column<MemberRow>{"sample", kAlways, &MemberRow::sample},
    Column<MemberRow>{"pid", kAlways, &MemberRow::pid},
    Column<MemberRow>{"ppid", kAlways, &MemberRow::ppid},
    Column<MemberRow>{"threads", kAlways, &MemberRow::threads},
    Column<MemberRow>{"startKey", kAlways, &MemberRow::start_key},
    Column<MemberRow>{"cpu", kAlways, &MemberRow::cpu},
    Column<MemberRow>{"percent", kAlways, &MemberRow::percent},
    Column<MemberRow>{"rss", kAlways, &MemberRow::rss},
    Column<MemberRow>{"vsize", kAlways, &MemberRow::vsize},
};

constexpr std::array<const char*, kUsageFields> kUsageFieldNames = {
    "base", "runtime", "peakRss", "swap", "pss", "io", "switches"};

}  // namespace

std::span<const Column<ProcessRow>> process_columns() { return kProcessColumns; }
std::span<const Column<FileRow>> file_columns() { return kFileColumns; }
std::span<const Column<LockRow>> lock_columns() { return kLockColumns; }
std::span<const Column<SocketRow>> socket_columns() { return kSocketColumns; }

const char* field_name(Field field) {
  const auto index = static_cast<size_t>(field);
  return index < kFieldNames.size() ? kFieldNames[index] : "";
}

std::span<const Column<UsageRow>> usage_columns() { return kUsageColumns; }
std::span<const Column<SampleRow>> sample_columns() { return kSampleColumns; }
std::span<const Column<MemberRow>> member_columns() { return kMemberColumns; }

const char* usage_field_name(UsageField field) {
  const auto index = static_cast<size_t>(field);
  return index < kUsageFieldNames.size() ? kUsageFieldNames[index] : "";
}

}  // namespace procscope
