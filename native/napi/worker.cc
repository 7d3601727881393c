#include "napi/worker.h"

#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "poll/threads.h"

namespace procscope::binding {

namespace {

/// One promise under way.
struct Pending {
  Pending(Napi::Env env, std::unique_ptr<Task> t)
      : deferred(Napi::Promise::Deferred::New(env)), task(std::move(t)) {}
  void run() {
    try {
      task->run();
    } catch (const std::exception& error) {
      failure = error.what();
    }
  }

  Napi::Promise::Deferred deferred;
  std::unique_ptr<Task> task;
  /// Why the work could not be done at all: memory that ran out.
  std::string failure;
};

/// Most tasks that run at once in this process; the others wait in line. Each may need a reader
/// thread beside its own, and the work is bound by the kernel and not by how many ask.
constexpr size_t kMostRunning = 4;

/// The line of tasks, of all environments.
class Line {
 public:
  /// Answers 0, or the system's error number when it gives no thread to anybody.
  int join(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      if (running_ >= kMostRunning) {
        waiting_.push_back(std::move(task));
        return 0;
      }
      ++running_;
    }
    const int code = run_on_thread([this, task = std::move(task)]() mutable { serve(task); });
    if (code != 0) {
      const std::lock_guard lock(mutex_);
      --running_;
    }
    return code;
  }

 private:
  void serve(std::function<void()>& task) {
    for (;;) {
      task();
      task = nullptr;
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) {
        --running_;
        return;
      }
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
  }

  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;
  size_t running_ = 0;
};

Line& line() {
  // Never destroyed: its threads may outlive the statics of this library.
  static auto* const instance = new Line;
  return *instance;
}

/// What a promise without work of its own is resolved with.
class Nothing final : public Task {
 public:
  void run() override {}
  Napi::Value deliver(Napi::Env env) override { return env.Undefined(); }
};

class Environment;
void call_js(Napi::Env env, Napi::Function, Environment* environment, Pending* pending);

/// The way back to one JS thread. Threads hold it by shared pointer and may outlive the
/// environment, so they ask under the lock whether it still stands.
class Environment : public std::enable_shared_from_this<Environment> {
 public:
  using Channel = Napi::TypedThreadSafeFunction<Environment, Pending, call_js>;

  void open(Napi::Env env) {
    channel_ = Channel::New(env, "procscope", 0, 1, this);
    channel_.Unref(env);
    // Hooks run last in, first out: this one before the channel's own, so that no thread calls a
    // channel that is being taken down.
    env.AddCleanupHook([self = shared_from_this()] { self->close(); });
  }

  Napi::Promise run(Napi::Env env, std::unique_ptr<Task> task) {
    // Shared, because a task that no thread takes must still be there to answer here.
    const std::shared_ptr<Pending> shared = expect(env, std::move(task));
    const Napi::Promise promise = shared->deferred.Promise();
    const int code = line().join([self = shared_from_this(), shared] {
      shared->run();
      self->post(shared);
    });
    if (code != 0) {
      shared->run();
      settle(env, *shared);
    }
    return promise;
  }

  Napi::Promise wait(Napi::Env env, const Signal& signal) {
    const std::shared_ptr<Pending> shared = expect(env, std::make_unique<Nothing>());
    const Napi::Promise promise = shared->deferred.Promise();
    signal([self = shared_from_this(), shared] { self->post(shared); });
    return promise;
  }

  void settle(Napi::Env env, Pending& pending) {
    try {
      if (--waiting_ == 0) {
        channel_.Unref(env);
      }
      answer(env, pending);
    } catch (const Napi::Error&) {
      // The environment is being torn down and runs no JS any more: nobody waits for the answer.
    }
  }

 private:
  std::shared_ptr<Pending> expect(Napi::Env env, std::unique_ptr<Task> task) {
    auto pending = std::make_shared<Pending>(env, std::move(task));
    if (waiting_++ == 0) {
      channel_.Ref(env);
    }
    return pending;
  }

  static void answer(Napi::Env env, Pending& pending) {
    try {
      if (!pending.failure.empty()) {
        throw Napi::Error::New(env, "procscope: " + pending.failure);
      }
      pending.deferred.Resolve(pending.task->deliver(env));
    } catch (const Napi::Error& error) {
      pending.deferred.Reject(error.Value());
    }
  }

  void post(const std::shared_ptr<Pending>& pending) {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      return;
    }
    auto* carried = new std::shared_ptr<Pending>(pending);
    if (channel_.NonBlockingCall(reinterpret_cast<Pending*>(carried)) != napi_ok) {
      delete carried;
    }
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

  std::mutex mutex_;
  bool closed_ = false;
  Channel channel_;
  /// Promises under way; touched on the JS thread only.
  size_t waiting_ = 0;
};

void call_js(Napi::Env env, Napi::Function, Environment* environment, Pending* carried) {
  const std::unique_ptr<std::shared_ptr<Pending>> pending(
      reinterpret_cast<std::shared_ptr<Pending>*>(carried));
  if (static_cast<napi_env>(env) != nullptr) {
    environment->settle(env, **pending);
  }
}

/// Owned by the environment; threads hold what it points to.
struct Holder {
  std::shared_ptr<Environment> environment;
};

}  // namespace

void prepare_environment(Napi::Env env) {
  auto environment = std::make_shared<Environment>();
  environment->open(env);
  env.SetInstanceData(new Holder{std::move(environment)});
}

Napi::Promise run_async(Napi::Env env, std::unique_ptr<Task> task) {
  return env.GetInstanceData<Holder>()->environment->run(env, std::move(task));
}

Napi::Promise wait_async(Napi::Env env, const Signal& signal) {
  return env.GetInstanceData<Holder>()->environment->wait(env, signal);
}

}  // namespace procscope::binding
