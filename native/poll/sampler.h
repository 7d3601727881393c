#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "poll/follow.h"

namespace procscope {

struct SamplerRequest {
  FollowRequest follow;
  std::chrono::nanoseconds interval{1'000'000};
  /// Most looks that are kept for a slow reader; then the oldest go.
  size_t capacity = 0;
  /// Keep the rows of each process too.
  bool members = false;
};

enum class SamplerEnd : uint8_t { kRunning = 0, kStopped, kRootEnded, kFault };

struct SampleBatch {
  Table<SampleRow> samples;
  Table<MemberRow> members;
  /// Looks that nobody took in time, since the batch before.
  uint64_t dropped = 0;
};

struct SamplerState {
  SamplerEnd end = SamplerEnd::kRunning;
  Fault fault;
  /// Looks that were made, deadlines that passed without one, looks that were lost.
  uint64_t taken = 0;
  uint64_t missed = 0;
  uint64_t dropped = 0;
  /// Processor time of the sampling thread and of what reads for it, in milliseconds.
  double own_cpu = 0;
};

/// Looks at a process or a tree at fixed deadlines, on a thread of its own. Deadlines are absolute,
/// so they do not drift; those that passed during a late look are counted and left out, never made
/// up for. What a target may hold up for ever is read on other threads (follow_reads), so that the
/// sampler goes on; nobody waits for its own thread either.
class Sampler : public std::enable_shared_from_this<Sampler> {
 public:
  explicit Sampler(const SamplerRequest& request);

  /// Starts the thread. Once.
  void start();
  void stop();
  /// Takes all looks that are there.
  SampleBatch drain();
  /// Calls `wake` once, here or on the sampler's thread, when there is a look to take or there will
  /// never be one. It must not call the sampler.
  void when_ready(std::function<void()> wake);
  SamplerState state();

  /// The thread's own work, on a machine of the caller's.
  void run(UsageMachine& machine);

 private:
  struct Look {
    SampleRow row;
    std::vector<MemberRow> members;
  };

  void push(Look& look);
  void wake_all();
  void finish(SamplerEnd end, const Fault& fault);

  const SamplerRequest request_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Look> ring_;
  size_t first_ = 0;
  size_t count_ = 0;
  uint64_t dropped_since_ = 0;
  bool stop_ = false;
  std::vector<std::function<void()>> waiting_;
  SamplerState state_;
};

}  // namespace procscope
