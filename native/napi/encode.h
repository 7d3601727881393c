#pragma once

#include <napi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "model/columns.h"
#include "platform/files.h"

namespace procscope::binding {

/// {kind, code, call, path}, as lib/process/fault.ts has it.
Napi::Object fault_object(Napi::Env env, const Fault& fault);
Napi::Array fault_list(Napi::Env env, const std::vector<Fault>& faults);

/// {buffer, faults}: the rows as packing.h packs them, and what is said about them as a whole.
template <typename Row>
Napi::Object packed_object(Napi::Env env, const Table<Row>& table,
                           std::span<const Column<Row>> columns, FieldMask asked, int32_t extra) {
  const size_t size = encoded_size(table, columns, asked);
  if (size == 0) {
    throw Napi::RangeError::New(env, "procscope: the table is larger than a buffer can be");
  }
  Napi::ArrayBuffer buffer = Napi::ArrayBuffer::New(env, size);
  encode(table, columns, asked, extra, {static_cast<std::byte*>(buffer.Data()), size});
  Napi::Object out = Napi::Object::New(env);
  out.Set("buffer", buffer);
  out.Set("faults", fault_list(env, table.faults));
  return out;
}

/// The packed process table, and the identity of its boot.
Napi::Object table_object(Napi::Env env, const ProcessTable& table, FieldMask asked);

/// The answers of look(), as lib/process/look.ts has them.
Napi::Array answer_list(Napi::Env env, const std::vector<FileAnswer>& answers);

/// The layout of packing.h and columns.h, for the test that compares it with lib/native/decode.ts.
Napi::Object layout_object(Napi::Env env);

}  // namespace procscope::binding
