#include "poll/sampler.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "napi/encode.h"
#include "napi/exports.h"
#include "napi/request.h"
#include "napi/worker.h"

namespace procscope::binding {

namespace {

using Shared = std::shared_ptr<Sampler>;
using Handle = Napi::External<Shared>;

/// The samplers of one environment, so that none outlives it.
class Samplers {
 public:
  void add(const Shared& sampler) {
    std::erase_if(samplers_, [](const std::weak_ptr<Sampler>& held) { return held.expired(); });
    samplers_.push_back(sampler);
  }
  void stop() const {
    for (const auto& held : samplers_) {
      if (const Shared sampler = held.lock()) {
        sampler->stop();
      }
    }
  }

 private:
  std::vector<std::weak_ptr<Sampler>> samplers_;
};

Sampler& sampler_of(const Napi::CallbackInfo& info) {
  if (!info[0].IsExternal()) {
    throw Napi::TypeError::New(info.Env(), "procscope binding: expected a sampler");
  }
  return **info[0].As<Handle>().Data();
}

Napi::Value start(const Napi::CallbackInfo& info) {
  auto sampler = std::make_shared<Sampler>(sampler_request(info[0]));
  static_cast<Samplers*>(info.Data())->add(sampler);
  sampler->start();
  return Handle::New(info.Env(), new Shared(std::move(sampler)), [](Napi::Env, Shared* held) {
    (*held)->stop();
    delete held;
  });
}

Napi::Value stop(const Napi::CallbackInfo& info) {
  sampler_of(info).stop();
  return info.Env().Undefined();
}

Napi::Value drain(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const SampleBatch batch = sampler_of(info).drain();
  Napi::Object out = Napi::Object::New(env);
  out.Set("samples", packed_object<SampleRow>(env, batch.samples, sample_columns(), kAllUsage, 0));
  out.Set("members", packed_object<MemberRow>(env, batch.members, member_columns(), kAllUsage, 0));
  out.Set("dropped", Napi::Number::New(env, static_cast<double>(batch.dropped)));
  return out;
}

Napi::Value wait(const Napi::CallbackInfo& info) {
  return wait_async(info.Env(), [&](std::function<void()> wake) {
    sampler_of(info).when_ready(std::move(wake));
  });
}

const char* end_name(SamplerEnd end) {
  switch (end) {
    case SamplerEnd::kRunning:
      return "running";
    case SamplerEnd::kStopped:
      return "stopped";
    case SamplerEnd::kRootEnded:
      return "ended";
    case SamplerEnd::kFault:
      return "fault";
  }
  return "";
}

Napi::Value state(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const SamplerState state = sampler_of(info).state();
  Napi::Object out = Napi::Object::New(env);
  out.Set("end", Napi::String::New(env, end_name(state.end)));
  if (state.fault.kind != FaultKind::kNone) {
    out.Set("fault", fault_object(env, state.fault));
  }
  out.Set("taken", Napi::Number::New(env, static_cast<double>(state.taken)));
  out.Set("missed", Napi::Number::New(env, static_cast<double>(state.missed)));
  out.Set("dropped", Napi::Number::New(env, static_cast<double>(state.dropped)));
  out.Set("ownCpu", Napi::Number::New(env, state.own_cpu));
  return out;
}

}  // namespace

void export_sampler(Napi::Env env, Napi::Object exports) {
  auto* const samplers = new Samplers;
  env.AddCleanupHook([samplers] {
    samplers->stop();
    delete samplers;
  });
  exports.Set("samplerStart", Napi::Function::New(env, start, "samplerStart", samplers));
  exports.Set("samplerStop", Napi::Function::New<stop>(env, "samplerStop"));
  exports.Set("samplerDrain", Napi::Function::New<drain>(env, "samplerDrain"));
  exports.Set("samplerWait", Napi::Function::New<wait>(env, "samplerWait"));
  exports.Set("samplerState", Napi::Function::New<state>(env, "samplerState"));
}

}  // namespace procscope::binding
