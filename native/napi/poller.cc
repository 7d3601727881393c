#include "poll/poller.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "napi/encode.h"
#include "napi/exports.h"
#include "napi/request.h"
#include "napi/worker.h"
#include "poll/quiet_wait.h"

namespace procscope::binding {

namespace {

/// A poller and who may use it: one poll at a time, on whichever thread.
class SharedPoller {
 public:
  explicit SharedPoller(const PollRequest& request) : poller_(request) {}

  bool idle() {
    const std::lock_guard lock(mutex_);
    {
      const std::lock_guard brief(wishes_mutex_);
      if (!wishes_.empty()) {
        return false;
      }
    }
    const bool idle = poller_.idle();
    note_state();
    return idle;
  }

  PollDelta poll() {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<int32_t, bool>> wishes;
    {
      const std::lock_guard brief(wishes_mutex_);
      wishes.swap(wishes_);
    }
    for (const auto& [pid, on] : wishes) {
      if (on) {
        poller_.track(pid);
      } else {
        poller_.untrack(pid);
      }
    }
    PollDelta delta = poller_.poll();
    note_state();
    return delta;
  }

  /// Holds from the next poll on, so that nobody waits for the one in progress.
  void wish(int32_t pid, bool on) {
    const std::lock_guard brief(wishes_mutex_);
    wishes_.emplace_back(pid, on);
  }

  struct State {
    EventSource source = EventSource::kNone;
    int descriptors = 0;
    PollCounts counts;
  };
  State state() {
    const std::lock_guard brief(wishes_mutex_);
    return state_;
  }

 private:
  void note_state() {
    const std::lock_guard brief(wishes_mutex_);
    state_ = {poller_.source(), poller_.descriptors(), poller_.counts()};
  }

