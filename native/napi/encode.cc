#include "napi/encode.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace procscope::binding {

namespace {

const char* type_name(ColumnType type) {
  switch (type) {
    case ColumnType::kI32:
      return "i32";
    case ColumnType::kU32:
      return "u32";
    case ColumnType::kU8:
      return "u8";
    case ColumnType::kF64:
      return "f64";
    case ColumnType::kU64:
      return "u64";
    case ColumnType::kText:
      return "text";
  }
  return "";
}

const char* kind_of_mode(uint32_t mode) {
  // S_IFMT and its values are fixed by POSIX practice; inode(7) lists them.
  switch (mode & 0170000) {
    case 0100000:
      return "file";
    case 0040000:
      return "directory";
    case 0120000:
      return "symlink";
    default:
      return "other";
  }
}

Napi::Object stat_object(Napi::Env env, const FileStat& stat) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("dev", Napi::BigInt::New(env, stat.dev));
  out.Set("ino", Napi::BigInt::New(env, stat.ino));
  out.Set("size", Napi::Number::New(env, static_cast<double>(stat.size)));
  out.Set("mtimeMs", Napi::Number::New(env, stat.mtime));
  out.Set("uid", Napi::Number::New(env, stat.uid));
  out.Set("mode", Napi::Number::New(env, stat.mode));
  out.Set("nlink", Napi::Number::New(env, static_cast<double>(stat.nlink)));
  out.Set("kind", Napi::String::New(env, kind_of_mode(stat.mode)));
  return out;
}

Napi::Array string_list(Napi::Env env, const std::vector<std::string>& strings) {
  Napi::Array list = Napi::Array::New(env, strings.size());
  for (uint32_t i = 0; i < strings.size(); ++i) {
    list.Set(i, Napi::String::New(env, strings[i]));
  }
  return list;
}

template <typename Row>
Napi::Array column_list(Napi::Env env, std::span<const Column<Row>> columns) {
  Napi::Array list = Napi::Array::New(env, columns.size());
  uint32_t n = 0;
  for (const Column<Row>& column : columns) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("name", Napi::String::New(env, column.name));
    entry.Set("type", Napi::String::New(env, type_name(column.type())));
    list.Set(n++, entry);
  }
  return list;
}

/// Numbers that each entry of a directory has in `entryStats`; lib/process/look-files.ts reads
/// them.
constexpr size_t kEntryNumbers = 6;

/// Names, and beside them one row of numbers each where those were asked for: a folder may have
/// thousands of entries, and building as many objects here would hold up the main thread.
void put_entries(Napi::Env env, Napi::Object& out, const FileAnswer& answer) {
  const auto& entries = answer.entries;
  Napi::Array names = Napi::Array::New(env, entries.size());
  for (uint32_t i = 0; i < entries.size(); ++i) {
    names.Set(i, Napi::String::New(env, entries[i].name));
  }
  out.Set("names", names);
  if (!answer.entry_stats) {
    return;
  }
  auto numbers = Napi::Float64Array::New(env, entries.size() * kEntryNumbers);
  for (size_t i = 0; i < entries.size(); ++i) {
    const FileStat& stat = entries[i].stat;
    const double row[kEntryNumbers] = {entries[i].has_stat ? stat.mode : std::nan(""),
                                       static_cast<double>(stat.uid),
                                       static_cast<double>(stat.size),
                                       stat.mtime,
                                       static_cast<double>(stat.ino >> 32),
                                       static_cast<double>(stat.ino & 0xffffffffU)};
    std::copy(std::begin(row), std::end(row), numbers.Data() + i * kEntryNumbers);
  }
  out.Set("entryStats", numbers);
}

