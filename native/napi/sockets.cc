#include "poll/sockets.h"

#include <memory>
#include <string>
#include <utility>

#include "napi/encode.h"
#include "napi/exports.h"
#include "napi/request.h"
#include "napi/worker.h"

namespace procscope::binding {

namespace {

/// As lib/native/layout.ts has them, by number.
Napi::Array source_list(Napi::Env env, const std::vector<SocketTable::Source>& sources) {
  Napi::Array list = Napi::Array::New(env, sources.size());
  for (uint32_t i = 0; i < sources.size(); ++i) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("kind", Napi::Number::New(env, static_cast<double>(sources[i].list.kind)));
    entry.Set("family", Napi::Number::New(env, static_cast<double>(sources[i].list.family)));
    entry.Set("source", Napi::Number::New(env, static_cast<double>(sources[i].source)));
    list.Set(i, entry);
  }
  return list;
}

/// pid, fault kind, call, code of each: a viewer without rights cannot look at most processes, and
/// an object for each would cost more than the list.
Napi::Int32Array unseen_list(Napi::Env env, const std::vector<UnseenProcess>& unseen) {
  constexpr size_t kWords = 4;
  Napi::Int32Array words = Napi::Int32Array::New(env, unseen.size() * kWords);
  size_t at = 0;
  for (const UnseenProcess& one : unseen) {
    words[at++] = one.pid;
    words[at++] = static_cast<int32_t>(one.kind);
    words[at++] = static_cast<int32_t>(one.call);
    words[at++] = one.code;
  }
  return words;
}

class SocketsTask final : public Task {
 public:
  explicit SocketsTask(SocketsRequest request) : request_(std::move(request)) {}
  void run() override { table_ = take_sockets(request_); }
  Napi::Value deliver(Napi::Env env) override {
    Napi::Object out =
        packed_object<SocketRow>(env, table_, socket_columns(), 0, table_.everybody_seen ? 1 : 0);
    out.Set("sources", source_list(env, table_.sources));
    out.Set("unseen", unseen_list(env, table_.unseen));
    return out;
  }

 private:
  SocketsRequest request_;
  SocketTable table_;
};

Napi::Value sockets(const Napi::CallbackInfo& info) {
  return run_async(info.Env(), std::make_unique<SocketsTask>(sockets_request(info[0])));
}

}  // namespace

void export_sockets(Napi::Env env, Napi::Object exports) {
  exports.Set("sockets", Napi::Function::New<sockets>(env, "sockets"));
}

}  // namespace procscope::binding