  std::mutex mutex_;
  Poller poller_;
  std::mutex wishes_mutex_;
  std::vector<std::pair<int32_t, bool>> wishes_;
  State state_;
};

using Shared = std::shared_ptr<SharedPoller>;
using Handle = Napi::External<Shared>;

Shared& poller_of(const Napi::CallbackInfo& info) {
  if (!info[0].IsExternal() || *info[0].As<Handle>().Data() == nullptr) {
    throw Napi::TypeError::New(info.Env(), "procscope binding: expected an open poller");
  }
  return *info[0].As<Handle>().Data();
}

template <typename Array, typename Value>
Array array_of(Napi::Env env, const std::vector<Value>& values) {
  Array array = Array::New(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

/// Undefined where nothing happened, so that an idle poll makes no object.
Napi::Value delta_value(Napi::Env env, const PollDelta& delta, FieldMask asked) {
  if (delta.idle()) {
    return env.Undefined();
  }
  Napi::Object out = table_object(env, delta.rows, asked);
  out.Set("changed", array_of<Napi::Uint32Array>(env, delta.changed));
  out.Set("exited", array_of<Napi::Int32Array>(env, delta.exited));
  out.Set("failed", Napi::Boolean::New(env, delta.failed));
  return out;
}

class PollTask final : public Task {
 public:
  PollTask(Shared poller, FieldMask asked) : poller_(std::move(poller)), asked_(asked) {}
  void run() override { delta_ = poller_->poll(); }
  Napi::Value deliver(Napi::Env env) override { return delta_value(env, delta_, asked_); }

 private:
  Shared poller_;
  FieldMask asked_;
  PollDelta delta_;
};

FieldMask asked_of(const Napi::CallbackInfo& info) {
  return info[1].As<Napi::Number>().Uint32Value();
}

Napi::Value open(const Napi::CallbackInfo& info) {
  auto poller = std::make_shared<SharedPoller>(poll_request(info[0]));
  return Handle::New(info.Env(), new Shared(std::move(poller)),
                     [](Napi::Env, const Shared* held) { delete held; });
}

Napi::Value poll(const Napi::CallbackInfo& info) {
  return delta_value(info.Env(), poller_of(info)->poll(), asked_of(info));
}

Napi::Value idle(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), poller_of(info)->idle());
}

Napi::Value poll_async(const Napi::CallbackInfo& info) {
  return run_async(info.Env(), std::make_unique<PollTask>(poller_of(info), asked_of(info)));
}

using Wait = std::shared_ptr<QuietWait>;

/// Of a poller that was closed there is nothing to wait for; whether it was, the caller knows.
Napi::Value wait(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::weak_ptr<SharedPoller> poller = poller_of(info);
  const QuietWait::Rhythm rhythm{
      QuietWait::Milliseconds(info[1].As<Napi::Number>().DoubleValue()),
      QuietWait::Milliseconds(info[2].As<Napi::Number>().DoubleValue()),
  };
  auto waiting = std::make_shared<QuietWait>();
  const Napi::Promise over = wait_async(env, [&](const std::function<void()>& done) {
    const auto quiet = [poller] {
      const Shared held = poller.lock();
      return held != nullptr && held->idle();
    };
    if (QuietWait::start(waiting, rhythm, quiet, done) != 0) {
      waiting = nullptr;
      done();
    }
  });
  if (waiting == nullptr) {
    return env.Null();
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("over", over);
  // A wait that nobody holds any more, as at the end of a worker, ends.
  out.Set("handle", Napi::External<Wait>::New(env, new Wait(std::move(waiting)),
                                              [](Napi::Env, const Wait* held) {
                                                (*held)->stop();
                                                delete held;
                                              }));
  return out;
}

Napi::Value stop_wait(const Napi::CallbackInfo& info) {
  (*info[0].As<Napi::External<Wait>>().Data())->stop();
  return info.Env().Undefined();
}

Napi::Value track(const Napi::CallbackInfo& info) {
  poller_of(info)->wish(info[1].As<Napi::Number>().Int32Value(), info[2].ToBoolean());
  return info.Env().Undefined();
}

/// Gives everything back now, and not when the handle is collected.
Napi::Value close(const Napi::CallbackInfo& info) {
  poller_of(info).reset();
  return info.Env().Undefined();
}

const char* source_name(EventSource source) {
  switch (source) {
    case EventSource::kConnector:
      return "connector";
    case EventSource::kPidfd:
      return "pidfd";
    case EventSource::kNone:
      break;
  }
  return "none";
}

Napi::Value state(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const SharedPoller::State state = poller_of(info)->state();
  Napi::Object out = Napi::Object::New(env);
  const auto count = [&](const char* name, uint64_t value) {
    out.Set(name, Napi::Number::New(env, static_cast<double>(value)));
  };
  out.Set("events", Napi::String::New(env, source_name(state.source)));
  out.Set("descriptors", Napi::Number::New(env, state.descriptors));
  count("polls", state.counts.polls);
  count("lists", state.counts.lists);
  count("glances", state.counts.glances);
  count("reads", state.counts.reads);
  return out;
}

/// What keeps each source of events from this program; null = nothing.
Napi::Value event_sources(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Object out = Napi::Object::New(env);
  for (const EventSource source : {EventSource::kConnector, EventSource::kPidfd}) {
    const Fault fault = event_source_fault(source);
    out.Set(source_name(source),
            fault.kind == FaultKind::kNone ? env.Null() : Napi::Value(fault_object(env, fault)));
  }
  return out;
}

Napi::Value descriptor_budget(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), usual_descriptor_budget());
}

}  // namespace

void export_poller(Napi::Env env, Napi::Object exports) {
  exports.Set("pollerOpen", Napi::Function::New<open>(env, "pollerOpen"));
  exports.Set("pollerPoll", Napi::Function::New<poll>(env, "pollerPoll"));
  exports.Set("pollerPollAsync", Napi::Function::New<poll_async>(env, "pollerPollAsync"));
  exports.Set("pollerIdle", Napi::Function::New<idle>(env, "pollerIdle"));
  exports.Set("pollerWait", Napi::Function::New<wait>(env, "pollerWait"));
  exports.Set("pollerStopWait", Napi::Function::New<stop_wait>(env, "pollerStopWait"));
  exports.Set("pollerTrack", Napi::Function::New<track>(env, "pollerTrack"));
  exports.Set("pollerClose", Napi::Function::New<close>(env, "pollerClose"));
  exports.Set("pollerState", Napi::Function::New<state>(env, "pollerState"));
  exports.Set("eventSources", Napi::Function::New<event_sources>(env, "eventSources"));
  exports.Set("descriptorBudget", Napi::Function::New<descriptor_budget>(env, "descriptorBudget"));
}

}  // namespace procscope::binding
