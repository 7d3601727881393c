#include "poll/files.h"

#include <memory>
#include <utility>

#include "napi/encode.h"
#include "napi/exports.h"
#include "napi/request.h"
#include "napi/worker.h"

namespace procscope::binding {

namespace {

Napi::Object packed_locks(Napi::Env env, const Table<LockRow>& locks) {
  return packed_object<LockRow>(env, locks, lock_columns(), 0, 0);
}

class FilesTask final : public Task {
 public:
  explicit FilesTask(FilesRequest request) : request_(std::move(request)) {}
  void run() override { answer_ = read_files(request_); }
  Napi::Value deliver(Napi::Env env) override {
    Napi::Object out = Napi::Object::New(env);
    out.Set("files",
            packed_object<FileRow>(env, answer_.files, file_columns(), request_.plan.fields,
                                   static_cast<int32_t>(answer_.vanished)));
    out.Set("locks", packed_locks(env, answer_.locks));
    return out;
  }

 private:
  FilesRequest request_;
  FilesAnswer answer_;
};

class LocksTask final : public Task {
 public:
  LocksTask(std::string root, std::chrono::milliseconds deadline)
      : root_(std::move(root)), deadline_(deadline) {}
  void run() override { locks_ = read_locks(root_, deadline_); }
  Napi::Value deliver(Napi::Env env) override { return packed_locks(env, locks_); }

 private:
  std::string root_;
  std::chrono::milliseconds deadline_;
  Table<LockRow> locks_;
};

Napi::Value files(const Napi::CallbackInfo& info) {
  return run_async(info.Env(), std::make_unique<FilesTask>(files_request(info[0])));
}

Napi::Value locks(const Napi::CallbackInfo& info) {
  return run_async(info.Env(), std::make_unique<LocksTask>(info[0].ToString().Utf8Value(),
                                                           milliseconds_of(info[1])));
}

}  // namespace

void export_files(Napi::Env env, Napi::Object exports) {
  exports.Set("files", Napi::Function::New<files>(env, "files"));
  exports.Set("locks", Napi::Function::New<locks>(env, "locks"));
}

}  // namespace procscope::binding
