#pragma once

#include <atomic>
#include <cstdint>

namespace procscope {

/// What a call that can wait for ever waits for.
enum class BlockClass : uint8_t {
  /// Not marked as waiting: if it stalls all the same, nothing about the step is trusted.
  kNone = 0,
  /// The memory-map lock of the target (its cmdline, its environ).
  kMemoryMap,
  /// A file system that may no longer answer.
  kFileSystem,
  /// The name service (users that come from a directory server).
  kNameService,
};

/// The place where a reader thread leaves a sign of life. Whoever waits for the thread compares two
/// looks: a beat that did not move means that the same call has been running all the time. So the
/// reader reads no clock.
class Watch {
 public:
  /// Counts marks; the class of the call in progress is in the low byte.
  [[nodiscard]] uint64_t beat() const { return beat_.load(std::memory_order_acquire); }
  static BlockClass class_of(uint64_t beat) { return static_cast<BlockClass>(beat & 0xff); }

  void mark(BlockClass c) {
    count_ += 1;
    beat_.store(count_ << 8 | static_cast<uint64_t>(c), std::memory_order_release);
  }

  /// A sign of life within a stretch of many calls: each may take its time, the stretch is no
  /// stall.
  void still_here() { mark(class_of(beat())); }

 private:
  uint64_t count_ = 0;
  std::atomic<uint64_t> beat_{0};
};

/// Marks the calls between its birth and its end as able to wait.
class Waiting {
 public:
  Waiting(Watch& watch, BlockClass c) : watch_(watch) { watch_.mark(c); }
  ~Waiting() { watch_.mark(BlockClass::kNone); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Watch& watch_;
};

}  // namespace procscope