Napi::Object answer_object(Napi::Env env, FileOp op, const FileAnswer& answer) {
  Napi::Object out = Napi::Object::New(env);
  if (answer.has_stat) {
    out.Set("stat", stat_object(env, answer.stat));
  }
  if (!answer.ok()) {
    out.Set("fault", fault_object(env, answer.fault));
    return out;
  }
  if (op == FileOp::kRealpath) {
    out.Set("realpath", Napi::String::New(env, answer.realpath));
  } else if (op == FileOp::kRead) {
    out.Set("bytes", Napi::Buffer<char>::Copy(env, answer.bytes.data(), answer.bytes.size()));
    out.Set("offset", Napi::Number::New(env, static_cast<double>(answer.offset)));
  } else if (op == FileOp::kList) {
    put_entries(env, out, answer);
  }
  if (op == FileOp::kRead || op == FileOp::kList) {
    out.Set("truncated", Napi::Boolean::New(env, answer.truncated));
  }
  return out;
}

}  // namespace

Napi::Object fault_object(Napi::Env env, const Fault& fault) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("kind", Napi::String::New(env, fault_kind_name(fault.kind)));
  out.Set("code", Napi::Number::New(env, fault.code));
  out.Set("call", Napi::String::New(env, call_name(fault.call)));
  out.Set("path", Napi::String::New(env, fault.path));
  return out;
}

Napi::Array fault_list(Napi::Env env, const std::vector<Fault>& faults) {
  Napi::Array list = Napi::Array::New(env, faults.size());
  for (uint32_t i = 0; i < faults.size(); ++i) {
    list.Set(i, fault_object(env, faults[i]));
  }
  return list;
}

Napi::Object table_object(Napi::Env env, const ProcessTable& table, FieldMask asked) {
  Napi::Object out = packed_object<ProcessRow>(env, table, process_columns(), asked,
                                               static_cast<int32_t>(table.vanished));
  out.Set("bootId", Napi::String::New(env, table.boot_id));
  return out;
}

Napi::Array answer_list(Napi::Env env, const std::vector<FileAnswer>& answers) {
  Napi::Array list = Napi::Array::New(env, answers.size());
  for (uint32_t i = 0; i < answers.size(); ++i) {
    list.Set(i, answer_object(env, answers[i].op, answers[i]));
  }
  return list;
}

Napi::Object layout_object(Napi::Env env) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("magic", Napi::Number::New(env, kMagic));
  out.Set("version", Napi::Number::New(env, kLayoutVersion));
  out.Set("headerWords", Napi::Number::New(env, kHeaderWords));
  out.Set("faultWords", Napi::Number::New(env, static_cast<double>(kFaultWords)));

  Napi::Object columns = Napi::Object::New(env);
  columns.Set("processes", column_list<ProcessRow>(env, process_columns()));
  columns.Set("files", column_list<FileRow>(env, file_columns()));
  columns.Set("locks", column_list<LockRow>(env, lock_columns()));
  columns.Set("sockets", column_list<SocketRow>(env, socket_columns()));
  columns.Set("usage", column_list<UsageRow>(env, usage_columns()));
  columns.Set("sample", column_list<SampleRow>(env, sample_columns()));
  columns.Set("member", column_list<MemberRow>(env, member_columns()));
  out.Set("columns", columns);

  std::vector<std::string> names;
  for (int i = 0; i < kFields; ++i) {
    names.emplace_back(field_name(static_cast<Field>(i)));
  }
  out.Set("fields", string_list(env, names));
  names.clear();
  for (int i = 0; i < kUsageFields; ++i) {
    names.emplace_back(usage_field_name(static_cast<UsageField>(i)));
  }
  out.Set("usageFields", string_list(env, names));
  names.clear();
  for (int i = 0; i < kFaultKinds; ++i) {
    names.emplace_back(fault_kind_name(static_cast<FaultKind>(i)));
  }
  out.Set("faultKinds", string_list(env, names));
  names.clear();
  for (int i = 0; i < kCalls; ++i) {
    names.emplace_back(call_name(static_cast<Call>(i)));
  }
  out.Set("calls", string_list(env, names));
  return out;
}

}  // namespace procscope::binding
