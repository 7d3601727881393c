#pragma once

#include <napi.h>

#include <vector>

#include "model/process.h"
#include "platform/files.h"

namespace procscope::binding {

/// {kind, code, call, path}, as lib/process/fault.ts has it.
Napi::Object fault_object(Napi::Env env, const Fault& fault);

/// {buffer, faults, bootId}: the packed table of columns.h and what is said about it as a whole.
Napi::Object table_object(Napi::Env env, const ProcessTable& table, FieldMask asked);

/// The answers of look(), as lib/process/look.ts has them.
Napi::Array answer_list(Napi::Env env, const std::vector<FileAnswer>& answers);

/// The layout of columns.h, for the test that compares it with lib/native/decode.ts.
Napi::Object layout_object(Napi::Env env);

}  // namespace procscope::binding
