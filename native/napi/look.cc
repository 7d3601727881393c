#include "poll/look.h"

#include <memory>
#include <utility>
#include <vector>

#include "napi/encode.h"
#include "napi/exports.h"
#include "napi/request.h"
#include "napi/worker.h"

namespace procscope::binding {

namespace {

class LookTask final : public Task {
 public:
  LookTask(std::vector<FileRequest> requests, std::chrono::milliseconds deadline)
      : requests_(std::move(requests)), deadline_(deadline) {}
  void run() override { answers_ = look_at_files(std::move(requests_), deadline_); }
  Napi::Value deliver(Napi::Env env) override { return answer_list(env, answers_); }

 private:
  std::vector<FileRequest> requests_;
  std::chrono::milliseconds deadline_;
  std::vector<FileAnswer> answers_;
};

Napi::Value look(const Napi::CallbackInfo& info) {
  return run_async(info.Env(),
                   std::make_unique<LookTask>(file_requests(info[0]), milliseconds_of(info[1])));
}

}  // namespace

void export_look(Napi::Env env, Napi::Object exports) {
  exports.Set("look", Napi::Function::New<look>(env, "look"));
}

}  // namespace procscope::binding
