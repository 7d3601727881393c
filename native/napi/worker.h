#pragma once

#include <napi.h>

#include <functional>
#include <memory>

namespace procscope::binding {

/// Work off the main thread. `run` is called on a thread of our own and touches no JS; `deliver` is
/// called on the JS thread and makes the value that the promise is resolved with.
class Task {
 public:
  virtual ~Task() = default;
  virtual void run() = 0;
  virtual Napi::Value deliver(Napi::Env env) = 0;
};

/// What one environment (main thread or worker thread) needs to hear from our threads. Set up once
/// an environment, before the first run_async().
void prepare_environment(Napi::Env env);

/// Runs the task on one of our own threads, never on libuv's pool. The promise keeps the event loop
/// alive; an environment that ends meanwhile is never called.
Napi::Promise run_async(Napi::Env env, std::unique_ptr<Task> task);

/// Is given a function, and calls it once, on any thread, when what it stands for has happened.
using Signal = std::function<void(std::function<void()>)>;

/// A promise that is resolved when the signal comes. It keeps the event loop alive like any other,
/// and takes no thread meanwhile.
Napi::Promise wait_async(Napi::Env env, const Signal& signal);

}  // namespace procscope::binding
