#include "model/columns.h"

#include <bit>
#include <cstring>
#include <limits>

namespace procscope {

static_assert(std::endian::native == std::endian::little,
              "columns cross as the machine has them; a big-endian machine needs a swap here");

namespace {

constexpr FieldMask kAlways = 0;

const std::array kColumns = {
    Column{"pid", kAlways, &ProcessRow::pid},
    Column{"present", kAlways, &ProcessRow::present},
    Column{"flags", kAlways, &ProcessRow::flags},
    Column{"ppid", bit(Field::kPpid), &ProcessRow::ppid},
    Column{"pgid", bit(Field::kPgid), &ProcessRow::pgid},
    Column{"sid", bit(Field::kSid), &ProcessRow::sid},
    Column{"tpgid", bit(Field::kTpgid), &ProcessRow::tpgid},
    Column{"ttyDevice", bit(Field::kTty), &ProcessRow::tty_device},
    Column{"state", bit(Field::kState), &ProcessRow::state},
    Column{"startKey", bit(Field::kStart), &ProcessRow::start_key},
    Column{"startTime", bit(Field::kStart), &ProcessRow::start_time},
    Column{"threads", bit(Field::kThreads), &ProcessRow::threads},
    Column{"priority", bit(Field::kPriority), &ProcessRow::priority},
    Column{"nice", bit(Field::kNice), &ProcessRow::nice},
    Column{"userCpu", bit(Field::kCpu), &ProcessRow::user_cpu},
    Column{"systemCpu", bit(Field::kCpu), &ProcessRow::system_cpu},
    Column{"rss", bit(Field::kRss), &ProcessRow::rss},
    Column{"vsize", bit(Field::kVsize), &ProcessRow::vsize},
    Column{"uid", bit(Field::kUid), &ProcessRow::uid},
    Column{"euid", bit(Field::kEuid), &ProcessRow::euid},
    Column{"gid", bit(Field::kGid), &ProcessRow::gid},
    Column{"egid", bit(Field::kEgid), &ProcessRow::egid},
    Column{"exeDev", bit(Field::kExeFile), &ProcessRow::exe_dev},
    Column{"exeIno", bit(Field::kExeFile), &ProcessRow::exe_ino},
    Column{"pidNamespace", bit(Field::kPidNamespace), &ProcessRow::pid_namespace},
    Column{"name", bit(Field::kName), &ProcessRow::name},
    Column{"tty", bit(Field::kTty), &ProcessRow::tty},
    Column{"user", bit(Field::kUser), &ProcessRow::user},
    Column{"argv", bit(Field::kArgv), &ProcessRow::argv},
    Column{"exe", bit(Field::kExe), &ProcessRow::exe},
    Column{"cwd", bit(Field::kCwd), &ProcessRow::cwd},
    Column{"root", bit(Field::kRoot), &ProcessRow::root},
    Column{"cgroup", bit(Field::kCgroup), &ProcessRow::cgroup},
    Column{"env", bit(Field::kEnv), &ProcessRow::env},
    Column{"nspid", bit(Field::kNspid), &ProcessRow::nspid},
};

constexpr std::array<const char*, kFields> kFieldNames = {
    "ppid",    "pgid",     "sid",          "tty",    "tpgid", "state", "name",         "start",
    "threads", "priority", "nice",         "cpu",    "rss",   "vsize", "kernelThread", "uid",
    "euid",    "gid",      "egid",         "nspid",  "user",  "argv",  "exe",          "exeFile",
    "cwd",     "root",     "pidNamespace", "cgroup", "env"};

size_t width_of(ColumnType type) {
  switch (type) {
    case ColumnType::kU8:
      return 1;
    case ColumnType::kI32:
    case ColumnType::kU32:
      return 4;
    case ColumnType::kF64:
    case ColumnType::kU64:
    case ColumnType::kText:
      return 8;
  }
  return 8;
}

constexpr size_t align8(size_t n) { return (n + 7) & ~size_t{7}; }

bool crosses(const Column& column, FieldMask asked) {
  return column.fields == kAlways || (column.fields & asked) != 0;
}

size_t column_count(FieldMask asked) {
  size_t count = 0;
  for (const Column& column : kColumns) {
    count += crosses(column, asked) ? 1 : 0;
  }
  return count;
}

size_t head_size(size_t column_count) {
  return align8((kHeaderWords + 2 * column_count) * sizeof(int32_t));
}

template <typename T>
void fill(std::span<const ProcessRow> rows, T ProcessRow::*member, std::byte* out) {
  for (const ProcessRow& row : rows) {
    std::memcpy(out, &(row.*member), sizeof(T));
    out += sizeof(T);
  }
}

}  // namespace

std::span<const Column> columns() { return kColumns; }

ColumnType type_of(const Column& column) { return static_cast<ColumnType>(column.member.index()); }

const char* field_name(Field field) {
  const auto index = static_cast<size_t>(field);
  return index < kFieldNames.size() ? kFieldNames[index] : "";
}

size_t encoded_size(const ProcessTable& table, FieldMask asked) {
  size_t total = head_size(column_count(asked));
  for (const Column& column : kColumns) {
    if (crosses(column, asked)) {
      total += align8(table.rows.size() * width_of(type_of(column)));
    }
  }
  total += table.row_faults.size() * kFaultWords * sizeof(int32_t);
  total += table.blob.size();
  return total > static_cast<size_t>(std::numeric_limits<int32_t>::max()) ? 0 : total;
}

void encode(const ProcessTable& table, FieldMask asked, std::span<std::byte> out) {
  std::byte* const base = out.data();
  const size_t count = column_count(asked);
  auto* word = reinterpret_cast<int32_t*>(base);
  size_t at = head_size(count);

  int32_t* directory = word + kHeaderWords;
  for (size_t i = 0; i < kColumns.size(); ++i) {
    const Column& column = kColumns[i];
    if (!crosses(column, asked)) {
      continue;
    }
    *directory++ = static_cast<int32_t>(i);
    *directory++ = static_cast<int32_t>(at);
    std::visit([&](auto member) { fill(table.rows, member, base + at); }, column.member);
    at += align8(table.rows.size() * width_of(type_of(column)));
  }

  word[kWordMagic] = kMagic;
  word[kWordVersion] = kLayoutVersion;
  word[kWordRows] = static_cast<int32_t>(table.rows.size());
  word[kWordFaults] = static_cast<int32_t>(table.row_faults.size());
  word[kWordFaultOffset] = static_cast<int32_t>(at);
  word[kWordColumns] = static_cast<int32_t>(count);
  word[kWordVanished] = static_cast<int32_t>(table.vanished);
  word[kWordAsked] = static_cast<int32_t>(asked);

  auto* fault = reinterpret_cast<int32_t*>(base + at);
  for (const RowFault& f : table.row_faults) {
    *fault++ = static_cast<int32_t>(f.row);
    *fault++ = static_cast<int32_t>(f.field) | static_cast<int32_t>(f.kind) << 8 |
               static_cast<int32_t>(f.call) << 16;
    *fault++ = f.code;
    *fault++ = 0;
  }
  at += table.row_faults.size() * kFaultWords * sizeof(int32_t);

  word[kWordBlobOffset] = static_cast<int32_t>(at);
  word[kWordBlobLength] = static_cast<int32_t>(table.blob.size());
  if (!table.blob.empty()) {
    std::memcpy(base + at, table.blob.data(), table.blob.size());
  }
}

}  // namespace procscope
