#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "model/process.h"

/// The one description of what crosses from native to JS. lib/native/decode.ts holds the other
/// half; a test compares the two through the addon.
///
/// A packed table is one buffer of little-endian words:
///
///   int32  header[kHeaderWords]      see HeaderWord
///   int32  directory[2 * columns]    (column number, byte offset), one pair a column that is there
///   ...    the columns, each on an 8-byte boundary, one value a row; a text is two uint32
///          (offset and length in the blob)
///   int32  faults[4 * faults]        row, field | kind << 8 | call << 16, code, 0
///   uint8  blob[]
namespace procscope {

using ColumnMember =
    std::variant<int32_t ProcessRow::*, uint32_t ProcessRow::*, uint8_t ProcessRow::*,
                 double ProcessRow::*, uint64_t ProcessRow::*, TextRef ProcessRow::*>;

/// Order as in ColumnMember.
enum class ColumnType : uint8_t { kI32 = 0, kU32, kU8, kF64, kU64, kText };

struct Column {
  const char* name;
  /// The column crosses when any of these fields was asked for; 0 = always.
  FieldMask fields;
  ColumnMember member;
};

enum HeaderWord : uint8_t {
  kWordMagic = 0,
  kWordVersion,
  kWordRows,
  kWordFaults,
  kWordBlobOffset,
  kWordBlobLength,
  kWordFaultOffset,
  kWordColumns,
  kWordVanished,
  kWordAsked,
  kHeaderWords,
};

inline constexpr int32_t kMagic = 0x31435350;  // "PSC1"
inline constexpr int32_t kLayoutVersion = 1;
inline constexpr size_t kFaultWords = 4;

std::span<const Column> columns();
ColumnType type_of(const Column& column);
const char* field_name(Field field);

/// Bytes that encode() will fill for this table. Throws nothing; a table whose parts do not fit
/// 32-bit offsets answers 0.
size_t encoded_size(const ProcessTable& table, FieldMask asked);

/// Fills `out`, which holds encoded_size() bytes.
void encode(const ProcessTable& table, FieldMask asked, std::span<std::byte> out);

}  // namespace procscope
