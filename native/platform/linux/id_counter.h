#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "parse/usage.h"
#include "platform/process_events.h"

namespace procscope::linux_os {

/// What /proc/loadavg tells of starts and ends, from look to look.
///
/// The kernel counts an id as given out before its process is in the table (copy_process in
/// kernel/fork.c: alloc_pid() comes long before attach_pid()). So what was given out shortly before
/// a look may not have been seen by it, and is told once more.
class IdCounter {
 public:
  /// `ids_a_millisecond`: more are not given out. `sees_all`: every task that is counted is in our
  /// pid namespace. `most`: how many ids come round again and again.
  IdCounter(double ids_a_millisecond, bool sees_all, std::function<double()> most)
      : ids_a_millisecond_(ids_a_millisecond), sees_all_(sees_all), most_(std::move(most)) {}

  /// Tells what came after the last look, `elapsed` milliseconds ago; `now` is nothing where the
  /// counter cannot be read.
  void take(const std::optional<Loadavg>& now, double elapsed, ProcessNews& news);

 private:
  /// The last id as it stood from one look to another.
  struct Mark {
    int32_t last_pid = 0;
    double first_at = 0;
    double last_at = 0;
  };

  void tell(const Loadavg& now, ProcessNews& news) const;
  void note(int32_t last_pid);

  const double ids_a_millisecond_;
  const bool sees_all_;
  const std::function<double()> most_;
  double clock_ = 0;
  /// The oldest first: that is the newest by which all ids up to it were in the table at the last
  /// look.
  std::deque<Mark> marks_;
  int32_t tasks_ = 0;
};

}  // namespace procscope::linux_os
