#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "platform/reader.h"

namespace procscope {

struct GlanceTarget {
  int32_t pid = 0;
  /// Shared, since a thread that is parked inside it may outlive everybody else.
  std::shared_ptr<KeptRow> kept;
};

struct GlanceAnswer {
  RowOutcome outcome = RowOutcome::kRow;
  RowDraft draft;
  /// False where the read did not return or was not tried: then `kept` is not to be used again.
  bool read = false;
};

struct GlanceRequest {
  /// Names what hangs, together with the pid.
  std::string root;
  FieldMask fields = 0;
  std::chrono::milliseconds deadline{1000};
};

/// Glances at all targets (each pid once), and waits no longer than the deadline for reads that do
/// not return: those get `timeout` faults. One answer for each target, in its order.
std::vector<GlanceAnswer> glance_at(const GlanceRequest& request,
                                    const std::shared_ptr<const Reader>& reader,
                                    const std::shared_ptr<Budget>& budget,
                                    const std::vector<GlanceTarget>& targets);

}  // namespace procscope
