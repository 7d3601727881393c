#include "poll/usage.h"

#include <memory>
#include <utility>

#include "napi/encode.h"
#include "napi/exports.h"
#include "napi/request.h"
#include "napi/worker.h"

namespace procscope::binding {

namespace {

class UsageTask final : public Task {
 public:
  explicit UsageTask(UsageRequest request) : request_(std::move(request)) {}
  void run() override { table_ = take_usage(request_); }
  Napi::Value deliver(Napi::Env env) override {
    return packed_object<UsageRow>(env, table_, usage_columns(), request_.fields,
                                   static_cast<int32_t>(table_.vanished));
  }

 private:
  UsageRequest request_;
  UsageTable table_;
};

Napi::Value usage(const Napi::CallbackInfo& info) {
  return run_async(info.Env(), std::make_unique<UsageTask>(usage_request(info[0])));
}

}  // namespace

void export_usage(Napi::Env env, Napi::Object exports) {
  exports.Set("usage", Napi::Function::New<usage>(env, "usage"));
}

}  // namespace procscope::binding
