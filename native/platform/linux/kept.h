#pragma once

#include <cstddef>

#include "base/budget.h"
#include "base/owned.h"
#include "platform/linux/io.h"

namespace procscope::linux_os {

/// A share of what the host program may have open: a quarter, and never more than `most`.
int descriptor_budget(int most);

/// A file that stays open while the budget allows it, and is opened for each read otherwise.
class KeptFile {
 public:
  [[nodiscard]] bool is_open() const { return fd_.valid(); }

  /// Reads from its start, at most `room` bytes, in one call.
  Bytes read(int directory, const char* name, Budget& budget, char* into, size_t room);

 private:
  Share share_;
  OwnedFd fd_;
};

}  // namespace procscope::linux_os
