#pragma once

#include "model/process.h"
#include "platform/reader.h"

/// What differs between two looks at one process, and what is kept of the earlier one.
namespace procscope {

/// Fields that change all the time by themselves.
inline constexpr FieldMask kVolatileFields =
    mask_of(Field::kState, Field::kThreads, Field::kCpu, Field::kRss, Field::kVsize);

/// Fields whose value is text and lies in the blob.
inline constexpr FieldMask kTextFields =
    mask_of(Field::kName, Field::kTty, Field::kUser, Field::kArgv, Field::kExe, Field::kCwd,
            Field::kRoot, Field::kCgroup, Field::kEnv, Field::kNspid);

/// Those of `fields` that differ: in value, or in whether they are there.
FieldMask differences(const RowDraft& before, const RowDraft& now, FieldMask fields);

/// Whether a process is stopped by a signal or a tracer.
bool is_stopped(const ProcessRow& row);

/// Whether nothing of the process is left but its exit status.
bool is_dead(const ProcessRow& row);

/// Whether both are known to have started at different times.
bool is_another(const ProcessRow& before, const ProcessRow& now);

/// Fields that a look did not come to the end of, for want of time or room.
FieldMask unfinished_fields(const RowDraft& look);

/// Puts the answers of a later look at `fields` in place of the earlier ones; answers which differ.
/// What the later look could not see for want of time or room stays as it was, with the fault
/// beside it: it is old, and not gone.
FieldMask take_over(RowDraft& row, const RowDraft& later, FieldMask fields);

}  // namespace procscope
