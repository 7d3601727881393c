#include <memory>
#include <utility>

#include "napi/encode.h"
#include "napi/exports.h"
#include "napi/request.h"
#include "napi/worker.h"
#include "poll/guard.h"
#include "poll/snapshot.h"

namespace procscope::binding {

namespace {

class SnapshotTask final : public Task {
 public:
  explicit SnapshotTask(SnapshotRequest request) : request_(std::move(request)) {}
  void run() override { table_ = take_snapshot(request_); }
  Napi::Value deliver(Napi::Env env) override { return table_object(env, table_, request_.fields); }

 private:
  SnapshotRequest request_;
  ProcessTable table_;
};

Napi::Value snapshot(const Napi::CallbackInfo& info) {
  const SnapshotRequest request = snapshot_request(info[0]);
  return table_object(info.Env(), take_snapshot(request), request.fields);
}

Napi::Value snapshot_async(const Napi::CallbackInfo& info) {
  return run_async(info.Env(), std::make_unique<SnapshotTask>(snapshot_request(info[0])));
}

Napi::Value layout(const Napi::CallbackInfo& info) { return layout_object(info.Env()); }

/// Fields that this build can read, as a mask.
Napi::Value supported(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), make_reader({})->supported());
}

/// What a fault of one field of one row speaks of: (procRoot, pid, field number) -> path.
Napi::Value fault_path(const Napi::CallbackInfo& info) {
  ReaderOptions options;
  options.root = info[0].As<Napi::String>().Utf8Value();
  const int32_t pid = info[1].As<Napi::Number>().Int32Value();
  const auto field = static_cast<Field>(info[2].As<Napi::Number>().Uint32Value());
  return Napi::String::New(info.Env(), make_reader(std::move(options))->path_of(pid, field));
}

/// Threads of this process that wait for a call that does not return.
Napi::Value parked(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(parked_threads()));
}

}  // namespace

void export_processes(Napi::Env env, Napi::Object exports) {
  exports.Set("snapshot", Napi::Function::New<snapshot>(env, "snapshot"));
  exports.Set("snapshotAsync", Napi::Function::New<snapshot_async>(env, "snapshotAsync"));
  exports.Set("layout", Napi::Function::New<layout>(env, "layout"));
  exports.Set("supported", Napi::Function::New<supported>(env, "supported"));
  exports.Set("faultPath", Napi::Function::New<fault_path>(env, "faultPath"));
  exports.Set("parked", Napi::Function::New<parked>(env, "parked"));
}

}  // namespace procscope::binding
