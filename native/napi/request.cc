#include "napi/request.h"

#include <string>

namespace procscope::binding {

namespace {

[[noreturn]] void refuse(Napi::Env env, const char* what) {
  throw Napi::TypeError::New(env, std::string("procscope binding: ") + what);
}

/// Text or exact bytes: a path need not be UTF-8.
std::string bytes_of(const Napi::Value& value) {
  if (value.IsBuffer()) {
    const auto buffer = value.As<Napi::Buffer<char>>();
    return {buffer.Data(), buffer.Length()};
  }
  if (!value.IsString()) {
    refuse(value.Env(), "expected a string");
  }
  return value.As<Napi::String>().Utf8Value();
}

double number_of(const Napi::Value& value) {
  if (!value.IsNumber()) {
    refuse(value.Env(), "expected a number");
  }
  return value.As<Napi::Number>().DoubleValue();
}

void take_pids(const Napi::Object& from, bool& only, std::vector<int32_t>& into) {
  if (const Napi::Value pids = from.Get("pids"); pids.IsTypedArray()) {
    const auto list = pids.As<Napi::Int32Array>();
    only = true;
    into.assign(list.Data(), list.Data() + list.ElementLength());
  }
}

FileOp op_of(const Napi::Value& value) {
  const std::string name = bytes_of(value);
  if (name == "stat") {
    return FileOp::kStat;
  }
  if (name == "realpath") {
    return FileOp::kRealpath;
  }
  if (name == "read") {
    return FileOp::kRead;
  }
  if (name == "list") {
    return FileOp::kList;
  }
  refuse(value.Env(), "unknown op");
}

FileRequest file_request(const Napi::Object& from) {
  FileRequest request;
  request.op = op_of(from.Get("op"));
  request.path = bytes_of(from.Get("path"));
  if (const Napi::Value group = from.Get("group"); !group.IsUndefined()) {
    request.group = bytes_of(group);
  }
  if (const Napi::Value root = from.Get("root"); !root.IsUndefined()) {
    request.root = bytes_of(root);
  }
  if (const Napi::Value follow = from.Get("follow"); !follow.IsUndefined()) {
    request.follow = follow.ToBoolean();
  }
  if (const Napi::Value links = from.Get("links"); !links.IsUndefined()) {
    request.no_links = !links.ToBoolean();
  }
  request.entry_stats = from.Get("stats").ToBoolean();
  if (const Napi::Value offset = from.Get("offset"); !offset.IsUndefined()) {
    request.offset = static_cast<uint64_t>(number_of(offset));
  }
  if (const Napi::Value end = from.Get("fromEnd"); !end.IsUndefined()) {
    request.from_end = end.ToBoolean();
  }
  const char* const limit = request.op == FileOp::kList ? "maxEntries" : "maxBytes";
  if (request.op == FileOp::kList || request.op == FileOp::kRead) {
    request.limit = static_cast<uint32_t>(number_of(from.Get(limit)));
  }
  return request;
}

}  // namespace

std::chrono::milliseconds milliseconds_of(const Napi::Value& value) {
  return std::chrono::milliseconds(static_cast<int64_t>(number_of(value)));
}

SnapshotRequest snapshot_request(const Napi::Value& value) {
  if (!value.IsObject()) {
    refuse(value.Env(), "expected a request");
  }
  const auto from = value.As<Napi::Object>();
  SnapshotRequest request;
  request.reader.root = bytes_of(from.Get("procRoot"));
  request.reader.max_field_bytes = static_cast<uint32_t>(number_of(from.Get("maxFieldBytes")));
  request.fields = static_cast<FieldMask>(number_of(from.Get("fields")));
  request.deadline = milliseconds_of(from.Get("deadlineMs"));
  const auto keys = from.Get("env").As<Napi::Array>();
  for (uint32_t i = 0; i < keys.Length(); ++i) {
    request.reader.env_keys.push_back(bytes_of(keys.Get(i)));
  }
  take_pids(from, request.only, request.pids);
  return request;
}

FilesRequest files_request(const Napi::Value& value) {
  if (!value.IsObject()) {
    refuse(value.Env(), "expected a request");
  }
  const auto from = value.As<Napi::Object>();
  FilesRequest request;
  request.root = bytes_of(from.Get("procRoot"));
  request.plan.fields = static_cast<FieldMask>(number_of(from.Get("fields")));
  request.plan.roles = static_cast<uint8_t>(number_of(from.Get("roles")));
  request.max_rows = static_cast<size_t>(number_of(from.Get("maxRows")));
  request.plan.max_rows = static_cast<uint32_t>(request.max_rows);
  request.deadline = milliseconds_of(from.Get("deadlineMs"));
  if (const Napi::Value inodes = from.Get("inodes"); inodes.IsTypedArray()) {
    const auto list = inodes.As<Napi::BigUint64Array>();
    request.plan.inodes.insert(list.Data(), list.Data() + list.ElementLength());
  }
  take_pids(from, request.only, request.pids);
  return request;
}

SocketsRequest sockets_request(const Napi::Value& value) {
  if (!value.IsObject()) {
    refuse(value.Env(), "expected a request");
  }
  const auto from = value.As<Napi::Object>();
  SocketsRequest request;
  SocketQuery& query = request.query;
  query.root = bytes_of(from.Get("procRoot"));
  query.kinds = static_cast<uint32_t>(number_of(from.Get("kinds")));
  query.by_state = from.Get("byState").ToBoolean();
  query.tcp_states = static_cast<uint32_t>(number_of(from.Get("tcpStates")));
  query.ip_states = static_cast<uint32_t>(number_of(from.Get("ipStates")));
  query.other_states = static_cast<uint32_t>(number_of(from.Get("otherStates")));
  query.way = static_cast<SocketWay>(number_of(from.Get("way")));
  query.netns_of = static_cast<int32_t>(number_of(from.Get("netnsOf")));
  request.owners = from.Get("owners").ToBoolean();
  request.most_rows = static_cast<size_t>(number_of(from.Get("maxRows")));
  request.deadline = milliseconds_of(from.Get("deadlineMs"));
  query.deadline_ms = static_cast<int32_t>(request.deadline.count());
  const auto ports = from.Get("ports").As<Napi::Uint32Array>();
  query.ports.assign(ports.Data(), ports.Data() + ports.ElementLength());
  take_pids(from, request.only, request.pids);
  return request;
}

UsageRequest usage_request(const Napi::Value& value) {
  if (!value.IsObject()) {
    refuse(value.Env(), "expected a request");
  }
  const auto from = value.As<Napi::Object>();
  UsageRequest request;
  request.root = bytes_of(from.Get("procRoot"));
  request.fields = static_cast<FieldMask>(number_of(from.Get("fields")));
  request.deadline = milliseconds_of(from.Get("deadlineMs"));
  const Napi::Value pids = from.Get("pids");
  if (!pids.IsTypedArray()) {
    refuse(value.Env(), "expected pids");
  }
  const auto list = pids.As<Napi::Int32Array>();
  request.pids.assign(list.Data(), list.Data() + list.ElementLength());
  return request;
}

SamplerRequest sampler_request(const Napi::Value& value) {
  if (!value.IsObject()) {
    refuse(value.Env(), "expected a request");
  }
  const auto from = value.As<Napi::Object>();
  SamplerRequest request;
  request.follow.pid = static_cast<int32_t>(number_of(from.Get("pid")));
  request.follow.tree = from.Get("tree").ToBoolean();
  request.follow.memory = from.Get("memory").ToBoolean();
  request.follow.io = from.Get("io").ToBoolean();
  request.members = from.Get("members").ToBoolean();
  request.capacity = static_cast<size_t>(number_of(from.Get("capacity")));
  request.interval =
      std::chrono::nanoseconds(static_cast<int64_t>(number_of(from.Get("intervalMs")) * 1e6));
  return request;
}

PollRequest poll_request(const Napi::Value& value) {
  const SnapshotRequest rows = snapshot_request(value);
  const auto from = value.As<Napi::Object>();
  PollRequest request;
  request.reader = rows.reader;
  request.fields = rows.fields;
  request.deadline = rows.deadline;
  request.every_poll = static_cast<FieldMask>(number_of(from.Get("everyPoll")));
  request.max_age = number_of(from.Get("maxAgeMs"));
  request.facts_age = number_of(from.Get("factsAgeMs"));
  request.tracked_age = number_of(from.Get("trackedAgeMs"));
  request.tracked_look = number_of(from.Get("trackedLookMs"));
  request.events = static_cast<EventSource>(number_of(from.Get("events")));
  request.descriptors = static_cast<int>(number_of(from.Get("maxDescriptors")));
  return request;
}

std::vector<FileRequest> file_requests(const Napi::Value& value) {
  if (!value.IsArray()) {
    refuse(value.Env(), "expected a list of requests");
  }
  const auto list = value.As<Napi::Array>();
  std::vector<FileRequest> requests;
  requests.reserve(list.Length());
  for (uint32_t i = 0; i < list.Length(); ++i) {
    requests.push_back(file_request(list.Get(i).As<Napi::Object>()));
  }
  return requests;
}

}  // namespace procscope::binding
