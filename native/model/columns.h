#pragma once

#include <span>

#include "model/descriptor.h"
#include "model/packing.h"
#include "model/process.h"
#include "model/socket.h"
#include "model/usage.h"

/// The one description of the columns of each kind of row. lib/native/layout.ts holds the other
/// half; a test compares the two through the addon.
namespace procscope {

std::span<const Column<ProcessRow>> process_columns();
std::span<const Column<FileRow>> file_columns();
std::span<const Column<LockRow>> lock_columns();
std::span<const Column<SocketRow>> socket_columns();
const char* field_name(Field field);

std::span<const Column<UsageRow>> usage_columns();
const char* usage_field_name(UsageField field);
std::span<const Column<SampleRow>> sample_columns();
std::span<const Column<MemberRow>> member_columns();

}  // namespace procscope
